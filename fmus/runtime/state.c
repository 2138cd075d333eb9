/* Saved states: a header that identifies the FMU, `State`, the value array, and what lies behind it. */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

#define FORMAT 0x44524231u /* another number in the other byte order */

typedef struct {
    unsigned format;
    int kind;               /* fmi2Type */
    char guid[40];          /* cut to this length */
    unsigned long long sum; /* of all behind the header; in serialized states only */
    State state;
    double values[1]; /* N_SAVED: v without dx, then du, the guesses and the held outputs */
} Saved;

#define N_SAVED ((size_t) N_VALUES + N_BEHIND)
#define STATE_SIZE (offsetof(Saved, values) + N_SAVED*sizeof(double))

/* FNV-1a, 64 bits */
static unsigned long long check_sum(const fmi2Byte *bytes) {
    unsigned long long sum = 14695981039346656037ull;
    for (size_t i = offsetof(Saved, state); i < STATE_SIZE; i++) sum = (sum ^ (unsigned char) bytes[i])*1099511628211ull;
    return sum;
}

static Saved *allocate(const Instance *I, fmi2FMUstate *state) {
    if (!*state) *state = malloc(STATE_SIZE);
    if (!*state) report(I, fmi2Error, "%s: out of memory", model.name);
    return (Saved *) *state;
}

/* whether it was saved by an instance of this FMU and kind */
static int is_ours(const Instance *I, const char *function, const Saved *saved) {
    const char *why = saved->format != FORMAT ? "this is no state of such an FMU, or one from another kind of machine"
                      : strncmp(saved->guid, model.guid, sizeof saved->guid) ? "the state belongs to another FMU, or to another build of it"
                      : saved->kind == (int) I->kind ? NULL
                      : I->kind == fmi2ModelExchange ? "the state was saved in co-simulation, and this is model exchange"
                                                     : "the state was saved in model exchange, and this is co-simulation";
    if (why) report(I, fmi2Error, "%s: %s: %s", model.name, function, why);
    return !why;
}

/* why no instance can be in this state; null where one can */
static const char *why_impossible(const Saved *saved) {
    const State *state = &saved->state;
    int exchange = saved->kind == fmi2ModelExchange, phase = state->phase;
    if (state->time - state->time != 0.0 || state->start_time - state->start_time != 0.0) return "its time is not finite";
    if (phase < INSTANTIATED || phase > TERMINATED || (exchange ? phase == STEPPING : phase == EVENT || phase == CONTINUOUS))
        return "it is in no mode that there is";
    if (state->samples < 0 || (model.period_num && state->samples >= LLONG_MAX/model.period_num)) return "its samples are miscounted";
    return NULL;
}

/* the first of p, u, x, z, du and the guesses that is NaN, or null; outputs may be NaN, and so may parameters that are
 * still to be calculated from others */
static const char *not_a_number(const Saved *saved) {
    for (int i = 0; i < (int) N_SAVED; i++) {
        int is_output = (i >= N_VALUES - model.ny && i < N_VALUES) || i >= (int) N_SAVED - model.ny;
        int is_derived = i >= model.np - model.nd && i < model.np;
        if (is_output || (is_derived && saved->state.underived)) continue;
        /* behind the values lie input derivatives and guesses in the order of u, x and z */
        if (saved->values[i] != saved->values[i]) return model.names[i < N_VALUES ? i : i - N_VALUES + model.np];
    }
    return NULL;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    const Instance *I = (const Instance *) c;
    if (!I || !state) return fmi2Error;
    Saved *saved = allocate(I, state);
    if (!saved) return fmi2Error;
    memset(saved, 0, offsetof(Saved, values));
    saved->format = FORMAT;
    saved->kind = (int) I->kind;
    strncpy(saved->guid, model.guid, sizeof saved->guid - 1);
    memcpy(&saved->state, &I->state, sizeof(State));
    memcpy(saved->values, I->v, (size_t) N_VALUES*sizeof(double));
    memcpy(saved->values + N_VALUES, I->du, N_BEHIND*sizeof(double));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    Instance *I = (Instance *) c;
    const Saved *saved = (const Saved *) state;
    if (!I || !saved || !is_ours(I, "fmi2SetFMUstate", saved)) return fmi2Error;
    memcpy(&I->state, &saved->state, sizeof(State));
    memcpy(I->v, saved->values, (size_t) N_VALUES*sizeof(double));
    memcpy(I->du, saved->values + N_VALUES, N_BEHIND*sizeof(double));
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    (void) c;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    if (!c || !state || !size) return fmi2Error;
    *size = STATE_SIZE;
    return fmi2OK;
}

static int is_size(const Instance *I, size_t size) {
    if (size == STATE_SIZE) return 1;
    report(I, fmi2Error, "%s: a state of %lu bytes is not one of this FMU (%lu bytes)", model.name, (unsigned long) size,
           (unsigned long) STATE_SIZE);
    return 0;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    if (!c || !state || !bytes) return fmi2Error;
    if (size < STATE_SIZE) return is_size((const Instance *) c, size) ? fmi2OK : fmi2Error;
    memcpy(bytes, state, STATE_SIZE);
    unsigned long long sum = check_sum(bytes);
    memcpy(bytes + offsetof(Saved, sum), &sum, sizeof sum);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    const Instance *I = (const Instance *) c;
    const char *function = "fmi2DeSerializeFMUstate";
    if (!I || !bytes || !state || !is_size(I, size)) return fmi2Error;
    fmi2FMUstate copy = NULL; /* nothing is returned before all of it is checked */
    Saved *saved = allocate(I, &copy);
    if (!saved) return fmi2Error;
    memcpy(saved, bytes, STATE_SIZE);

    int valid = is_ours(I, function, saved);
    if (valid) {
        const char *why = saved->sum != check_sum(bytes) ? "it is damaged" : why_impossible(saved), *name = not_a_number(saved);
        valid = !why && !name;
        if (why) report(I, fmi2Error, "%s: %s: this state cannot be: %s", model.name, function, why);
        else if (name) report(I, fmi2Error, "%s: %s: this state cannot be: '%s' is not a number", model.name, function, name);
    }
    if (valid && *state) memcpy(*state, copy, STATE_SIZE);
    else if (valid) *state = copy;
    if (copy != *state) free(copy);
    return valid ? fmi2OK : fmi2Error;
}
