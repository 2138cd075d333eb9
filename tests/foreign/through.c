/* Passes its input on: y is the input at the end of the last step, or at first the input itself. What it was sent for
 * the last step was `first` at its beginning and `last` at its end. */
#include "fmu.h"

fmi2Status on_call(Instance *instance, Call call, const fmi2ValueReference *references, size_t n) {
    (void) instance, (void) call, (void) references, (void) n;
    return fmi2OK;
}

fmi2Status step(Instance *instance, double t, double h) {
    double *v = instance->v;
    (void) t;
    v[V_first] = v[V_u];
    v[V_last] = v[V_u] + h*instance->du[V_u];
    return fmi2OK;
}

double value(const Instance *instance, fmi2ValueReference reference) {
    const double *v = instance->v;
    if (reference == V_y) return instance->mode == STEPPING && instance->time > 0.0 ? v[V_last] : v[V_u];
    return v[reference];
}

double partial(const Instance *instance, fmi2ValueReference output, fmi2ValueReference input) {
    (void) instance;
    return output == V_y && input == V_u ? 1.0 : 0.0;
}
