/* A first-order lag that watches whether its importer keeps to FMI 2.0.
 * T y' = u(t) - y, exactly over each step; y2 = y + d*u feeds through. `method` 2 takes one Euler step instead.
 * Each violation is counted, and told to the logger with what was wrong. */
#include "fmu.h"

enum { MAX_LOGGED = 20 };
enum { CHANGED }; /* in work: something was set since the last step */

static void violation(Instance *instance, const char *what) {
    instance->v[V_violations] += 1.0;
    if (instance->v[V_violations] <= MAX_LOGGED)
        log_message(instance, fmi2OK, "violation", "violation after the step to t = %g s: %s", instance->time, what);
}

static int any(const fmi2ValueReference *references, size_t n, fmi2ValueReference a, fmi2ValueReference b) {
    for (size_t i = 0; i < n; i++)
        if (references[i] == a || references[i] == b) return 1;
    return 0;
}

static int any_fixed(const fmi2ValueReference *references, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (kinds[references[i]] == 'f') return 1;
    return 0;
}

fmi2Status on_call(Instance *instance, Call call, const fmi2ValueReference *references, size_t n) {
    if (instance->mode == TERMINATED && call != GET && call != FREE) violation(instance, "a call after fmi2Terminate");
    if (instance->mode != STEPPING) {
        if (call == EXIT) instance->work[CHANGED] = 0.0;
        return fmi2OK;
    }
    if (call == SET) {
        instance->v[V_sets] += 1.0;
        instance->work[CHANGED] = 1.0;
        if (any_fixed(references, n)) violation(instance, "a fixed parameter was set");
    }
    if (call == GET && any(references, n, V_y, V_y2)) {
        instance->v[V_gets] += 1.0;
        if (instance->work[CHANGED] != 0.0) violation(instance, "an output was read after a value was set, without a step between");
    }
    if (call == SET_DERIVATIVES) instance->work[CHANGED] = 1.0;
    return fmi2OK;
}

fmi2Status step(Instance *instance, double t, double h) {
    double *v = instance->v, du = instance->du[V_u];
    /* times are rounded: what counts is a billionth of the time, or of the step while the time is small */
    if (fabs(t - instance->time) > 1e-9*fmax(fabs(t), h)) violation(instance, "a step from another time than it stands at");
    if (!(h > 0.0)) violation(instance, "a step that is not positive");
    v[V_used] = v[V_u];
    v[V_du] = du;
    v[V_h] = h;
    v[V_y] = v[V_method] == 2.0 ? v[V_y] + h*(v[V_u] - v[V_y])/v[V_T] : lag(v[V_y], v[V_u], du, v[V_T], h);
    v[V_steps] += 1.0;
    instance->work[CHANGED] = 0.0;
    return fmi2OK;
}

double value(const Instance *instance, fmi2ValueReference reference) {
    return reference == V_y2 ? instance->v[V_y] + instance->v[V_d]*instance->v[V_u] : instance->v[reference];
}

double partial(const Instance *instance, fmi2ValueReference output, fmi2ValueReference input) {
    return output == V_y2 && input == V_u ? instance->v[V_d] : 0.0;
}
