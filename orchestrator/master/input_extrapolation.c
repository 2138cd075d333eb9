/* The value of an input at the beginning of a step: held, extrapolated, newest or interpolated (see coupling.py). */
static double scaled(const Connection *c, double value) {
    return c->unscaled ? value : c->gain*value + c->offset;
}

/* an extrapolated value within the limits of the input; if the exchanged value lies beyond them, that one */
static double clamped(const Connection *c, double value, double exchanged) {
    if (value > c->high) return exchanged > c->high ? exchanged : c->high;
    if (value < c->low) return exchanged < c->low ? exchanged : c->low;
    return value;
}

/* the age of a part's exchanged value in ticks */
static int64_t age(const Part *source) { return source->due_in ? source->period_ticks - source->due_in : 0; }

/* add the source's present value to its history; return the rate to extrapolate with, 1/tick */
static double extrapolation_rate(Connection *c, double value, int64_t tick, int32_t epoch) {
    if (epoch != c->epoch) {
        c->epoch = epoch;
        c->has_rate = 0;
        c->rate = c->used_rate = c->previous_rate = 0.0;
        c->last_value = value;
        c->last_tick = tick;
    } else if (tick != c->last_tick) {
        double rate = (value - c->last_value)/(double) (tick - c->last_tick);
        double earlier = fabs(c->rate);
        /* the larger of two, because near an extremum one of them is almost zero */
        double larger = earlier > c->previous_rate ? earlier : c->previous_rate;
        c->used_rate = c->has_rate && fabs(rate) > JUMP_RATIO*larger ? 0.0 : rate;
        c->previous_rate = earlier;
        c->rate = rate;
        c->has_rate = 1;
        c->last_value = value;
        c->last_tick = tick;
    }
    return c->used_rate;
}

/* a column of the input file, `halves` half ticks from now; at a jump `table` has the values after or before it */
static double table_value(const Master *m, const double *table, const Connection *c, int64_t halves) {
    return table[(2*(m->tick - m->table_tick) + halves)*m->n_table + c->source - m->table_begin];
}

/* the value of one input at the beginning of a step; its derivative is written to its slot */
static double input_value(const Master *m, const Part *part, Connection *c) {
    const Part *source = c->part < 0 ? NULL : &m->parts[c->part];
    double value = m->values[c->source], rate, start, end;
    int64_t old;

    if (c->slot >= 0) part->derivative[c->slot] = 0.0;
    if (c->kind == HOLD) return scaled(c, value);
    if (!source) { /* the input file is known in advance */
        if (c->slot < 0) return scaled(c, table_value(m, m->table, c, part->period_ticks));
        start = scaled(c, value);
        end = scaled(c, table_value(m, m->table_before, c, 2*part->period_ticks));
        part->derivative[c->slot] = (end - start)/part->h;
        return start;
    }
    /* a value that the source reaches after the end of this step is not used yet */
    if (c->kind == NEWEST || (c->kind == INTERPOLATE && source->ahead && source->jumped))
        return scaled(c, source->ahead && source->due_in <= part->period_ticks ? m->newest[c->source] : value);
    old = age(source);
    if (c->kind == INTERPOLATE && source->ahead) {
        rate = (m->newest[c->source] - value)/(double) source->period_ticks;
    } else {
        rate = extrapolation_rate(c, value, m->tick - old, source->epoch);
    }
    if (c->slot < 0)
        return clamped(c, scaled(c, value + rate*((double) old + 0.5*(double) part->period_ticks)), scaled(c, value));
    start = scaled(c, value + rate*(double) old);
    end = clamped(c, scaled(c, value + rate*(double) (old + part->period_ticks)), start);
    part->derivative[c->slot] = (end - start)/part->h;
    return start;
}
