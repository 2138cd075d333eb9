/* The FMI 2.0 co-simulation interface over one model table. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

/* ---- messages ---- */

static fmi2Status report(const Instance *I, fmi2Status status, const char *format, ...) {
    char text[512];
    va_list args;
    if (I && I->logger) {
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        /* the text is never the format: names may hold a percent sign */
        I->logger(I->environment, I->name, status, status == fmi2Warning ? "logStatusWarning" : "logStatusError", "%s", text);
    }
    return status;
}

static fmi2Status unsupported(fmi2Component c, const char *function) {
    return report((const Instance *) c, fmi2Error, "%s: %s does not support this call", model.name, function);
}

/* ---- life of an instance ---- */

static int largest(int a, int b) { return a > b ? a : b; }

static void to_start(Instance *I) {
    memset(&I->state, 0, sizeof I->state);
    memcpy(I->v, model.start, (size_t) N_VALUES*sizeof(double));
    memset(I->du, 0, (size_t) model.nu*sizeof(double));
    memcpy(I->guess, I->x, (size_t) (model.nx + model.nz)*sizeof(double));
    I->state.phase = INSTANTIATED;
    I->state.stale = I->state.underived = I->state.unset = I->state.unsolved = 1;
}

static void release(Instance *I) {
    if (!I) return;
    give_resources_back(I);
    free(I->v); free(I->k1); free((void *) I->arg); free(I->res); free(I->iw); free(I->w); free(I->name);
    free(I->sides); free(I->newton); free(I->pivots);
    free(I);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    const Kernel *kernels[] = {&model.ode, &model.update, &model.out, &model.derive, &model.initial, &model.residual,
                               &model.jacobian, &model.guard};
    int arg = 5 + model.n_resources, res = 1, iw = 1, w = 1, longest = largest(1, largest(model.nx, model.nz));
    (void) visible; (void) logging; /* errors are always worth a message, and there is nothing else to log */

    Instance *I = calloc(1, sizeof(Instance));
    if (!I) return NULL;
    I->name = malloc(strlen(name ? name : "") + 1);
    I->logger = callbacks ? callbacks->logger : NULL;
    I->environment = callbacks ? callbacks->componentEnvironment : NULL;
    if (I->name) strcpy(I->name, name ? name : "");

    for (size_t i = 0; i < sizeof kernels/sizeof *kernels; i++) {
        arg = largest(arg, kernels[i]->arg);
        res = largest(res, kernels[i]->res);
        iw = largest(iw, kernels[i]->iw);
        w = largest(w, kernels[i]->w);
    }
    I->v = calloc(N_NUMBERS + (size_t) model.nu + 1, sizeof(double));
    I->sides = calloc(2*(size_t) model.ng + 1, sizeof(double));
    I->newton = calloc((size_t) model.ns*((size_t) model.ns + 7) + 1, sizeof(double));
    I->pivots = calloc((size_t) model.ns + 1, sizeof(int));
    I->k1 = calloc(5*(size_t) longest, sizeof(double));
    I->arg = calloc((size_t) arg, sizeof(double *));
    I->res = calloc((size_t) res, sizeof(double *));
    I->iw = calloc((size_t) iw, sizeof(long long));
    I->w = calloc((size_t) w, sizeof(double));
    if (!I->name || !I->v || !I->k1 || !I->arg || !I->res || !I->iw || !I->w || !I->sides || !I->newton ||
        !I->pivots) {
        report(I, fmi2Error, "%s: out of memory", model.name);
        release(I);
        return NULL;
    }
    if (type != fmi2CoSimulation) {
        report(I, fmi2Error, "%s: this FMU is for co-simulation", model.name);
        release(I);
        return NULL;
    }
    if (!guid || strcmp(guid, model.guid)) {
        report(I, fmi2Error, "%s: GUID %s of the model description does not belong to this binary (%s)", model.name,
               guid ? guid : "(null)", model.guid);
        release(I);
        return NULL;
    }
    if (model.n_resources && take_resources(I, resources)) {
        release(I);
        return NULL;
    }
    I->p = I->v;
    I->u = I->p + model.np;
    I->x = I->u + model.nu;
    I->z = I->x + model.nx;
    I->y = I->z + model.nz;
    I->du = I->y + model.ny;
    I->guess = I->du + model.nu;
    I->u0 = I->guess + model.nx + model.nz;
    I->k2 = I->k1 + longest;
    I->k3 = I->k2 + longest;
    I->k4 = I->k3 + longest;
    I->probe = I->k4 + longest;
    to_start(I);
    return I;
}

void fmi2FreeInstance(fmi2Component c) { release((Instance *) c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start_time,
                               fmi2Boolean stop_defined, fmi2Real stop_time) {
    Instance *I = (Instance *) c;
    (void) tolerance_defined; (void) tolerance; (void) stop_defined; (void) stop_time;
    if (!I) return fmi2Error;
    if (I->state.phase != INSTANTIATED)
        return report(I, fmi2Error, "%s: fmi2SetupExperiment comes before initialization", model.name);
    I->state.start_time = I->state.time = start_time;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    Instance *I = (Instance *) c;
    if (!I) return fmi2Error;
    if (I->state.phase != INSTANTIATED)
        return report(I, fmi2Error, "%s: fmi2EnterInitializationMode called twice", model.name);
    I->state.phase = INITIALIZING;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    Instance *I = (Instance *) c;
    if (!I) return fmi2Error;
    if (I->state.phase != INITIALIZING)
        return report(I, fmi2Error, "%s: fmi2ExitInitializationMode outside initialization", model.name);
    double t = I->state.start_time;
    if (begin(I, 1) || check_states(I, t)) return fmi2Error;
    int failed = model.period_num ? first_sample(I) : check_guards(I, t);
    if (failed == TOLD) return fmi2Error;
    if (failed) return report(I, fmi2Error, "%s: the equations failed at the start", model.name);
    I->state.phase = STEPPING;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c) {
    Instance *I = (Instance *) c;
    if (!I) return fmi2Error;
    I->state.phase = TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c) {
    if (!c) return fmi2Error;
    to_start((Instance *) c);
    return fmi2OK;
}

/* ---- values ---- */

static int is_variable(const Instance *I, fmi2ValueReference vr, char type, const char *function) {
    if (vr < (fmi2ValueReference) N_VALUES && model.type[vr] == type) return 1;
    report(I, fmi2Error, "%s: %s: value reference %u is no variable of this type", model.name, function, (unsigned) vr);
    return 0;
}

/* 1 to store the value, 0 to ignore it, -1 to refuse it */
static int may_set(const Instance *I, fmi2ValueReference vr) {
    if (I->state.phase == TERMINATED) return -1;
    switch (model.access[vr]) {
        case INPUT: case TUNABLE: return 1;
        case CALCULATED: return I->state.phase == STEPPING ? -1 : 0; /* some importers write start values of outputs */
        default: return I->state.phase == STEPPING ? -1 : 1;
    }
}

/* NaN, infinity and numbers too large are no integer and no truth value */
static int is_whole(double value) { return fabs(value) < 2147483647.5; }

#define GETTER(NAME, CTYPE, CODE, CONVERT)                                                                  \
    fmi2Status NAME(fmi2Component c, const fmi2ValueReference vr[], size_t n, CTYPE value[]) {              \
        Instance *I = (Instance *) c;                                                                       \
        if (!I || (n && (!vr || !value))) return fmi2Error;                                                 \
        int failed = refresh(I, vr, n);                                                                     \
        if (failed == TOLD) return fmi2Error;                                                               \
        if (failed) return report(I, fmi2Error, "%s: the equations of the outputs failed", model.name);     \
        for (size_t i = 0; i < n; i++) {                                                                    \
            if (!is_variable(I, vr[i], CODE, #NAME)) return fmi2Error;                                      \
            if (CODE != 'r' && !is_whole(I->v[vr[i]]))                                                      \
                return report(I, fmi2Error, "%s: '%s' is %g, not a whole number in range", model.name,      \
                              model.names[vr[i]], I->v[vr[i]]);                                             \
            value[i] = CONVERT(I->v[vr[i]]);                                                                \
        }                                                                                                   \
        return fmi2OK;                                                                                      \
    }

#define SETTER(NAME, CTYPE, CODE, CONVERT)                                                                      \
    fmi2Status NAME(fmi2Component c, const fmi2ValueReference vr[], size_t n, const CTYPE value[]) {            \
        Instance *I = (Instance *) c;                                                                           \
        if (!I || (n && (!vr || !value))) return fmi2Error;                                                     \
        for (size_t i = 0; i < n; i++) {                                                                        \
            if (!is_variable(I, vr[i], CODE, #NAME)) return fmi2Error;                                          \
            int allowed = may_set(I, vr[i]);                                                                    \
            if (allowed < 0)                                                                                    \
                return report(I, fmi2Error, "%s: '%s' cannot be set after initialization", model.name, model.names[vr[i]]); \
            if (allowed) store(I, vr[i], CONVERT(value[i]));                                                    \
        }                                                                                                       \
        return fmi2OK;                                                                                          \
    }

#define AS_IT_IS(value) (value)
#define TO_INTEGER(value) ((fmi2Integer) floor((value) + 0.5))
#define TO_BOOLEAN(value) ((value) != 0.0 ? fmi2True : fmi2False)

GETTER(fmi2GetReal, fmi2Real, 'r', AS_IT_IS)
GETTER(fmi2GetInteger, fmi2Integer, 'i', TO_INTEGER)
GETTER(fmi2GetBoolean, fmi2Boolean, 'b', TO_BOOLEAN)
SETTER(fmi2SetReal, fmi2Real, 'r', AS_IT_IS)
SETTER(fmi2SetInteger, fmi2Integer, 'i', (double))
SETTER(fmi2SetBoolean, fmi2Boolean, 'b', (double) TO_BOOLEAN)

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[]) {
    (void) vr; (void) value;
    return n ? unsupported(c, "fmi2GetString") : fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[]) {
    (void) vr; (void) value;
    return n ? unsupported(c, "fmi2SetString") : fmi2OK;
}

/* ---- stepping ---- */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set_before) {
    Instance *I = (Instance *) c;
    (void) no_set_before;
    if (!I) return fmi2Error;
    if (I->state.phase != STEPPING) return report(I, fmi2Error, "%s: fmi2DoStep outside a simulation", model.name);
    if (!(h > 0.0) || t - t != 0.0 || h - h != 0.0)
        return report(I, fmi2Error, "%s: fmi2DoStep from %g s by %g s; the step must be positive", model.name, t, h);
    int failed = derive(I);
    if (!failed) failed = model.period_num ? run_samples(I, t + h, h) : integrate(I, t, h);
    if (!failed) failed = check_states(I, t + h);
    if (failed == TOLD) return fmi2Error;
    if (failed) return report(I, fmi2Error, "%s: the equations failed between %g and %g s", model.name, t, t + h);
    I->state.time = t + h;
    return fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component c) { return unsupported(c, "fmi2CancelStep"); }

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
    (void) kind; (void) value;
    return unsupported(c, "fmi2GetStatus");
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    if (!c || kind != fmi2LastSuccessfulTime || !value) return unsupported(c, "fmi2GetRealStatus");
    *value = ((Instance *) c)->state.time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
    (void) kind; (void) value;
    return unsupported(c, "fmi2GetIntegerStatus");
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    if (!c || kind != fmi2Terminated || !value) return unsupported(c, "fmi2GetBooleanStatus");
    *value = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
    (void) kind; (void) value;
    return unsupported(c, "fmi2GetStringStatus");
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
                                       const fmi2Real value[]) {
    Instance *I = (Instance *) c;
    const char *function = "fmi2SetRealInputDerivatives";
    if (!I || (n && (!vr || !order || !value))) return fmi2Error;
    if (n && I->state.phase == TERMINATED) return report(I, fmi2Error, "%s: %s after the simulation", model.name, function);
    for (size_t i = 0; i < n; i++) {
        if (!is_variable(I, vr[i], 'r', function)) return fmi2Error;
        if (model.access[vr[i]] != INPUT)
            return report(I, fmi2Error, "%s: %s: '%s' is no input", model.name, function, model.names[vr[i]]);
        if (model.period_num)
            return report(I, fmi2Error, "%s: %s: '%s' is read at samples only; set its value", model.name, function,
                          model.names[vr[i]]);
        if (order[i] != 1)
            return report(I, fmi2Error, "%s: %s: order %d of '%s'; only order 1 is taken", model.name, function, (int) order[i],
                          model.names[vr[i]]);
        I->du[vr[i] - (fmi2ValueReference) model.np] = value[i];
        I->state.sloped = 1;
    }
    return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
                                        fmi2Real value[]) {
    (void) vr; (void) order; (void) value;
    return n ? unsupported(c, "fmi2GetRealOutputDerivatives") : fmi2OK;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t n_unknown,
                                        const fmi2ValueReference known[], size_t n_known, const fmi2Real dv_known[],
                                        fmi2Real dv_unknown[]) {
    (void) unknown; (void) n_unknown; (void) known; (void) n_known; (void) dv_known; (void) dv_unknown;
    return unsupported(c, "fmi2GetDirectionalDerivative");
}

/* ---- the state of an instance: State, then the value array, the slopes of the inputs, the guesses of the states ---- */

#define NUMBERS (N_NUMBERS*sizeof(double))
#define STATE_SIZE (sizeof(State) + NUMBERS)

static void copy_out(const Instance *I, char *to) {
    memcpy(to, &I->state, sizeof(State));
    memcpy(to + sizeof(State), I->v, NUMBERS);
}

static void copy_in(Instance *I, const char *from) {
    memcpy(&I->state, from, sizeof(State));
    memcpy(I->v, from + sizeof(State), NUMBERS);
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    if (!c || !state) return fmi2Error;
    if (!*state) *state = malloc(STATE_SIZE);
    if (!*state) return report((Instance *) c, fmi2Error, "%s: out of memory", model.name);
    copy_out((Instance *) c, (char *) *state);
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    if (!c || !state) return fmi2Error;
    copy_in((Instance *) c, (const char *) state);
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

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    if (!c || !state || !bytes || size < STATE_SIZE) return fmi2Error;
    memcpy(bytes, state, STATE_SIZE);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    if (!c || !bytes || !state) return fmi2Error;
    if (size != STATE_SIZE)
        return report((Instance *) c, fmi2Error, "%s: a state of %lu bytes is not one of this FMU (%lu bytes)", model.name,
                      (unsigned long) size, (unsigned long) STATE_SIZE);
    if (!*state) *state = malloc(STATE_SIZE);
    if (!*state) return report((Instance *) c, fmi2Error, "%s: out of memory", model.name);
    memcpy(*state, bytes, STATE_SIZE);
    return fmi2OK;
}

/* ---- about the FMU ---- */

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean logging, size_t n, const fmi2String categories[]) {
    (void) logging; (void) n; (void) categories;
    return c ? fmi2OK : fmi2Error;
}
