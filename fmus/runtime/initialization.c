/* Initialization of a block: calculated parameters and start values; and its guards. */
#include <stdio.h>

#include "instance.h"

/* NaN is written as Python writes it, whatever the C library does */
static const char *format_number(double value, char *text) {
    if (value == value) snprintf(text, NUMBER_LENGTH, "%g", value);
    else snprintf(text, NUMBER_LENGTH, "nan");
    return text;
}

/* bring calculated parameters up to date after others have been set; return 0, or REPORTED */
static int derive(Instance *I) {
    char value[NUMBER_LENGTH];
    if (!I->state.underived) return 0;
    double *derived = I->p + model.np - model.nd;
    if (call_kernel(I, &model.derive, I->state.start_time, I->x, derived)) {
        report(I, fmi2Error, "%s '%s': the equations of calculated parameters failed", model.name, I->name);
        return REPORTED;
    }
    for (int i = 0; i < model.nd; i++)
        if (!is_finite(derived[i])) {
            report(I, fmi2Error, "%s '%s': '%s' is %s; check the parameters that it is calculated from", model.name, I->name,
                   model.names[model.np - model.nd + i], format_number(derived[i], value));
            return REPORTED;
        }
    I->state.underived = 0;
    I->state.stale = 1;
    return 0;
}

/* report the first state that is not finite; return 0, or REPORTED */
static int check_states(Instance *I, double t) {
    char value[NUMBER_LENGTH];
    /* x and z are adjacent */
    for (int i = 0; i < model.nx + model.nz; i++)
        if (!is_finite(I->x[i])) {
            report(I, fmi2Error, "%s '%s': '%s' is %s at t = %g s%s%s", model.name, I->name, model.names[model.np + model.nu + i],
                   format_number(I->x[i], value), t, I->state.phase == STEPPING ? "; check parameters and inputs" : "",
                   I->state.phase == STEPPING && model.nx > 0 ? ", or take a shorter step or another method" : "");
            return REPORTED;
        }
    return 0;
}

/* set the initial states that the block gives, and with `solve_too` those that it solves for; return 0, or REPORTED */
static int initialize(Instance *I, int solve_too) {
    if (derive(I)) return REPORTED;
    if (I->state.unset) {
        if (call_kernel(I, &model.initial, I->state.start_time, I->x, I->k1)) {
            report(I, fmi2Error, "%s '%s': the equations of start values failed", model.name, I->name);
            return REPORTED;
        }
        for (int i = 0; i < model.ni; i++) I->x[model.given[i]] = I->k1[i];
        I->state.unset = 0;
        I->state.stale = 1;
    }
    if (solve_too && I->state.unsolved) {
        if (model.ns && (check_states(I, I->state.start_time) || solve(I))) return REPORTED;
        I->state.unsolved = 0;
        I->state.stale = 1;
    }
    return 0;
}

/* bring up to date what outputs and derivatives are evaluated from; return 0, or REPORTED */
static int update_calculated(Instance *I, int solve_too) {
    return I->state.phase < STEPPING ? initialize(I, solve_too) : derive(I);
}

static void store(Instance *I, fmi2ValueReference vr, double value) {
    I->v[vr] = value;
    I->state.stale = 1;
    if (model.access[vr] == FIXED || model.access[vr] == TUNABLE) I->state.underived = 1;
    if (I->state.phase >= STEPPING) return;
    if (model.access[vr] == GUESS) I->guess[&I->v[vr] - I->x] = value;
    I->state.unset = I->state.unsolved = 1;
}

/* whether one of these values depends on states that are solved for */
static int wants_solution(const fmi2ValueReference vr[], size_t n) {
    for (size_t i = 0; i < n; i++)
        if (vr[i] < (fmi2ValueReference) N_REFERENCES && model.follows[vr[i]]) return 1;
    return 0;
}

/* bring values up to date before they are read */
static int refresh(Instance *I, const fmi2ValueReference vr[], size_t n) {
    if (update_calculated(I, wants_solution(vr, n))) return REPORTED;
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
        default: return value < limit || value > limit; /* NaN passes no guard */
    }
}

/* write the message of the first guard that does not hold, an empty one where all hold */
static int broken_guard(Instance *I, double t, char *text, size_t size) {
    static const char *const words[] = {"above", "at least", "below", "at most", "equal to", "other than"};
    char value[NUMBER_LENGTH], limit[NUMBER_LENGTH], what[100];
    int failed = call_kernel(I, &model.guard, t, I->x, I->sides);
    *text = 0;
    for (int i = 0; i < model.ng && !failed && !*text; i++) {
        const Guard *g = &model.guards[i];
        double a = I->sides[i], b = I->sides[model.ng + i];
        if (holds(g->relation, a, b)) continue;
        if (g->relation == TRUE) snprintf(what, sizeof what, "the condition is false");
        else snprintf(what, sizeof what, "the value %s must be %s %s", format_number(a, value), words[g->relation],
                      format_number(b, limit));
        snprintf(text, size, "guard '%s' failed at t = %g s: %s%s%s", g->name, t, what, *g->advice ? "; " : "", g->advice);
    }
    return failed;
}

/* return 0, REPORTED, or the error code of the kernel */
static int check_guards(Instance *I, double t) {
    char text[MESSAGE_LENGTH];
    int failed = broken_guard(I, t, text, sizeof text);
    if (failed || !*text) return failed;
    if (check_states(I, t)) return REPORTED; /* NaN passes no guard, and is the cause */
    report(I, fmi2Error, "%s '%s': %s", model.name, I->name, text);
    return REPORTED;
}
