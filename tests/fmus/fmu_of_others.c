/* A unit as others make them: it has the functions that a master cannot do without, and misbehaves when told to.
 * FAIL_IN is the function that returns FAIL_WITH; `calls` counts what was called afterwards. */
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"

enum { NONE, SETUP, SET, GET, EXIT, STEP };

FMI2_Export int calls = 0;
static int failed = 0;
static fmi2CallbackLogger logger;
static fmi2ComponentEnvironment environment;

static fmi2Status called(int function) {
    if (failed) calls++;
    if (function != FAIL_IN) return fmi2OK;
    failed = 1;
    return FAIL_WITH;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void) name; (void) type; (void) guid; (void) resources; (void) visible; (void) logging;
    logger = callbacks->logger;
    environment = callbacks->componentEnvironment;
    return &calls;
}

void fmi2FreeInstance(fmi2Component c) { (void) c; called(NONE); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean td, fmi2Real tolerance, fmi2Real start, fmi2Boolean sd, fmi2Real stop) {
    (void) c; (void) td; (void) tolerance; (void) start; (void) sd; (void) stop;
    return called(SETUP);
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) { (void) c; return called(NONE); }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { (void) c; return called(EXIT); }
fmi2Status fmi2Terminate(fmi2Component c) { (void) c; return called(NONE); }

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    (void) c; (void) vr; (void) n; (void) value;
    return called(SET);
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    (void) c;
    for (size_t i = 0; i < n; i++) value[i] = vr[i];
    return called(GET);
}

/* a message of as many characters as the time says */
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean prior) {
    char *text = calloc((size_t) t + 1, 1);
    (void) c; (void) h; (void) prior;
    memset(text, 'x', (size_t) t);
    logger(environment, "unit", fmi2OK, "", text);
    free(text);
    return called(STEP);
}

#ifdef GIVES_DERIVATIVES
/* J of y by u is ten times the reference of y, and that of u */
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t rows,
                                        const fmi2ValueReference known[], size_t columns, const fmi2Real seed[], fmi2Real result[]) {
    (void) c;
    for (size_t i = 0; i < rows; i++) {
        result[i] = 0.0;
        for (size_t j = 0; j < columns; j++) result[i] += (10.0*unknown[i] + known[j])*seed[j];
    }
    return fmi2OK;
}

static fmi2Real reached;

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
                                       const fmi2Real value[]) {
    (void) c;
    reached = 0.0;
    for (size_t i = 0; i < n; i++) reached += vr[i]*order[i]*value[i];
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    (void) c;
    *value = reached;
    return kind == fmi2LastSuccessfulTime ? called(NONE) : fmi2Error;
}
#endif
