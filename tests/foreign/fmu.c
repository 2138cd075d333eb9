/* FMI 2.0 co-simulation around the hooks of fmu.h: states of the instance, types, and who may be set when. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

static int instances;

void log_message(const Instance *instance, fmi2Status status, const char *category, const char *format, ...) {
    char text[512];
    va_list arguments;
    if (!instance->logger) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    instance->logger(instance->environment, instance->name, status, category, "%s", text);
}

static fmi2Status refuse(const Instance *instance, const char *what) {
    log_message(instance, fmi2Error, "logStatusError", "%s", what);
    return fmi2Error;
}

static void restart(Instance *instance) {
    instance->mode = INSTANTIATED;
    instance->time = 0.0;
    instance->only_step = ONE_STEP ? STEP_SIZE : 0.0;
    memcpy(instance->v, starts, sizeof instance->v);
    memset(instance->du, 0, sizeof instance->du);
    memset(instance->work, 0, sizeof instance->work);
}

/* creation and the states of an instance */

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    Instance *instance = calloc(1, sizeof(Instance));
    (void) resources, (void) visible, (void) logging;
    if (!instance) return NULL;
    if (callbacks) instance->logger = callbacks->logger, instance->environment = callbacks->componentEnvironment;
    snprintf(instance->name, sizeof instance->name, "%s", name ? name : "");
    restart(instance);
    const char *fault = NULL;
    if (type != fmi2CoSimulation) fault = "co-simulation only";
    else if (!guid || strcmp(guid, GUID)) fault = "the GUID is another one";
    else if (ONCE && instances) fault = "there is an instance already, and one is all this FMU allows";
    if (fault) {
        refuse(instance, fault);
        free(instance);
        return NULL;
    }
    instances++;
    return instance;
}

void fmi2FreeInstance(fmi2Component c) {
    if (!c) return;
    on_call(c, FREE, NULL, 0);
    instances--;
    free(c);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    (void) c, (void) on, (void) n, (void) categories;
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_given, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_given, fmi2Real stop) {
    Instance *instance = c;
    (void) tolerance_given, (void) tolerance, (void) stop_given, (void) stop;
    if (instance->mode != INSTANTIATED) return refuse(instance, "fmi2SetupExperiment comes right after fmi2Instantiate");
    instance->time = start;
    return fmi2OK;
}

static fmi2Status change(Instance *instance, Call call, Mode from, Mode to, const char *fault) {
    fmi2Status status = on_call(instance, call, NULL, 0);
    if (status > fmi2Warning) return status;
    if (instance->mode != from && !(to == TERMINATED && instance->mode == FAILED)) return refuse(instance, fault);
    instance->mode = to;
    return status;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    return change(c, ENTER, INSTANTIATED, INITIALIZING, "initialization mode is entered once");
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    return change(c, EXIT, INITIALIZING, STEPPING, "initialization mode was not entered");
}

fmi2Status fmi2Terminate(fmi2Component c) {
    return change(c, TERMINATE, STEPPING, TERMINATED, "only what is stepping can be terminated");
}

fmi2Status fmi2Reset(fmi2Component c) {
    restart(c);
    return fmi2OK;
}

/* variables */

static fmi2Status known(const Instance *instance, const fmi2ValueReference *references, size_t n, char type) {
    for (size_t i = 0; i < n; i++)
        if (references[i] >= N_VARIABLES || types[references[i]] != type)
            return refuse(instance, "a value reference is unknown, or of another type");
    return fmi2OK;
}

static fmi2Status reading(Instance *instance, const fmi2ValueReference *references, size_t n, char type) {
    fmi2Status status = known(instance, references, n, type);
    return status > fmi2Warning ? status : on_call(instance, GET, references, n);
}

static fmi2Status writing(Instance *instance, const fmi2ValueReference *references, size_t n, char type) {
    fmi2Status status = known(instance, references, n, type);
    if (status <= fmi2Warning) status = on_call(instance, SET, references, n);
    if (status > fmi2Warning) return status;
    /* inputs and tunable parameters at any time, what is exact until it steps, results never */
    const char *allowed = instance->mode == STEPPING ? "it" : instance->mode < STEPPING ? "itfx" : "";
    for (size_t i = 0; i < n; i++)
        if (!strchr(allowed, kinds[references[i]])) return refuse(instance, "this variable cannot be set now");
    return status;
}

#define EXCHANGE(NAME, TYPE, LETTER)                                                                             \
    fmi2Status fmi2Get##NAME(fmi2Component c, const fmi2ValueReference references[], size_t n, TYPE values[]) {   \
        fmi2Status status = reading(c, references, n, LETTER);                                                    \
        for (size_t i = 0; i < n && status <= fmi2Warning; i++) values[i] = (TYPE) value(c, references[i]);       \
        return status;                                                                                            \
    }                                                                                                             \
    fmi2Status fmi2Set##NAME(fmi2Component c, const fmi2ValueReference references[], size_t n,                    \
                             const TYPE values[]) {                                                               \
        fmi2Status status = writing(c, references, n, LETTER);                                                    \
        for (size_t i = 0; i < n && status <= fmi2Warning; i++) ((Instance *) c)->v[references[i]] = values[i];       \
        return status;                                                                                            \
    }

EXCHANGE(Real, fmi2Real, 'R')
EXCHANGE(Integer, fmi2Integer, 'I')
EXCHANGE(Boolean, fmi2Boolean, 'B')

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference references[], size_t n, fmi2String values[]) {
    (void) values;
    return reading(c, references, n, 'S');
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference references[], size_t n, const fmi2String values[]) {
    (void) values;
    return writing(c, references, n, 'S');
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t n,
                                       const fmi2Integer orders[], const fmi2Real values[]) {
    Instance *instance = c;
    if (!INTERPOLATES) return refuse(instance, "no derivatives of inputs are taken here");
    fmi2Status status = known(instance, references, n, 'R');
    if (status <= fmi2Warning) status = on_call(instance, SET_DERIVATIVES, references, n);
    for (size_t i = 0; i < n && status <= fmi2Warning; i++) {
        if (kinds[references[i]] != 'i' || orders[i] != 1) return refuse(instance, "inputs, and order 1, only");
        instance->du[references[i]] = values[i];
    }
    return status;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t m,
                                        const fmi2ValueReference knowns[], size_t n, const fmi2Real seed[],
                                        fmi2Real result[]) {
    Instance *instance = c;
    if (!DIRECTIONAL) return refuse(instance, "no directional derivatives are given here");
    fmi2Status status = known(instance, unknowns, m, 'R');
    if (status <= fmi2Warning) status = known(instance, knowns, n, 'R');
    for (size_t i = 0; i < m && status <= fmi2Warning; i++) {
        result[i] = 0.0;
        for (size_t j = 0; j < n; j++) result[i] += partial(instance, unknowns[i], knowns[j])*seed[j];
    }
    return status;
}

/* stepping */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_way_back) {
    Instance *instance = c;
    (void) no_way_back;
    fmi2Status status = on_call(instance, DO_STEP, NULL, 0);
    if (status > fmi2Warning) return status;
    if (instance->mode != STEPPING) return refuse(instance, "steps come after initialization, and before the end");
    if (ONE_STEP && instance->only_step == 0.0) instance->only_step = h;
    if (ONE_STEP && fabs(h - instance->only_step) > 1e-9*instance->only_step) {
        log_message(instance, fmi2Error, "logStatusError", "the only step here is %g s, not %g s", instance->only_step, h);
        return fmi2Error;
    }
    status = step(instance, t, h);
    if (status > fmi2Warning) {
        instance->mode = FAILED;
        return status;
    }
    instance->time = t + h;
    for (size_t i = 0; i < N_VARIABLES; i++) {
        instance->v[i] += h*instance->du[i];
        instance->du[i] = 0.0;
    }
    return status;
}

fmi2Status fmi2CancelStep(fmi2Component c) { return refuse(c, "no step runs by itself"); }

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *answer) {
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    fmi2Status status = on_call(c, STATUS, NULL, 0);
    if (status > fmi2Warning) return status;
    *answer = ((Instance *) c)->time;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *answer) {
    (void) c;
    if (kind != fmi2Terminated) return fmi2Discard;
    *answer = fmi2False;
    return fmi2OK;
}

/* what these FMUs do not offer */

#define REFUSES(NAME, ...) \
    fmi2Status NAME(fmi2Component c, __VA_ARGS__) { return refuse(c, #NAME " is not offered"); }

REFUSES(fmi2GetStatus, const fmi2StatusKind a, fmi2Status *b)
REFUSES(fmi2GetIntegerStatus, const fmi2StatusKind a, fmi2Integer *b)
REFUSES(fmi2GetStringStatus, const fmi2StatusKind a, fmi2String *b)
REFUSES(fmi2GetRealOutputDerivatives, const fmi2ValueReference a[], size_t n, const fmi2Integer b[], fmi2Real d[])
REFUSES(fmi2GetFMUstate, fmi2FMUstate *a)
REFUSES(fmi2SetFMUstate, fmi2FMUstate a)
REFUSES(fmi2FreeFMUstate, fmi2FMUstate *a)
REFUSES(fmi2SerializedFMUstateSize, fmi2FMUstate a, size_t *n)
REFUSES(fmi2SerializeFMUstate, fmi2FMUstate a, fmi2Byte b[], size_t n)
REFUSES(fmi2DeSerializeFMUstate, const fmi2Byte a[], size_t n, fmi2FMUstate *b)
