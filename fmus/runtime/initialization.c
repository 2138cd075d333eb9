/* What a block calculates itself before it runs, parameters and start values, and the guards that it runs under. */
#include <stdio.h>

#include "instance.h"

/* in Python too there is but one way to say that a value is no number */
static const char *show(double value, char *text) {
    if (value == value) snprintf(text, SHOWN, "%g", value);
    else snprintf(text, SHOWN, "nan");
    return text;
}

/* bring calculated parameters up to date where others have been set; 0, or TOLD */
static int derive(Instance *I) {
    char value[SHOWN];
    if (!I->state.underived) return 0;
    double *derived = I->p + model.np - model.nd;
    if (call_kernel(I, &model.derive, I->state.start_time, I->x, derived)) {
        report(I, fmi2Error, "%s '%s': the equations of calculated parameters failed", model.name, I->name);
        return TOLD;
    }
    for (int i = 0; i < model.nd; i++)
        if (!is_finite(derived[i])) {
            report(I, fmi2Error, "%s '%s': '%s' is %s; check the parameters that it is calculated from", model.name, I->name,
                   model.names[model.np - model.nd + i], show(derived[i], value));
            return TOLD;
        }
    I->state.underived = 0;
    I->state.stale = 1;
    return 0;
}

/* states that are not finite; 0, or TOLD */
static int check_states(Instance *I, double t) {
    char value[SHOWN];
    /* x and z lie side by side */
    for (int i = 0; i < model.nx + model.nz; i++)
        if (!is_finite(I->x[i])) {
            report(I, fmi2Error, "%s '%s': '%s' is %s at t = %g s%s%s", model.name, I->name, model.names[model.np + model.nu + i],
                   show(I->x[i], value), t, I->state.phase == STEPPING ? "; check parameters and inputs" : "",
                   I->state.phase == STEPPING && model.nx ? ", or take a shorter step or another method" : "");
            return TOLD;
        }
    return 0;
}

/* during initialization: states that the block gives, and if `all` those that it solves for; 0, or TOLD */
static int begin(Instance *I, int all) {
    if (derive(I)) return TOLD;
    if (I->state.unset) {
        if (call_kernel(I, &model.initial, I->state.start_time, I->x, I->k1)) {
            report(I, fmi2Error, "%s '%s': the equations of start values failed", model.name, I->name);
            return TOLD;
        }
        for (int i = 0; i < model.ni; i++) I->x[model.given[i]] = I->k1[i];
        I->state.unset = 0;
        I->state.stale = 1;
    }
    if (all && I->state.unsolved) {
        if (model.ns && (check_states(I, I->state.start_time) || solve(I))) return TOLD;
        I->state.unsolved = 0;
        I->state.stale = 1;
    }
    return 0;
}

/* what belongs to the other values before outputs and slopes are evaluated; 0, or TOLD */
static int settle(Instance *I, int all) { return I->state.phase < STEPPING ? begin(I, all) : derive(I); }

static void store(Instance *I, fmi2ValueReference vr, double value) {
    I->v[vr] = value;
    I->state.stale = 1;
    if (model.access[vr] == FIXED || model.access[vr] == TUNABLE) I->state.underived = 1;
    if (I->state.phase >= STEPPING) return;
    if (model.access[vr] == GUESS) I->guess[&I->v[vr] - I->x] = value;
    I->state.unset = I->state.unsolved = 1;
}

/* whether one of these values follows from states that are solved for */
static int wants_solution(const fmi2ValueReference vr[], size_t n) {
    for (size_t i = 0; i < n; i++)
        if (vr[i] < (fmi2ValueReference) N_REFERENCES && model.follows[vr[i]]) return 1;
    return 0;
}

/* bring values up to date before they are read */
static int refresh(Instance *I, const fmi2ValueReference vr[], size_t n) {
    if (settle(I, wants_solution(vr, n))) return TOLD;
    if (!I->state.stale || (model.period_num && I->state.phase >= STEPPING)) return 0;
    return evaluate_outputs(I, I->state.time);
}

static int holds(int relation, double value, double limit) {
    switch (relation) {
        case ABOVE: return value > limit;
        case AT_LEAST: return value >= limit;
        case BELOW: return value < limit;
        case AT_MOST: return value <= limit;
        case EQUAL: return value == limit;
        default: return value < limit || value > limit; /* what is no number passes no guard */
    }
}

/* the first guard that does not hold, in words */
static int broken_guard(Instance *I, double t, char *text, size_t size) {
    static const char *const words[] = {"above", "at least", "below", "at most", "equal to", "other than"};
    char value[SHOWN], limit[SHOWN], what[100];
    int failed = call_kernel(I, &model.guard, t, I->x, I->sides);
    *text = 0;
    for (int i = 0; i < model.ng && !failed && !*text; i++) {
        const Guard *g = &model.guards[i];
        double a = I->sides[i], b = I->sides[model.ng + i];
        if (holds(g->relation, a, b)) continue;
        if (g->relation == TRUE) snprintf(what, sizeof what, "the condition is false");
        else snprintf(what, sizeof what, "the value %s must be %s %s", show(a, value), words[g->relation], show(b, limit));
        snprintf(text, size, "guard '%s' failed at t = %g s: %s%s%s", g->name, t, what, *g->advice ? "; " : "", g->advice);
    }
    return failed;
}

/* 0, TOLD, or the kernel's own error code */
static int check_guards(Instance *I, double t) {
    char text[TEXT];
    int failed = broken_guard(I, t, text, sizeof text);
    if (failed || !*text) return failed;
    if (check_states(I, t)) return TOLD; /* what is no number passes no guard, and is the cause */
    report(I, fmi2Error, "%s '%s': %s", model.name, I->name, text);
    return TOLD;
}
