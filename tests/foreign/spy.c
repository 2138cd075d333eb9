/* A first-order lag that watches whether its importer keeps to FMI 2.0.
 * T y' = u(t) - y, exactly over each step; y2 = y + d*u feeds through. `method` 2 takes one Euler step instead.
 * Each violation is counted, and told to the logger with what was wrong. */
#include "unit.h"

enum { MOST_TOLD = 20 };
enum { CHANGED }; /* in work: something was set since the last step */

static void violation(Unit *unit, const char *what) {
    unit->v[V_violations] += 1.0;
    if (unit->v[V_violations] <= MOST_TOLD)
        say(unit, fmi2OK, "violation", "violation after the step to t = %g s: %s", unit->time, what);
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

fmi2Status notice(Unit *unit, Call call, const fmi2ValueReference *references, size_t n) {
    if (unit->mode == TERMINATED && call != GET && call != FREE) violation(unit, "a call after fmi2Terminate");
    if (unit->mode != STEPPING) {
        if (call == EXIT) unit->work[CHANGED] = 0.0;
        return fmi2OK;
    }
    if (call == SET) {
        unit->v[V_sets] += 1.0;
        unit->work[CHANGED] = 1.0;
        if (any_fixed(references, n)) violation(unit, "a fixed parameter was set");
    }
    if (call == GET && any(references, n, V_y, V_y2)) {
        unit->v[V_gets] += 1.0;
        if (unit->work[CHANGED] != 0.0) violation(unit, "an output was read after a value was set, without a step between");
    }
    if (call == SET_DERIVATIVES) unit->work[CHANGED] = 1.0;
    return fmi2OK;
}

fmi2Status step(Unit *unit, double t, double h) {
    double *v = unit->v, du = unit->du[V_u];
    /* times are rounded: what counts is a billionth of the time, or of the step while the time is small */
    if (fabs(t - unit->time) > 1e-9*fmax(fabs(t), h)) violation(unit, "a step from another time than it stands at");
    if (!(h > 0.0)) violation(unit, "a step that is not positive");
    v[V_used] = v[V_u];
    v[V_du] = du;
    v[V_h] = h;
    v[V_y] = v[V_method] == 2.0 ? v[V_y] + h*(v[V_u] - v[V_y])/v[V_T] : lag(v[V_y], v[V_u], du, v[V_T], h);
    v[V_steps] += 1.0;
    unit->work[CHANGED] = 0.0;
    return fmi2OK;
}

double value(const Unit *unit, fmi2ValueReference reference) {
    return reference == V_y2 ? unit->v[V_y] + unit->v[V_d]*unit->v[V_u] : unit->v[reference];
}

double partial(const Unit *unit, fmi2ValueReference output, fmi2ValueReference input) {
    return output == V_y2 && input == V_u ? unit->v[V_d] : 0.0;
}
