/* The FMI 2.0 interface over one model table: life cycle, values, and steps of co-simulation. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

/* ---- messages ---- */

static fmi2Status report(const Instance *I, fmi2Status status, const char *format, ...) {
    char text[MESSAGE_LENGTH];
    va_list args;
    if (I && I->logger) {
        const char *category = status == fmi2Warning ? "logStatusWarning" : status == fmi2Discard ? "logStatusDiscard" : "logStatusError";
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        /* the text is never the format: names may hold a percent sign */
        I->logger(I->environment, I->name, status, category, "%s", text);
    }
    return status;
}

static fmi2Status unsupported(fmi2Component c, const char *function) {
    return report((const Instance *) c, fmi2Error, "%s: %s does not support this call", model.name, function);
}

/* whether a call is made in one of these phases, by an instance of the right kind */
static int is_allowed(const Instance *I, const char *function, unsigned phases) {
    static const char *const where[] = {"before initialization", "in initialization mode", "between steps", "in event mode",
                                        "in continuous-time mode", "after termination"};
    int exchange = I && I->kind == fmi2ModelExchange;
    if (!I) return 0;
    if (phases & (exchange ? COSIMULATION : EXCHANGE))
        report(I, fmi2Error, "%s: %s is not for %s, which this instance was made for", model.name, function,
               exchange ? "model exchange" : "co-simulation");
    else if (!(phases & IN(I->state.phase)))
        report(I, fmi2Error, "%s: %s is not allowed %s", model.name, function, where[I->state.phase]);
    else
        return 1;
    return 0;
}

/* ---- life cycle ---- */

static int largest(int a, int b) { return a > b ? a : b; }

static void set_to_start(Instance *I) {
    memset(&I->state, 0, sizeof I->state);
    memcpy(I->v, model.start, (size_t) N_VALUES*sizeof(double));
    memset(I->du, 0, (size_t) model.nu*sizeof(double));
    memcpy(I->guess, I->x, (size_t) (model.nx + model.nz)*sizeof(double));
    memset(I->held, 0, (size_t) model.ny*sizeof(double));
    I->state.phase = INSTANTIATED;
    I->state.stale = I->state.underived = I->state.unset = I->state.unsolved = 1;
}

static void release(Instance *I) {
    if (!I) return;
    release_resources(I);
    free(I->v); free(I->k1); free((void *) I->arg); free(I->res); free(I->iw); free(I->w); free(I->name);
    free(I->sides); free(I->newton); free(I->pivots); free(I->stages); free(I->bounds);
    free(I->initial_outputs);
    free(I);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    const Kernel *kernels[] = {&model.ode, &model.update, &model.out, &model.jvp, &model.derive, &model.initial,
                               &model.residual, &model.jacobian, &model.guard, &model.factor, &model.solve,
                               &model.time_derivative, &model.stability_bounds, &model.initial_outputs, &model.guess};
    int arg = N_ARGUMENTS + largest(2, model.n_resources), res = 2, iw = 1, w = 1;
    int longest = largest(1, largest(model.nx, model.nz));
    (void) visible; (void) logging; /* errors are always reported, and there is nothing else to log */

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
    /* v, then du, the guesses and the held outputs, u0, then seed and change */
    I->v = calloc((size_t) N_REFERENCES + N_BEHIND + 2*(size_t) model.nu + 2*(size_t) model.nx + (size_t) model.ny + 1,
                  sizeof(double));
    I->sides = calloc(2*(size_t) model.ng + 1, sizeof(double));
    I->bounds = calloc((size_t) model.nr + 1, sizeof(double));
    I->initial_outputs = calloc((size_t) model.nb + 1, sizeof(double));
    I->newton = calloc((size_t) model.ns*((size_t) model.ns + 9) + 1, sizeof(double));
    I->pivots = calloc((size_t) model.ns + 1, sizeof(int));
    I->k1 = calloc(5*(size_t) longest, sizeof(double));
    I->stages = calloc((RODASP_STAGES + 2)*(size_t) longest + (size_t) model.nf, sizeof(double));
    I->arg = calloc((size_t) arg, sizeof(double *));
    I->res = calloc((size_t) res, sizeof(double *));
    I->iw = calloc((size_t) iw, sizeof(long long));
    I->w = calloc((size_t) w, sizeof(double));
    if (!I->name || !I->v || !I->k1 || !I->arg || !I->res || !I->iw || !I->w || !I->sides || !I->newton ||
        !I->pivots || !I->stages || !I->bounds || !I->initial_outputs) {
        report(I, fmi2Error, "%s: out of memory", model.name);
        release(I);
        return NULL;
    }
    if (type != fmi2CoSimulation && type != fmi2ModelExchange) {
        report(I, fmi2Error, "%s: the kind %d is neither model exchange nor co-simulation", model.name, (int) type);
        release(I);
        return NULL;
    }
    if (!guid || strcmp(guid, model.guid)) {
        report(I, fmi2Error, "%s: GUID %s of the model description does not belong to this binary (%s)", model.name,
               guid ? guid : "(null)", model.guid);
        release(I);
        return NULL;
    }
    if (model.n_resources && acquire_resources(I, resources)) {
        release(I);
        return NULL;
    }
    I->kind = type;
    I->p = I->v;
    I->u = I->p + model.np;
    I->x = I->u + model.nu;
    I->z = I->x + model.nx;
    I->y = I->z + model.nz;
    I->dx = I->y + model.ny;
    I->du = I->dx + model.nx;
    I->guess = I->du + model.nu;
    I->held = I->guess + model.nx + model.nz;
    I->u0 = I->held + model.ny;
    I->seed = I->u0 + model.nu;
    I->change = I->seed + model.nx + model.nu;
    I->k2 = I->k1 + longest;
    I->k3 = I->k2 + longest;
    I->k4 = I->k3 + longest;
    I->probe = I->k4 + longest;
    I->right = I->stages + RODASP_STAGES*longest;
    I->relative_pivots = I->right + longest;
    I->factors = I->relative_pivots + longest;
    set_to_start(I);
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
    if (initialize(I, 1) || check_states(I, t)) return fmi2Error;
    int failed = model.period_num ? first_sample(I) : check_guards(I, t);
    if (failed == REPORTED) return fmi2Error;
    if (failed) return report(I, fmi2Error, "%s: the equations failed at the start", model.name);
    if (model.nb) I->state.stale = 1;
    I->state.phase = I->kind == fmi2ModelExchange ? EVENT : STEPPING;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c) {
    Instance *I = (Instance *) c;
    if (!is_allowed(I, "fmi2Terminate", IN(STEPPING) | IN(EVENT) | IN(CONTINUOUS))) return fmi2Error;
    I->state.phase = TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c) {
    if (!c) return fmi2Error;
    set_to_start((Instance *) c);
    return fmi2OK;
}

/* ---- values ---- */

static int is_variable(const Instance *I, fmi2ValueReference vr, char type, const char *function) {
    if (vr < (fmi2ValueReference) N_REFERENCES && model.type[vr] == type) return 1;
    report(I, fmi2Error, "%s: %s: value reference %u is no variable of this type", model.name, function, (unsigned) vr);
    return 0;
}

/* 1 to store the value, 0 to ignore it, -1 to refuse it */
static int may_set(const Instance *I, fmi2ValueReference vr) {
    int phase = I->state.phase;
    int state = (int) vr - model.np - model.nu;
    if (phase == TERMINATED) return -1;
    /* an importer may set continuous states one by one where it may set them all */
    if (phase == CONTINUOUS && state >= 0 && state < model.nx) return 1;
    switch (model.access[vr]) {
        case INPUT: return phase == CONTINUOUS && model.type[vr] != 'r' ? -1 : 1;
        case TUNABLE: return phase == CONTINUOUS ? -1 : 1;
        case CALCULATED: return phase >= STEPPING ? -1 : 0; /* some importers write start values of outputs */
        default: return phase >= STEPPING ? -1 : 1;
    }
}

/* NaN, infinity and numbers that are too large are neither integers nor Booleans */
static int is_whole(double value) { return value >= INTEGER_RANGE[0] && value < INTEGER_RANGE[1]; }

#define GETTER(NAME, CTYPE, CODE, CONVERT)                                                                      \
    fmi2Status NAME(fmi2Component c, const fmi2ValueReference vr[], size_t n, CTYPE value[]) {                  \
        Instance *I = (Instance *) c;                                                                           \
        int rates = 0; /* derivatives of states are computed in each call that reads them */                    \
        if (!I || (n && (!vr || !value))) return fmi2Error;                                                     \
        int failed = refresh(I, vr, n);                                                                         \
        if (failed == REPORTED) return fmi2Error;                                                               \
        if (failed) return report(I, fmi2Error, "%s: the equations of the outputs failed", model.name);         \
        for (size_t i = 0; i < n; i++) {                                                                        \
            if (!is_variable(I, vr[i], CODE, #NAME)) return fmi2Error;                                          \
            if (vr[i] >= (fmi2ValueReference) N_VALUES && !rates++                                              \
                && call_kernel(I, &model.ode, I->state.time, I->x, I->dx))                                      \
                return report(I, fmi2Error, "%s: the equations of the derivatives failed", model.name);         \
            double now = visible_value(I, vr[i]);                                                               \
            if (CODE != 'r' && !is_whole(now))                                                                  \
                return report(I, fmi2Error, "%s: '%s' is %g, not a whole number in range", model.name,          \
                              model.names[vr[i]], now);                                                         \
            value[i] = CONVERT(now);                                                                            \
        }                                                                                                       \
        return fmi2OK;                                                                                          \
    }

#define SETTER(NAME, CTYPE, CODE, CONVERT)                                                                      \
    fmi2Status NAME(fmi2Component c, const fmi2ValueReference vr[], size_t n, const CTYPE value[]) {            \
        Instance *I = (Instance *) c;                                                                           \
        if (!I || (n && (!vr || !value))) return fmi2Error;                                                     \
        for (size_t i = 0; i < n; i++) {                                                                        \
            if (!is_variable(I, vr[i], CODE, #NAME)) return fmi2Error;                                          \
            int allowed = may_set(I, vr[i]);                                                                    \
            if (allowed < 0)                                                                                    \
                return report(I, fmi2Error, "%s: '%s' cannot be set %s", model.name, model.names[vr[i]],        \
                              I->state.phase == CONTINUOUS ? "in continuous-time mode" : "after initialization");\
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
    if (!is_allowed(I, "fmi2DoStep", COSIMULATION | IN(STEPPING))) return fmi2Error;
    if (!(h > 0.0) || t - t != 0.0 || h - h != 0.0)
        return report(I, fmi2Error, "%s: fmi2DoStep from %g s by %g s; the step must be positive", model.name, t, h);
    int failed = derive(I);
    if (!failed) failed = model.period_num ? run_samples(I, t + h, h) : integrate(I, t, h);
    if (!failed) failed = check_states(I, t + h);
    if (failed == REPORTED) return fmi2Error;
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
    if (c && !is_allowed((Instance *) c, "fmi2GetRealStatus", COSIMULATION | ANY_PHASE)) return fmi2Error;
    if (!c || kind != fmi2LastSuccessfulTime || !value) return unsupported(c, "fmi2GetRealStatus");
    *value = ((Instance *) c)->state.time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
    (void) kind; (void) value;
    return unsupported(c, "fmi2GetIntegerStatus");
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    if (c && !is_allowed((Instance *) c, "fmi2GetBooleanStatus", COSIMULATION | ANY_PHASE)) return fmi2Error;
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
    if (n && !is_allowed(I, function, COSIMULATION | IN(INSTANTIATED) | IN(INITIALIZING) | IN(STEPPING))) return fmi2Error;
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
        I->state.inputs_move = 1;
    }
    return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
                                        fmi2Real value[]) {
    (void) vr; (void) order; (void) value;
    return n ? unsupported(c, "fmi2GetRealOutputDerivatives") : fmi2OK;
}

/* ---- about the FMU ---- */

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean logging, size_t n, const fmi2String categories[]) {
    (void) logging; (void) n; (void) categories;
    return c ? fmi2OK : fmi2Error;
}
