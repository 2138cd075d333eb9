/* Where the structs of master.h lie and what its constants are, for structs.py, which compares both with its own at load. */

typedef struct {
    const char *name; /* of a struct, or of a field as in "Part.every"; NULL ends the table */
    int64_t offset, size;
} Place;

typedef struct {
    const char *name; /* NULL ends the table */
    double value;
} Constant;

#define STRUCT(S) {#S, 0, sizeof(S)}
#define FIELD(S, f) {#S "." #f, offsetof(S, f), sizeof(((S *) 0)->f)}
#define CONSTANT(c) {#c, (double) (c)}

__attribute__((visibility("default"))) const Place master_places[] = {
    STRUCT(Channel),
    FIELD(Channel, reference), FIELD(Channel, begin), FIELD(Channel, count), FIELD(Channel, only_reals),
    FIELD(Channel, scratch),
    STRUCT(Wire),
    FIELD(Wire, source), FIELD(Wire, part), FIELD(Wire, kind), FIELD(Wire, plain), FIELD(Wire, slot),
    FIELD(Wire, gain), FIELD(Wire, offset), FIELD(Wire, low), FIELD(Wire, high), FIELD(Wire, epoch),
    FIELD(Wire, known), FIELD(Wire, stamp), FIELD(Wire, last), FIELD(Wire, rate), FIELD(Wire, foreseen),
    FIELD(Wire, before),
    STRUCT(Part),
    FIELD(Part, component), FIELD(Part, do_step), FIELD(Part, every), FIELD(Part, wait), FIELD(Part, h),
    FIELD(Part, steps), FIELD(Part, warnings), FIELD(Part, epoch), FIELD(Part, early), FIELD(Part, ahead),
    FIELD(Part, jumped), FIELD(Part, fresh_read), FIELD(Part, get), FIELD(Part, set), FIELD(Part, out),
    FIELD(Part, in), FIELD(Part, wires), FIELD(Part, seconds), FIELD(Part, set_derivatives), FIELD(Part, directional),
    FIELD(Part, n_derivatives), FIELD(Part, derivative_reference), FIELD(Part, derivative_order),
    FIELD(Part, derivative), FIELD(Part, n_discrete), FIELD(Part, discrete), FIELD(Part, owner),
    FIELD(Part, discrete_before), FIELD(Part, may_count), FIELD(Part, running),
    STRUCT(Visit),
    FIELD(Visit, part), FIELD(Visit, how), FIELD(Visit, out), FIELD(Visit, seed), FIELD(Visit, change),
    STRUCT(Rate),
    FIELD(Rate, every), FIELD(Rate, wait), FIELD(Rate, column), FIELD(Rate, n_columns), FIELD(Rate, rows),
    FIELD(Rate, n_rows), FIELD(Rate, capacity),
    STRUCT(Note),
    FIELD(Note, tick), FIELD(Note, part), FIELD(Note, call),
    STRUCT(Master),
    FIELD(Master, parts), FIELD(Master, visits), FIELD(Master, rates), FIELD(Master, values), FIELD(Master, newest),
    FIELD(Master, inputs), FIELD(Master, table), FIELD(Master, table_until), FIELD(Master, note),
    FIELD(Master, n_parts), FIELD(Master, n_visits), FIELD(Master, n_rates), FIELD(Master, n_table),
    FIELD(Master, with_events), FIELD(Master, forgetting), FIELD(Master, table_begin), FIELD(Master, table_tick),
    FIELD(Master, tick), FIELD(Master, numerator), FIELD(Master, denominator), FIELD(Master, start_time),
    FIELD(Master, fault_part), FIELD(Master, fault_call), FIELD(Master, fault_status), FIELD(Master, fault_value),
    FIELD(Master, fault_tick),
    {NULL, 0, 0},
};

__attribute__((visibility("default"))) const Constant master_constants[] = {
    CONSTANT(JUMP), CONSTANT(COUNTING), CONSTANT(SAMPLED), CONSTANT(WARNING), CONSTANT(COLUMN),
    CONSTANT(RUNNING_COLUMN), CONSTANT(HOLD), CONSTANT(EXTRAPOLATE), CONSTANT(NEWEST), CONSTANT(INTERPOLATE),
    CONSTANT(STALE), CONSTANT(SET_AND_READ), CONSTANT(BY_DERIVATIVE), CONSTANT(NO_CALL), CONSTANT(GET), CONSTANT(SET),
    CONSTANT(DO_STEP), CONSTANT(NOT_FINITE), CONSTANT(SET_DERIVATIVES), CONSTANT(DERIVATIVE),
    {NULL, 0.0},
};
