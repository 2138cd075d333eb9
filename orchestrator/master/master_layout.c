/* Offsets and sizes in the structs of master.h, and its constants; structs.py compares both with its own at load. */

typedef struct {
    const char *name; /* of a struct, or of a field as in "Part.period_ticks"; NULL ends the table */
    int64_t offset, size;
} Location;

typedef struct {
    const char *name; /* NULL ends the table */
    double value;
} Constant;

#define STRUCT(S) {#S, 0, sizeof(S)}
#define FIELD(S, f) {#S "." #f, offsetof(S, f), sizeof(((S *) 0)->f)}
#define CONSTANT(c) {#c, (double) (c)}

__attribute__((visibility("default"))) const Location master_offsets[] = {
    STRUCT(Channel),
    FIELD(Channel, reference), FIELD(Channel, begin), FIELD(Channel, count), FIELD(Channel, only_reals),
    FIELD(Channel, scratch),
    STRUCT(Connection),
    FIELD(Connection, source), FIELD(Connection, part), FIELD(Connection, kind), FIELD(Connection, unscaled),
    FIELD(Connection, slot), FIELD(Connection, gain), FIELD(Connection, offset), FIELD(Connection, low),
    FIELD(Connection, high), FIELD(Connection, epoch), FIELD(Connection, has_rate),
    FIELD(Connection, last_tick), FIELD(Connection, last_value), FIELD(Connection, rate),
    FIELD(Connection, used_rate), FIELD(Connection, previous_rate),
    STRUCT(Events),
    FIELD(Events, n), FIELD(Events, value), FIELD(Events, owner), FIELD(Events, previous),
    FIELD(Events, may_be_counter), FIELD(Events, consecutive_changes),
    STRUCT(DelayedEvent),
    FIELD(DelayedEvent, part), FIELD(DelayedEvent, value), FIELD(DelayedEvent, pending), FIELD(DelayedEvent, events),
    STRUCT(Timing),
    FIELD(Timing, next), FIELD(Timing, interval), FIELD(Timing, covered), FIELD(Timing, seconds), FIELD(Timing, on),
    STRUCT(Part),
    FIELD(Part, component), FIELD(Part, do_step), FIELD(Part, period_ticks), FIELD(Part, due_in),
    FIELD(Part, h), FIELD(Part, steps), FIELD(Part, warnings), FIELD(Part, epoch), FIELD(Part, read_early),
    FIELD(Part, ahead), FIELD(Part, jumped), FIELD(Part, fresh_read), FIELD(Part, get), FIELD(Part, set),
    FIELD(Part, out), FIELD(Part, in), FIELD(Part, connections), FIELD(Part, timing),
    FIELD(Part, set_derivatives), FIELD(Part, directional), FIELD(Part, n_derivatives),
    FIELD(Part, derivative_reference), FIELD(Part, derivative_order), FIELD(Part, derivative),
    FIELD(Part, events),
    STRUCT(FreshRead),
    FIELD(FreshRead, part), FIELD(FreshRead, method), FIELD(FreshRead, out), FIELD(FreshRead, seed),
    FIELD(FreshRead, change),
    STRUCT(Rate),
    FIELD(Rate, period_ticks), FIELD(Rate, due_in), FIELD(Rate, column), FIELD(Rate, n_columns),
    FIELD(Rate, rows), FIELD(Rate, n_rows), FIELD(Rate, capacity),
    STRUCT(CurrentCall),
    FIELD(CurrentCall, tick), FIELD(CurrentCall, part), FIELD(CurrentCall, call),
    STRUCT(Master),
    FIELD(Master, parts), FIELD(Master, fresh_reads), FIELD(Master, delayed_events), FIELD(Master, rates),
    FIELD(Master, values), FIELD(Master, newest), FIELD(Master, inputs), FIELD(Master, table),
    FIELD(Master, table_before), FIELD(Master, table_jumps), FIELD(Master, current_call), FIELD(Master, n_parts),
    FIELD(Master, n_fresh_reads), FIELD(Master, n_delayed_events), FIELD(Master, n_rates), FIELD(Master, n_table),
    FIELD(Master, table_begin), FIELD(Master, table_tick), FIELD(Master, tick), FIELD(Master, numerator),
    FIELD(Master, denominator), FIELD(Master, start_time), FIELD(Master, fault_part), FIELD(Master, fault_call),
    FIELD(Master, fault_status), FIELD(Master, fault_value), FIELD(Master, fault_tick),
    {NULL, 0, 0},
};

__attribute__((visibility("default"))) const Constant master_constants[] = {
    CONSTANT(JUMP_RATIO), CONSTANT(COUNTER_STEPS), CONSTANT(DELAYED_STEPS), CONSTANT(TIMED_AT_FIRST),
    CONSTANT(TIMING_INTERVAL), CONSTANT(WARNING), CONSTANT(HELD_COLUMN), CONSTANT(LINEAR_COLUMN), CONSTANT(DELAYED),
    CONSTANT(HOLD), CONSTANT(EXTRAPOLATE), CONSTANT(NEWEST),
    CONSTANT(INTERPOLATE), CONSTANT(STALE), CONSTANT(SET_AND_READ), CONSTANT(BY_DERIVATIVE), CONSTANT(NO_CALL),
    CONSTANT(GET), CONSTANT(SET), CONSTANT(DO_STEP), CONSTANT(NOT_FINITE), CONSTANT(SET_DERIVATIVES),
    CONSTANT(DERIVATIVE),
    {NULL, 0.0},
};
