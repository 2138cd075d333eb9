/* Advance an instance: micro-steps of a continuous block, samples of a sampled one. */
#include <math.h>
#include <string.h>

#include "instance.h"

/* a communication step is never exact: 1e-9 of it in the number of micro-steps is rounding, and so is 1e-3 of the
 * shorter of step and period in the time of a sample */
#define STEP_TOLERANCE 1e-9
#define SAMPLE_TOLERANCE 1e-3
#define MOST_PARTS 20.0 /* of a micro-step */

static int call_kernel(Instance *I, const Kernel *kernel, double t, const double *x, double *result) {
    if (!kernel->call) return 0;
    I->arg[0] = &t;
    I->arg[1] = x;
    I->arg[2] = I->z;
    I->arg[3] = I->u;
    I->arg[4] = I->p;
    for (int i = 0; i < model.n_resources; i++) I->arg[5 + i] = resource(I, i);
    I->res[0] = result;
    return kernel->call(I->arg, I->res, I->iw, I->w, 0);
}

/* inputs with a slope, where the step has run for that long */
static void move_inputs(Instance *I, double elapsed) {
    for (int i = 0; i < model.nu; i++)
        if (I->du[i] != 0.0) I->u[i] = I->u0[i] + I->du[i]*elapsed;
}

static int evaluate_outputs(Instance *I, double t) {
    I->state.stale = 0;
    int failed = call_kernel(I, &model.out, t, I->x, I->y);
    if (I->state.phase >= STEPPING) return failed;
    failed |= call_kernel(I, &model.early, t, I->x, I->early);
    for (int i = 0; i < model.nb; i++) I->y[model.shown[i]] = I->early[i];
    return failed;
}

/* probe = x + h k */
static const double *advance(Instance *I, double h, const double *k) {
    for (int i = 0; i < model.nx; i++) I->probe[i] = I->x[i] + h*k[i];
    return I->probe;
}

static int slopes(Instance *I, double t, double elapsed, const double *x, double *k) {
    if (I->state.sloped) move_inputs(I, elapsed);
    return call_kernel(I, &model.ode, t, x, k);
}

/* from t on, where the communication step has run for `elapsed` */
static int explicit_step(Instance *I, double t, double elapsed, double h) {
    double *x = I->x, *k1 = I->k1, *k2 = I->k2, *k3 = I->k3, *k4 = I->k4;
    int failed = slopes(I, t, elapsed, x, k1);

    if (model.method == EULER) {
        for (int i = 0; i < model.nx; i++) x[i] = x[i] + h*k1[i];
        return failed;
    }
    if (model.method == HEUN) {
        failed |= slopes(I, t + h, elapsed + h, advance(I, h, k1), k2);
        for (int i = 0; i < model.nx; i++) x[i] = x[i] + 0.5*h*(k1[i] + k2[i]);
        return failed;
    }
    failed |= slopes(I, t + 0.5*h, elapsed + 0.5*h, advance(I, 0.5*h, k1), k2);
    failed |= slopes(I, t + 0.5*h, elapsed + 0.5*h, advance(I, 0.5*h, k2), k3);
    failed |= slopes(I, t + h, elapsed + h, advance(I, h, k3), k4);
    for (int i = 0; i < model.nx; i++) x[i] = x[i] + h/6.0*(k1[i] + 2.0*k2[i] + 2.0*k3[i] + k4[i]);
    return failed;
}

/* into how many equal parts a micro-step goes, so that none is longer than the method is stable for; 0 after a message */
static double parts_of(Instance *I, double t, double elapsed, double h) {
    static const char *const methods[] = {"", "euler", "heun", "", "rk4"};
    char rate[SHOWN], needed[SHOWN];
    int most = 0;
    if (I->state.sloped) move_inputs(I, elapsed);
    if (call_kernel(I, &model.stability_bounds, t, I->x, I->bounds)) I->bounds[0] = NAN;
    for (int i = 1; i < model.nr && is_finite(I->bounds[most]); i++)
        if (!(I->bounds[i] <= I->bounds[most])) most = i;
    double parts = ceil(h*I->bounds[most]/model.limit);
    if (parts < 1.0) return 1.0;
    if (parts <= MOST_PARTS) return parts;
    const char *bound = model.bounds[most];
    show(I->bounds[most], rate);
    if (!is_finite(I->bounds[most]))
        report(I, fmi2Error, "%s '%s': '%s' moves at %s 1/s at t = %g s, which no step bears; check parameters and inputs",
               model.name, I->name, bound, rate, t);
    else
        report(I, fmi2Error, "%s '%s': '%s' moves at %s 1/s at t = %g s: %s needs %s parts of a step of %g s to stay stable, and takes "
               "%g at most; take a shorter step, or method='rosenbrock', as in class Mine(%s, method='rosenbrock')", model.name, I->name,
               bound, rate, t, methods[model.method], show(parts, needed), h, MOST_PARTS, model.name);
    return 0.0;
}

static int micro_step(Instance *I, double t, double elapsed, double h) {
    int failed = 0;
    if (model.method == ROSENBROCK) return rosenbrock_step(I, t, elapsed, h);
    if (!model.nr) return explicit_step(I, t, elapsed, h);
    double parts = parts_of(I, t, elapsed, h), part = h/parts;
    if (parts == 0.0) return TOLD;
    for (double i = 0.0; i < parts && !failed; i += 1.0) failed = explicit_step(I, t + i*part, elapsed + i*part, part);
    return failed;
}

/* as few equal micro-steps as respect the model's step; inputs are held, or run along their slopes */
static int integrate(Instance *I, double t, double h) {
    int failed = 0;
    I->state.stale = 1;
    if (I->state.sloped) memcpy(I->u0, I->u, (size_t) model.nu*sizeof(double));
    if (model.nx) {
        double steps = ceil(h/model.step*(1.0 - STEP_TOLERANCE));
        if (steps < 1.0) steps = 1.0;
        double micro = h/steps;
        for (double i = 0.0; i < steps && !failed; i += 1.0) {
            failed = micro_step(I, t + i*micro, i*micro, micro);
            if (model.ng && !failed) {
                if (I->state.sloped) move_inputs(I, (i + 1.0)*micro);
                failed = check_guards(I, t + (i + 1.0)*micro);
            }
        }
    } else if (model.ng) {
        if (I->state.sloped) move_inputs(I, h);
        failed = check_guards(I, t + h);
    }
    if (I->state.sloped) {
        move_inputs(I, h);
        memset(I->du, 0, (size_t) model.nu*sizeof(double));
        I->state.sloped = 0;
    }
    return failed;
}

/* outputs with the states before the sample, then the next states */
static int run_sample(Instance *I, double t) {
    int failed = check_guards(I, t);
    if (failed) return failed;
    failed = call_kernel(I, &model.out, t, I->x, I->y);
    if (model.update.call) {
        failed |= call_kernel(I, &model.update, t, I->x, I->k1);
        memcpy(I->z, I->k1, (size_t) model.nz*sizeof(double));
    }
    I->state.samples++;
    I->state.stale = 0;
    return failed;
}

static int first_sample(Instance *I) {
    return model.period_num ? run_sample(I, I->state.start_time) : 0;
}

static double next_sample(const Instance *I) {
    return I->state.start_time + (double) (I->state.samples*model.period_num)/(double) model.period_den;
}

/* samples due before t_end; one due at t_end belongs to the next step */
static int run_samples(Instance *I, double t_end, double h) {
    int failed = 0;
    double period = (double) model.period_num/(double) model.period_den;
    double late = SAMPLE_TOLERANCE*(h < period ? h : period);
    while (!failed) {
        double due = next_sample(I);
        if (due >= t_end - late) break;
        failed = run_sample(I, due);
    }
    return failed;
}

/* samples due at the current time or before it, as a time event */
static int run_due_samples(Instance *I) {
    double late = SAMPLE_TOLERANCE*(double) model.period_num/(double) model.period_den;
    int failed = 0;
    while (!failed && next_sample(I) <= I->state.time + late) failed = run_sample(I, next_sample(I));
    return failed;
}
