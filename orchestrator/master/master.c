/* The master's inner loop: a static schedule of set, doStep, get and record over FMUs of FMI 2.0, without Python.
 * reference.py is the same schedule in Python; the two give equal rows. coupling.py decides the kind of each connection.
 * Compiled at first use with the runtime's flags. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "master.h"
#include "event_detection.c"
#include "input_extrapolation.c"
#include "part_timing.c"
#include "master_layout.c"

static int fault(Master *m, int part, enum Call call, int status, int value) {
    m->fault_part = part;
    m->fault_call = call;
    m->fault_status = status;
    m->fault_value = value;
    m->fault_tick = m->tick;
    return 1;
}

static double time_of(const Master *m) {
    return m->start_time + (double) (m->tick*m->numerator)/(double) m->denominator;
}

static void set_current_call(Master *m, int part, enum Call call) {
    m->current_call->part = part;
    m->current_call->call = call;
}

/* a warning is counted and the run goes on; a worse status ends it */
static int check_status(Master *m, int part, enum Call call, int status) {
    if (status == WARNING) m->parts[part].warnings++;
    return status > WARNING ? fault(m, part, call, status, -1) : 0;
}

/* ---- outputs ---- */

static int read_whole_numbers(const Part *part, const Channel *out, double *values, int status) {
    int32_t *scratch = out->scratch;
    for (int type = INTEGER; type < N_TYPES; type++) {
        int k = out->count[type];
        if (!k) continue;
        int s = part->get[type](part->component, out->reference[type], (size_t) k, scratch);
        if (s > status) status = s;
        for (int j = 0; j < k; j++) values[out->begin[type] + j] = scratch[j];
    }
    return status;
}

static int check_finite(Master *m, int i, const double *values, int begin, int n) {
    /* for infinity and NaN the difference with themselves is not zero */
    for (int j = begin; j < begin + n; j++)
        if (values[j] - values[j] != 0.0) {
            m->values[j] = values[j]; /* for the message */
            return fault(m, i, NOT_FINITE, 0, j);
        }
    return 0;
}

static int read_channel(Master *m, int i, const Channel *out, double *values) {
    const Part *part = &m->parts[i];
    int begin = out->begin[REAL], n = out->count[REAL], status = 0;

    set_current_call(m, i, GET);
    if (n) status = part->get[REAL](part->component, out->reference[REAL], (size_t) n, values + begin);
    if (!out->only_reals) status = read_whole_numbers(part, out, values, status);
    if (status && check_status(m, i, GET, status)) return 1;
    return check_finite(m, i, values, begin, n);
}

/* ---- inputs ---- */

static int write_whole_numbers(const Part *part, const double *inputs, int status) {
    const Channel *in = &part->in;
    int32_t *scratch = in->scratch;
    for (int type = INTEGER; type < N_TYPES; type++) {
        int k = in->count[type];
        if (!k) continue;
        for (int j = 0; j < k; j++) scratch[j] = (int32_t) floor(inputs[in->begin[type] + j] + 0.5);
        int s = part->set[type](part->component, in->reference[type], (size_t) k, scratch);
        if (s > status) status = s;
    }
    return status;
}

/* set the inputs of a part from the array of inputs */
static int set_inputs(Master *m, int i) {
    Part *part = &m->parts[i];
    const Channel *in = &part->in;
    int n = in->count[REAL], status = 0;

    set_current_call(m, i, SET);
    if (n) status = part->set[REAL](part->component, in->reference[REAL], (size_t) n, m->inputs + in->begin[REAL]);
    if (!in->only_reals) status = write_whole_numbers(part, m->inputs, status);
    return status ? check_status(m, i, SET, status) : 0;
}

static int send_inputs(Master *m, int i) {
    Part *part = &m->parts[i];
    const Channel *in = &part->in;
    double *input = m->inputs + in->begin[REAL];
    int total = in->count[REAL] + in->count[INTEGER] + in->count[BOOLEAN];

    for (int j = 0; j < total; j++) input[j] = input_value(m, part, &part->connections[j]);
    if (set_inputs(m, i)) return 1;
    if (!part->n_derivatives) return 0;
    set_current_call(m, i, SET_DERIVATIVES);
    int status = part->set_derivatives(part->component, part->derivative_reference, (size_t) part->n_derivatives,
                                       part->derivative_order, part->derivative);
    return status ? check_status(m, i, SET_DERIVATIVES, status) : 0;
}

/* ---- after the exchange ---- */

/* set the exchanged inputs and read the outputs that depend on them: for FMUs that allow a read after a set */
static int set_and_read(Master *m, const FreshRead *fresh) {
    Part *part = &m->parts[fresh->part];
    const Channel *in = &part->in;
    double *input = m->inputs + in->begin[REAL];
    int total = in->count[REAL] + in->count[INTEGER] + in->count[BOOLEAN];
    for (int j = 0; j < total; j++) input[j] = scaled(&part->connections[j], m->values[part->connections[j].source]);
    return set_inputs(m, fresh->part) || read_channel(m, fresh->part, &fresh->out, m->values);
}

/* correct outputs for the difference between exchanged inputs and those at the end of the step: for other FMUs */
static int correct_outputs(Master *m, const FreshRead *fresh) {
    Part *part = &m->parts[fresh->part];
    const Channel *in = &part->in, *out = &fresh->out;
    const double *input = m->inputs + in->begin[REAL];
    int n = in->count[REAL], k = out->count[REAL], status;
    double *value = m->values + out->begin[REAL];
    for (int j = 0; j < n; j++) {
        const Connection *c = &part->connections[j];
        double ended = c->slot < 0 ? input[j] : input[j] + part->derivative[c->slot]*part->h;
        fresh->seed[j] = scaled(c, m->values[c->source]) - ended;
    }
    set_current_call(m, fresh->part, DERIVATIVE);
    status = part->directional(part->component, out->reference[REAL], (size_t) k, in->reference[REAL], (size_t) n,
                               fresh->seed, fresh->change);
    if (status && check_status(m, fresh->part, DERIVATIVE, status)) return 1;
    for (int j = 0; j < k; j++) value[j] += fresh->change[j];
    return check_finite(m, fresh->part, m->values, out->begin[REAL], k);
}

/* after `elapsed` ticks: outputs of parts that have completed a step, then outputs that depend on exchanged inputs */
static int exchange(Master *m, int elapsed) {
    for (int j = 0; j < m->n_table; j++)
        m->values[m->table_begin + j] = m->table[2*(m->tick - m->table_tick)*m->n_table + j];
    for (int i = 0; i < m->n_parts; i++) {
        Part *part = &m->parts[i];
        part->due_in -= elapsed;
        if (part->due_in) continue;
        if (part->ahead) {
            int n = part->out.count[REAL] + part->out.count[INTEGER] + part->out.count[BOOLEAN];
            for (int j = part->out.begin[REAL]; j < part->out.begin[REAL] + n; j++) m->values[j] = m->newest[j];
            part->ahead = 0;
            continue;
        }
        double began = begin_timing(&part->timing);
        if (read_channel(m, i, &part->out, m->values)) return 1;
        end_timing(&part->timing, began);
    }
    for (int k = 0; k < m->n_fresh_reads; k++) {
        const FreshRead *fresh = &m->fresh_reads[k];
        Part *part = &m->parts[fresh->part];
        if (part->due_in) continue;
        double began = begin_timing(&part->timing);
        /* before the first step the outputs of an FMU follow from its present inputs */
        if (fresh->method == SET_AND_READ ? set_and_read(m, fresh) : m->tick ? correct_outputs(m, fresh) : 0) return 1;
        end_timing(&part->timing, began);
    }
    detect_events(m);
    return 0;
}

static int record(Master *m, int elapsed) {
    for (int r = 0; r < m->n_rates; r++) {
        Rate *rate = &m->rates[r];
        rate->due_in -= elapsed;
        if (rate->due_in) continue;
        rate->due_in = rate->period_ticks;
        if (*rate->n_rows >= rate->capacity) return fault(m, -1, NO_CALL, 0, r);
        double *row = rate->rows + *rate->n_rows*(rate->n_columns + 1);
        row[0] = time_of(m);
        for (int j = 0; j < rate->n_columns; j++) row[j + 1] = m->values[rate->column[j]];
        ++*rate->n_rows; /* last, so that a row counts only when it is complete */
    }
    return 0;
}

/* read and record everything, before the first step */
__attribute__((visibility("default"))) int master_exchange(Master *m) {
    int failed = exchange(m, 0) || record(m, 0);
    set_current_call(m, -1, NO_CALL);
    return failed;
}

static int step_part(Master *m, int i, double t) {
    Part *part = &m->parts[i];
    choose_timing(&part->timing, part->steps);
    double began = begin_timing(&part->timing);
    int status;

    if (send_inputs(m, i)) return 1;
    set_current_call(m, i, DO_STEP);
    status = part->do_step(part->component, t, part->h, 1);
    if (status && check_status(m, i, DO_STEP, status)) return 1;
    part->due_in = part->period_ticks;
    if (part->read_early) {
        if (read_channel(m, i, &part->out, m->newest)) {
            m->fault_tick += part->period_ticks; /* the part has reached the end of its step already */
            return 1;
        }
        part->ahead = 1;
        part->jumped = has_jumped(m, part);
    }
    end_timing(&part->timing, began);
    part->steps++;
    return 0;
}

/* step until the given tick; 0, or 1 with the fault noted */
__attribute__((visibility("default"))) int master_advance(Master *m, int64_t until) {
    int failed = 0;
    while (m->tick < until && !failed) {
        double t = time_of(m);
        m->current_call->tick = m->tick;
        /* values remain those of this tick while parts step, so each may step as soon as its inputs are set */
        for (int i = 0; i < m->n_parts && !failed; i++)
            if (!m->parts[i].due_in) failed = step_part(m, i, t);
        if (failed) break;
        m->current_call->tick = ++m->tick;
        failed = exchange(m, 1) || record(m, 1);
    }
    set_current_call(m, -1, NO_CALL);
    return failed;
}

/* a parameter or input of part i was changed from outside: outputs that depend on it directly are read again, but not
 * recorded again; the history of all sources is discarded, and once more where the change shows only after a step */
__attribute__((visibility("default"))) int master_changed(Master *m, int i) {
    int failed = m->parts[i].fresh_read && !m->parts[i].due_in && read_channel(m, i, &m->parts[i].out, m->values);
    for (int k = 0; k < m->n_fresh_reads && !failed; k++) {
        const FreshRead *fresh = &m->fresh_reads[k];
        if (fresh->method == SET_AND_READ && !m->parts[fresh->part].due_in) failed = set_and_read(m, fresh);
    }
    for (int j = 0; j < m->n_parts; j++) m->parts[j].epoch++;
    for (int k = 0; k < m->n_delayed_events; k++) m->delayed_events[k].pending = DELAYED_STEPS;
    set_current_call(m, -1, NO_CALL);
    return failed;
}
