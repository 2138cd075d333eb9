/* The master's inner loop: a static schedule of set, doStep, get and record over FMI 2.0 units, with no Python inside.
 * reference.py is the same schedule in Python; the two give equal rows. Jacobi coupling with hold: all outputs that are
 * due are read before any input is set. Compiled at first use with the runtime's flags. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef int (*Exchange)(void *component, const uint32_t *reference, size_t n, void *value);
typedef int (*DoStep)(void *component, double t, double h, int no_set_before);

enum Type { REAL, INTEGER, BOOLEAN, N_TYPES };
enum Call { NO_CALL, GET, SET, DO_STEP, NOT_FINITE };
enum Status { OK, WARNING };

/* variables that are read or written together: reals first, then integers, then booleans */
typedef struct {
    const uint32_t *reference;
    int32_t count[N_TYPES];
    int32_t begin;    /* of its values in the master's array */
    int32_t only_reals;
    int32_t *scratch; /* integers and booleans on their way */
} Channel;

/* what arrives at one input: gain*values[source] + offset */
typedef struct {
    int32_t source;
    int32_t plain; /* gain 1, offset 0 */
    double gain, offset;
} Wire;

typedef struct {
    void *component;
    Exchange get[N_TYPES], set[N_TYPES];
    DoStep do_step;
    Channel out, in;
    const Wire *wires; /* one for each value of `in` */
    int64_t every;     /* ticks to a step */
    int64_t wait;      /* ticks until it is due; a countdown spares a division at every tick */
    double h;          /* s */
} Part;

/* rows of one rate: time, then the columns */
typedef struct {
    int64_t every, wait;
    const int32_t *column; /* index in values */
    int32_t n_columns;
    double *rows;
    int64_t n_rows, capacity;
} Rate;

typedef struct {
    Part *parts;
    Rate *rates;
    double *values; /* outputs of all parts */
    double *inputs; /* inputs of all parts */
    int32_t n_parts, n_rates;
    int64_t tick;
    int64_t numerator, denominator; /* a tick in seconds */
    double start_time;
    /* where it stopped */
    int32_t fault_part, fault_call, fault_status, fault_value;
} Master;

static int fault(Master *m, int part, enum Call call, int status, int value) {
    m->fault_part = part;
    m->fault_call = call;
    m->fault_status = status;
    m->fault_value = value;
    return 1;
}

static double time_of(const Master *m) {
    return m->start_time + (double) (m->tick*m->numerator)/(double) m->denominator;
}

static int read_whole_numbers(const Part *part, double *value, int status) {
    const Channel *out = &part->out;
    int32_t *scratch = out->scratch;
    for (int type = INTEGER, n = out->count[REAL]; type < N_TYPES; type++) {
        int k = out->count[type];
        if (!k) continue;
        int s = part->get[type](part->component, out->reference + n, (size_t) k, scratch);
        if (s > status) status = s;
        for (int j = 0; j < k; j++) value[n + j] = scratch[j];
        n += k;
        scratch += k;
    }
    return status;
}

static int read_outputs(Master *m, int i) {
    const Part *part = &m->parts[i];
    const Channel *out = &part->out;
    double *value = m->values + out->begin;
    int n = out->count[REAL], status = 0;

    if (n) status = part->get[REAL](part->component, out->reference, (size_t) n, value);
    if (!out->only_reals) status = read_whole_numbers(part, value, status);
    if (status > WARNING) return fault(m, i, GET, status, -1);

    /* infinity and NaN differ from zero when taken from themselves */
    for (int j = 0; j < n; j++)
        if (value[j] - value[j] != 0.0) return fault(m, i, NOT_FINITE, 0, out->begin + j);
    return 0;
}

static int write_whole_numbers(const Part *part, const double *input, int status) {
    const Channel *in = &part->in;
    int32_t *scratch = in->scratch;
    for (int type = INTEGER, n = in->count[REAL]; type < N_TYPES; type++) {
        int k = in->count[type];
        if (!k) continue;
        for (int j = 0; j < k; j++) scratch[j] = (int32_t) floor(input[n + j] + 0.5);
        int s = part->set[type](part->component, in->reference + n, (size_t) k, scratch);
        if (s > status) status = s;
        n += k;
        scratch += k;
    }
    return status;
}

static int write_inputs(Master *m, int i) {
    const Part *part = &m->parts[i];
    const Channel *in = &part->in;
    const Wire *wire = part->wires;
    double *input = m->inputs + in->begin;
    int n = in->count[REAL], total = n + in->count[INTEGER] + in->count[BOOLEAN], status = 0;

    for (int j = 0; j < total; j++) {
        double value = m->values[wire[j].source];
        input[j] = wire[j].plain ? value : wire[j].gain*value + wire[j].offset;
    }
    if (n) status = part->set[REAL](part->component, in->reference, (size_t) n, input);
    if (!in->only_reals) status = write_whole_numbers(part, input, status);
    return status > WARNING ? fault(m, i, SET, status, -1) : 0;
}

static int record(Master *m) {
    for (int r = 0; r < m->n_rates; r++) {
        Rate *rate = &m->rates[r];
        if (rate->wait) continue;
        rate->wait = rate->every;
        if (rate->n_rows >= rate->capacity) return fault(m, -1, NO_CALL, 0, r);
        double *row = rate->rows + rate->n_rows*(rate->n_columns + 1);
        row[0] = time_of(m);
        for (int j = 0; j < rate->n_columns; j++) row[j + 1] = m->values[rate->column[j]];
        rate->n_rows++;
    }
    return 0;
}

/* read and record everything, before the first step */
__attribute__((visibility("default"))) int master_exchange(Master *m) {
    for (int i = 0; i < m->n_parts; i++)
        if (read_outputs(m, i)) return 1;
    return record(m);
}

/* step until the given tick; 0, or 1 with the fault noted */
__attribute__((visibility("default"))) int master_advance(Master *m, int64_t until) {
    while (m->tick < until) {
        double t = time_of(m);
        for (int i = 0; i < m->n_parts; i++) {
            Part *part = &m->parts[i];
            if (part->wait) continue;
            part->wait = part->every;
            /* nobody's outputs are read before all have stepped, so each may step as soon as its inputs are set */
            if (write_inputs(m, i)) return 1;
            int status = part->do_step(part->component, t, part->h, 1);
            if (status > WARNING) return fault(m, i, DO_STEP, status, -1);
        }
        m->tick++;
        for (int i = 0; i < m->n_parts; i++)
            if (--m->parts[i].wait == 0 && read_outputs(m, i)) return 1;
        for (int r = 0; r < m->n_rates; r++) m->rates[r].wait--;
        if (record(m)) return 1;
    }
    return 0;
}
