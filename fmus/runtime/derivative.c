/* Directional derivatives of outputs and rates of states by inputs and states. */
#include <string.h>

#include "instance.h"

/* the index of a known Real in the seed, x | u; -1 for any other variable */
static int index_of_known(fmi2ValueReference vr) {
    int i = (int) vr - model.np;
    if (i < 0 || i >= model.nu + model.nx) return -1;
    return i < model.nu ? model.nx + i : i - model.nu;
}

/* the change of an unknown Real; null for any other variable. A state that is an output changes as its seed does */
static const double *change_of_unknown(const Instance *I, fmi2ValueReference vr) {
    int i = (int) vr - model.np - model.nu;
    if (vr >= (fmi2ValueReference) N_VALUES) return I->change + (vr - (fmi2ValueReference) N_VALUES);
    if (model.causality[vr] != 'o') return NULL;
    return i < model.nx ? I->seed + i : I->change + model.nx + (i - model.nx - model.nz);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t n_unknown,
                                        const fmi2ValueReference known[], size_t n_known, const fmi2Real dv_known[],
                                        fmi2Real dv_unknown[]) {
    Instance *I = (Instance *) c;
    const char *function = "fmi2GetDirectionalDerivative";
    if (!I || (n_unknown && (!unknown || !dv_unknown)) || (n_known && (!known || !dv_known))) return fmi2Error;
    if (!is_allowed(I, function, ANY_PHASE & ~IN(INSTANTIATED))) return fmi2Error;
    if (I->state.phase == INITIALIZING && (model.ni || model.ns || model.nb))
        return report(I, fmi2Error, "%s: %s: not in initialization mode, where states follow from inputs", model.name, function);
    if (update_calculated(I, 1)) return fmi2Error;

    memset(I->seed, 0, (size_t) (model.nx + model.nu)*sizeof(double));
    memset(I->change, 0, (size_t) (model.nx + model.ny)*sizeof(double));
    for (size_t i = 0; i < n_known; i++) {
        if (!is_variable(I, known[i], 'r', function)) return fmi2Error;
        int index = index_of_known(known[i]);
        if (index < 0)
            return report(I, fmi2Error, "%s: %s: by '%s'; only inputs and continuous states are knowns", model.name, function,
                          model.names[known[i]]);
        I->seed[index] += dv_known[i];
    }
    for (size_t i = 0; i < n_unknown; i++) {
        if (!is_variable(I, unknown[i], 'r', function)) return fmi2Error;
        if (!change_of_unknown(I, unknown[i]))
            return report(I, fmi2Error, "%s: %s: of '%s'; only outputs and derivatives of states are unknowns", model.name,
                          function, model.names[unknown[i]]);
    }
    if (n_known && n_unknown) {
        if (!model.jvp.call) return unsupported(c, function);
        I->arg[N_ARGUMENTS] = I->seed;
        I->arg[N_ARGUMENTS + 1] = I->seed + model.nx;
        I->res[1] = I->change + model.nx;
        if (call_kernel(I, &model.jvp, I->state.time, I->x, I->change))
            return report(I, fmi2Error, "%s: %s: the equations failed", model.name, function);
    }
    for (size_t i = 0; i < n_unknown; i++) dv_unknown[i] = *change_of_unknown(I, unknown[i]);
    return fmi2OK;
}
