/* The value that arrives at an input: held, extrapolated, newest or interpolated (see coupling.py). */
static double scaled(const Wire *wire, double value) {
    return wire->plain ? value : wire->gain*value + wire->offset;
}

/* an extrapolated value within the limits of the input; if the exchanged value lies beyond them, that one */
static double limited(const Wire *wire, double value, double exchanged) {
    if (value > wire->high) return exchanged > wire->high ? exchanged : wire->high;
    if (value < wire->low) return exchanged < wire->low ? exchanged : wire->low;
    return value;
}

/* the age of a part's exchanged value in ticks */
static int64_t age(const Part *source) { return source->wait ? source->every - source->wait : 0; }

/* add the source's present value to its history; return the rate to extrapolate with, 1/tick */
static double foresee(Wire *wire, double value, int64_t stamp, int32_t epoch) {
    if (epoch != wire->epoch) {
        wire->epoch = epoch;
        wire->known = 0;
        wire->rate = wire->foreseen = wire->before = 0.0;
        wire->last = value;
        wire->stamp = stamp;
    } else if (stamp != wire->stamp) {
        double rate = (value - wire->last)/(double) (stamp - wire->stamp);
        double earlier = fabs(wire->rate);
        /* the larger of two, because near an extremum one of them is almost zero */
        double larger = earlier > wire->before ? earlier : wire->before;
        wire->foreseen = wire->known && fabs(rate) > JUMP*larger ? 0.0 : rate;
        wire->before = earlier;
        wire->rate = rate;
        wire->known = 1;
        wire->last = value;
        wire->stamp = stamp;
    }
    return wire->foreseen;
}

/* a column of the input file, `halves` half ticks from now; at a jump `table` has the values after or before it */
static double in_file(const Master *m, const double *table, const Wire *wire, int64_t halves) {
    return table[(2*(m->tick - m->table_tick) + halves)*m->n_table + wire->source - m->table_begin];
}

/* the value of one input at the beginning of a step; its derivative is written to its slot */
static double arriving(const Master *m, const Part *part, Wire *wire) {
    const Part *source = wire->part < 0 ? NULL : &m->parts[wire->part];
    double value = m->values[wire->source], rate, start, end;
    int64_t old;

    if (wire->slot >= 0) part->derivative[wire->slot] = 0.0;
    if (wire->kind == HOLD) return scaled(wire, value);
    if (!source) { /* the input file is known in advance */
        if (wire->slot < 0) return scaled(wire, in_file(m, m->table, wire, part->every));
        start = scaled(wire, value);
        part->derivative[wire->slot] = (scaled(wire, in_file(m, m->table_until, wire, 2*part->every)) - start)/part->h;
        return start;
    }
    /* a value that the source reaches after the end of this step is not used yet */
    if (wire->kind == NEWEST || (wire->kind == INTERPOLATE && source->ahead && source->jumped))
        return scaled(wire, source->ahead && source->wait <= part->every ? m->newest[wire->source] : value);
    old = age(source);
    if (wire->kind == INTERPOLATE && source->ahead) {
        rate = (m->newest[wire->source] - value)/(double) source->every;
    } else {
        rate = foresee(wire, value, m->tick - old, source->epoch);
    }
    if (wire->slot < 0)
        return limited(wire, scaled(wire, value + rate*((double) old + 0.5*(double) part->every)), scaled(wire, value));
    start = scaled(wire, value + rate*(double) old);
    end = limited(wire, scaled(wire, value + rate*(double) (old + part->every)), start);
    part->derivative[wire->slot] = (end - start)/part->h;
    return start;
}
