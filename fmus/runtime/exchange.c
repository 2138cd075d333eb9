/* Model exchange: the importer integrates the states; a sampled block has a time event at each of its samples. */
#include <math.h>
#include <string.h>

#include "instance.h"

#define RUNNING (EXCHANGE | IN(EVENT) | IN(CONTINUOUS))
#define READABLE (EXCHANGE | (ANY_PHASE & ~IN(INSTANTIATED)))

static int is_number_of_states(const Instance *I, const char *function, size_t n) {
    if (n == (size_t) model.nx) return 1;
    report(I, fmi2Error, "%s: %s: %lu values, but it has %d continuous states", model.name, function, (unsigned long) n, model.nx);
    return 0;
}

/* discard the step at the first number that is not finite, so that the importer may take a smaller one */
static fmi2Status finite_or_discard(const Instance *I, const double *values, int first_name) {
    char value[NUMBER_LENGTH];
    for (int i = 0; i < model.nx; i++)
        if (!is_finite(values[i]))
            return report(I, fmi2Discard, "%s: '%s' is %s at %g s", model.name, model.names[first_name + i],
                          format_number(values[i], value), I->state.time);
    return fmi2OK;
}

fmi2Status fmi2EnterEventMode(fmi2Component c) {
    Instance *I = (Instance *) c;
    if (!is_allowed(I, "fmi2EnterEventMode", RUNNING)) return fmi2Error;
    I->state.phase = EVENT;
    return fmi2OK;
}

/* integer and Boolean outputs of a continuous block may change at events only; they are held between events */
static int is_discrete(int i) { return !model.period_num && model.type[N_VALUES - model.ny + i] != 'r'; }

static int has_discrete(void) {
    for (int i = 0; i < model.ny; i++)
        if (is_discrete(i)) return 1;
    return 0;
}

static double visible_value(const Instance *I, fmi2ValueReference vr) {
    int i = (int) vr - (N_VALUES - model.ny);
    return I->state.phase == CONTINUOUS && i >= 0 && i < model.ny && is_discrete(i) ? I->held[i] : I->v[vr];
}

/* whether an importer would read another integer or Boolean than the held one */
static int has_jumped(const Instance *I) {
    for (int i = 0; i < model.ny; i++) {
        if (!is_discrete(i)) continue;
        int truth = model.type[N_VALUES - model.ny + i] == 'b';
        if (truth ? (I->y[i] != 0.0) != (I->held[i] != 0.0) : floor(I->y[i] + 0.5) != floor(I->held[i] + 0.5)) return 1;
    }
    return 0;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    Instance *I = (Instance *) c;
    if (!is_allowed(I, "fmi2EnterContinuousTimeMode", EXCHANGE | IN(EVENT))) return fmi2Error;
    if (has_discrete()) {
        int failed = refresh(I, NULL, 0);
        if (failed == REPORTED) return fmi2Error;
        if (failed) return report(I, fmi2Error, "%s: the equations of the outputs failed", model.name);
        memcpy(I->held, I->y, (size_t) model.ny*sizeof(double));
    }
    I->state.phase = CONTINUOUS;
    return fmi2OK;
}

/* run the samples that are due; their outputs are visible after this call, as after the step in co-simulation, so the
 * importer transmits them within the event before it asks again */
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    Instance *I = (Instance *) c;
    if (!is_allowed(I, "fmi2NewDiscreteStates", EXCHANGE | IN(EVENT)) || !info) return fmi2Error;
    memset(info, 0, sizeof *info);
    if (!model.period_num) return fmi2OK;
    long long before = I->state.samples;
    int failed = derive(I);
    if (!failed) failed = run_due_samples(I);
    if (!failed) failed = check_states(I, I->state.time);
    if (failed == REPORTED) return fmi2Error;
    if (failed) return report(I, fmi2Error, "%s: the equations failed at %g s", model.name, I->state.time);
    info->newDiscreteStatesNeeded = I->state.samples != before;
    info->nextEventTimeDefined = fmi2True;
    info->nextEventTime = next_sample_time(I);
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set_state_prior, fmi2Boolean *enter_event_mode,
                                       fmi2Boolean *terminate) {
    Instance *I = (Instance *) c;
    (void) no_set_state_prior;
    if (!is_allowed(I, "fmi2CompletedIntegratorStep", EXCHANGE | IN(CONTINUOUS)) || !enter_event_mode || !terminate) return fmi2Error;
    *enter_event_mode = *terminate = fmi2False;
    if (model.period_num) return fmi2OK; /* its guards are checked at samples */
    int failed = derive(I);
    if (!failed) failed = check_guards(I, I->state.time);
    if (!failed && has_discrete()) failed = refresh(I, NULL, 0);
    if (failed == REPORTED) return fmi2Error;
    if (failed) return report(I, fmi2Error, "%s: the equations failed at %g s", model.name, I->state.time);
    *enter_event_mode = has_jumped(I);
    return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    Instance *I = (Instance *) c;
    if (!is_allowed(I, "fmi2SetTime", RUNNING)) return fmi2Error;
    if (!is_finite(time)) return report(I, fmi2Error, "%s: fmi2SetTime to %g s", model.name, time);
    I->state.time = time;
    I->state.stale = 1;
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
    Instance *I = (Instance *) c;
    const char *function = "fmi2SetContinuousStates";
    if (!is_allowed(I, function, EXCHANGE | IN(CONTINUOUS)) || !is_number_of_states(I, function, n) || (n && !x)) return fmi2Error;
    fmi2Status status = finite_or_discard(I, x, model.np + model.nu);
    if (status != fmi2OK) return status;
    memcpy(I->x, x, n*sizeof(double));
    I->state.stale = 1;
    return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
    Instance *I = (Instance *) c;
    const char *function = "fmi2GetContinuousStates";
    if (!is_allowed(I, function, READABLE) || !is_number_of_states(I, function, n) || (n && !x))
        return fmi2Error;
    if (update_calculated(I, 1)) return fmi2Error;
    memcpy(x, I->x, n*sizeof(double));
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t n) {
    Instance *I = (Instance *) c;
    const char *function = "fmi2GetDerivatives";
    if (!is_allowed(I, function, READABLE) || !is_number_of_states(I, function, n)) return fmi2Error;
    if ((n && !derivatives) || update_calculated(I, 1)) return fmi2Error;
    if (call_kernel(I, &model.ode, I->state.time, I->x, derivatives))
        return report(I, fmi2Discard, "%s: the equations failed at %g s", model.name, I->state.time);
    return finite_or_discard(I, derivatives, N_VALUES);
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominal[], size_t n) {
    Instance *I = (Instance *) c;
    const char *function = "fmi2GetNominalsOfContinuousStates";
    if (!is_allowed(I, function, EXCHANGE | ANY_PHASE) || !is_number_of_states(I, function, n) || (n && !nominal)) return fmi2Error;
    memcpy(nominal, model.nominal, n*sizeof(double));
    return fmi2OK;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t n) {
    Instance *I = (Instance *) c;
    (void) indicators;
    if (!is_allowed(I, "fmi2GetEventIndicators", READABLE)) return fmi2Error;
    if (n) return report(I, fmi2Error, "%s: fmi2GetEventIndicators: %lu values, but it has none", model.name, (unsigned long) n);
    return fmi2OK;
}
