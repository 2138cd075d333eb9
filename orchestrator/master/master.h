/* The memory that the master in C works on, as master.py lays it out. */
#ifndef DRAWBAR_MASTER_H
#define DRAWBAR_MASTER_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef int (*Exchange)(void *component, const uint32_t *reference, size_t n, void *value);
typedef int (*DoStep)(void *component, double t, double h, int no_set_before);
typedef int (*SetDerivatives)(void *component, const uint32_t *reference, size_t n, const int32_t *order, const double *value);
typedef int (*Directional)(void *component, const uint32_t *unknown, size_t n_unknown, const uint32_t *known, size_t n_known,
                           const double *seed, double *result);

enum Type { REAL, INTEGER, BOOLEAN, N_TYPES };
enum Call { NO_CALL, GET, SET, DO_STEP, NOT_FINITE, SET_DERIVATIVES, DERIVATIVE };
enum Status { OK, WARNING };
enum Kind { HOLD, EXTRAPOLATE, NEWEST, INTERPOLATE };
/* columns of the input file, held until the next row or linear between rows; counters of delayed events */
enum Owner { HELD_COLUMN = -1, LINEAR_COLUMN = -2, DELAYED = -3 };
enum Fresh { STALE, SET_AND_READ, BY_DERIVATIVE };

#define JUMP_RATIO 10.0 /* a change this many times the larger of the two before it is a jump */
#define COUNTER_STEPS 3 /* a number that has changed for so many steps may be a counter */
#define DELAYED_STEPS 2 /* that show an event of an input: the one with the new value, and the first that extrapolates it */
#define TIMED_AT_FIRST 4 /* steps of a part that are all timed */
#define TIMING_INTERVAL 256 /* most steps from one that is timed to the next */

/* variables that are read or written together: for each type a range of values */
typedef struct {
    const uint32_t *reference[N_TYPES];
    int32_t begin[N_TYPES]; /* in the master's array */
    int32_t count[N_TYPES];
    int32_t only_reals;
    int32_t *scratch; /* for integers and booleans in transfer */
} Channel;

/* the connection to one input: it receives gain*value + offset, where the value follows from the source */
typedef struct {
    int32_t source;
    int32_t part; /* of the source; -1 for the input file */
    int32_t kind; /* enum Kind */
    int32_t unscaled; /* gain 1, offset 0 */
    int32_t slot; /* of its derivative among those of the part; -1 without one */
    double gain, offset, low, high;
    /* history of the source */
    int32_t epoch; /* of the source when its history began; -1 for no history */
    int32_t has_rate; /* `rate` was measured before */
    int64_t last_tick; /* of `last_value` */
    double last_value;
    double rate, used_rate; /* in 1/tick: as measured, and as it is used for the extrapolation */
    double previous_rate; /* magnitude of the rate measured before */
} Connection;

/* values whose change marks an event */
typedef struct {
    int32_t n;
    const int32_t *value; /* index in values */
    const int32_t *owner; /* part, or one of enum Owner */
    double *previous;
    const int32_t *may_be_counter; /* flags */
    int32_t *consecutive_changes; /* the number of steps in which it has changed without a break */
} Events;

/* events that the outputs of a part show only after its next step */
typedef struct {
    int32_t part;
    int32_t value; /* index in values of their number */
    int32_t pending; /* steps of the part, from the one that is next or under way, that show one */
    Events events;
} DelayedEvent;

/* which steps of a part are timed, see part_timing.c */
typedef struct {
    int64_t next, interval, covered; /* steps */
    double seconds; /* of the covered steps */
    int32_t on; /* whether the last step was timed */
} Timing;

/* first the fields that every step uses */
typedef struct {
    void *component;
    DoStep do_step;
    int64_t period_ticks; /* ticks to a step */
    int64_t due_in; /* ticks until it is due; a countdown spares a division at every tick */
    double h; /* s */
    int64_t steps, warnings;
    int32_t epoch; /* counts events */
    int32_t read_early; /* outputs are read into `newest` right after the step */
    int32_t ahead; /* `newest` is later than `values` */
    int32_t jumped; /* an event lies between the two */
    int32_t fresh_read; /* outputs may be read after a set, without a step in between */
    Exchange get[N_TYPES], set[N_TYPES];
    Channel out, in;
    Connection *connections; /* one for each value of `in` */
    Timing timing;
    SetDerivatives set_derivatives;
    Directional directional;
    /* inputs that are set with a derivative */
    int32_t n_derivatives;
    const uint32_t *derivative_reference;
    const int32_t *derivative_order;
    double *derivative; /* 1/s */
    Events events; /* of its own values, and of those of others that its outputs depend on directly */
} Part;

/* outputs that are updated after the exchange */
typedef struct {
    int32_t part, method; /* enum Fresh */
    Channel out;
    double *seed, *change; /* changes of the inputs, and of the outputs that result */
} FreshRead;

/* rows of one rate: time, then the columns */
typedef struct {
    int64_t period_ticks, due_in;
    const int32_t *column; /* index in values */
    int32_t n_columns;
    double *rows;
    int64_t *n_rows;
    int64_t capacity;
} Rate;

/* the present call, in memory that a supervising process may share */
typedef struct {
    int64_t tick;
    int32_t part, call;
} CurrentCall;

typedef struct {
    Part *parts;
    FreshRead *fresh_reads;
    DelayedEvent *delayed_events;
    Rate *rates;
    double *values; /* outputs of all parts, the columns of the input file, the numbers of delayed events */
    double *newest; /* outputs of parts that have stepped already */
    double *inputs; /* inputs of all parts, as sent */
    const double *table; /* rows of the input file, for each half tick from table_tick on */
    const double *table_before; /* the same, with the values before a jump at that time */
    const double *table_jumps; /* for each tick from table_tick on, how often each column has jumped so far */
    CurrentCall *current_call;
    int32_t n_parts, n_fresh_reads, n_delayed_events, n_rates, n_table;
    int64_t table_begin, table_tick;
    int64_t tick;
    int64_t numerator, denominator; /* a tick in seconds */
    double start_time;
    /* the fault that ended the run */
    int32_t fault_part, fault_call, fault_status, fault_value;
    int64_t fault_tick;
} Master;

#endif
