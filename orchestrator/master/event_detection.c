/* Events: where a value that marks one has changed, continuous values may have jumped, and nothing is extrapolated
 * across it. event_sources.py says which values mark events of which part. */

/* a number that changes at every step is a counter and marks no event; a flag always does */
static int is_counter(const Events *events, int j) {
    return events->may_be_counter[j] && events->consecutive_changes[j] >= COUNTER_STEPS;
}

/* the present value; of a linear column the number of its jumps so far */
static double event_value(const Master *m, const Events *events, int j) {
    if (events->owner[j] != LINEAR_COLUMN) return m->values[events->value[j]];
    return m->table_jumps[(m->tick - m->table_tick)*m->n_table + events->value[j] - m->table_begin];
}

/* whether a value has changed since the last call */
static int have_changed(const Master *m, Events *events) {
    int event = 0;
    for (int j = 0; j < events->n; j++) {
        double value = event_value(m, events, j);
        int changed = value != events->previous[j] && m->tick > 0;
        event |= changed && !is_counter(events, j);
        events->consecutive_changes[j] = changed ? events->consecutive_changes[j] + 1 : 0;
        events->previous[j] = value;
    }
    return event;
}

/* after the exchange: count the delayed events that show now; a new epoch of a part discards its history */
static void detect_events(Master *m) {
    for (int k = 0; k < m->n_delayed_events; k++) {
        DelayedEvent *delayed = &m->delayed_events[k];
        if (m->parts[delayed->part].due_in) continue;
        int changed = have_changed(m, &delayed->events);
        if (!m->tick) continue; /* no step is over */
        if (delayed->pending) {
            m->values[delayed->value] += 1.0;
            delayed->pending--;
        }
        if (changed) delayed->pending = DELAYED_STEPS;
    }
    for (int i = 0; i < m->n_parts; i++) {
        Part *part = &m->parts[i];
        if (part->events.n && !part->due_in) part->epoch += have_changed(m, &part->events);
    }
}

/* whether an event lies between the exchanged values and the newest */
static int has_jumped(const Master *m, const Part *part) {
    const Events *events = &part->events;
    for (int j = 0; j < events->n; j++) {
        int k = events->value[j], owner = events->owner[j];
        if (owner >= 0 && m->parts[owner].ahead && m->newest[k] != m->values[k] && !is_counter(events, j)) return 1;
    }
    return 0;
}
