/* The steps of an instance: micro-steps of a continuous block, samples of a sampled one. */
#include <math.h>
#include <string.h>

#include "instance.h"

static int call_kernel(Instance *I, const Kernel *kernel, double t, const double *x, double *result) {
    if (!kernel->call) return 0;
    I->arg[0] = &t;
    I->arg[1] = x;
    I->arg[2] = I->z;
    I->arg[3] = I->u;
    I->arg[4] = I->p;
    for (int i = 0; i < model.n_resources; i++) I->arg[N_ARGUMENTS + i] = resource(I, i);
    I->res[0] = result;
    return kernel->call(I->arg, I->res, I->iw, I->w, 0);
}

/* set inputs that have a derivative to their values when the step has run for `elapsed` */
static void move_inputs(Instance *I, double elapsed) {
    for (int i = 0; i < model.nu; i++)
        if (I->du[i] != 0.0) I->u[i] = I->u0[i] + I->du[i]*elapsed;
}

static int evaluate_outputs(Instance *I, double t) {
    I->state.stale = 0;
    int failed = call_kernel(I, &model.out, t, I->x, I->y);
    if (I->state.phase >= STEPPING) return failed;
    failed |= call_kernel(I, &model.initial_outputs, t, I->x, I->initial_outputs);
    for (int i = 0; i < model.nb; i++) I->y[model.shown[i]] = I->initial_outputs[i];
    return failed;
}

/* probe = x + h k */
static const double *advance(Instance *I, double h, const double *k) {
    for (int i = 0; i < model.nx; i++) I->probe[i] = I->x[i] + h*k[i];
    return I->probe;
}

/* rates of the states at x */
static int evaluate_rates(Instance *I, double t, double elapsed, const double *x, double *k) {
    if (I->state.inputs_move) move_inputs(I, elapsed);
    return call_kernel(I, &model.ode, t, x, k);
}

/* one step from t on, when the communication step has run for `elapsed` */
static int explicit_step(Instance *I, double t, double elapsed, double h) {
    double *x = I->x, *k1 = I->k1, *k2 = I->k2, *k3 = I->k3, *k4 = I->k4;
    int failed = evaluate_rates(I, t, elapsed, x, k1);

    if (model.method == EULER) {
        for (int i = 0; i < model.nx; i++) x[i] = x[i] + h*k1[i];
        return failed;
    }
    if (model.method == HEUN) {
        failed |= evaluate_rates(I, t + h, elapsed + h, advance(I, h, k1), k2);
        for (int i = 0; i < model.nx; i++) x[i] = x[i] + 0.5*h*(k1[i] + k2[i]);
        return failed;
    }
    failed |= evaluate_rates(I, t + 0.5*h, elapsed + 0.5*h, advance(I, 0.5*h, k1), k2);
    failed |= evaluate_rates(I, t + 0.5*h, elapsed + 0.5*h, advance(I, 0.5*h, k2), k3);
    failed |= evaluate_rates(I, t + h, elapsed + h, advance(I, h, k3), k4);
    for (int i = 0; i < model.nx; i++) x[i] = x[i] + h/6.0*(k1[i] + 2.0*k2[i] + 2.0*k3[i] + k4[i]);
    return failed;
}

/* the number of equal parts of a micro-step for which the method is stable in each; 0 after a message */
static double count_parts(Instance *I, double t, double elapsed, double h) {
    static const char *const methods[] = {"", "euler", "heun", "", "rk4"};
    char rate[NUMBER_LENGTH], needed[NUMBER_LENGTH];
    int fastest = 0;
    if (I->state.inputs_move) move_inputs(I, elapsed);
    if (call_kernel(I, &model.stability_bounds, t, I->x, I->bounds)) I->bounds[0] = NAN;
    for (int i = 1; i < model.nr && is_finite(I->bounds[fastest]); i++)
        if (!(I->bounds[i] <= I->bounds[fastest])) fastest = i;
    double parts = ceil(h*I->bounds[fastest]/model.limit);
    if (parts < 1.0) return 1.0;
    if (parts <= MAX_PARTS) return parts;
    const char *bound = model.bounds[fastest];
    format_number(I->bounds[fastest], rate);
    if (!is_finite(I->bounds[fastest]))
        report(I, fmi2Error, "%s '%s': the rate of '%s' is %s 1/s at t = %g s; check parameters and inputs", model.name,
               I->name, bound, rate, t);
    else
        report(I, fmi2Error, "%s '%s': the rate of '%s' is %s 1/s at t = %g s: %s needs %s parts of a step of %g s to stay "
               "stable, and takes %d at most; take a shorter step, or method='rosenbrock', as in class Mine(%s, "
               "method='rosenbrock')", model.name, I->name, bound, rate, t,
               methods[model.method], format_number(parts, needed), h, MAX_PARTS, model.name);
    return 0.0;
}

static int micro_step(Instance *I, double t, double elapsed, double h) {
    int failed = 0;
    if (model.method == ROSENBROCK) return rosenbrock_step(I, t, elapsed, h);
    if (!model.nr) return explicit_step(I, t, elapsed, h);
    double parts = count_parts(I, t, elapsed, h), part = h/parts;
    if (parts == 0.0) return REPORTED;
    for (double i = 0.0; i < parts && !failed; i += 1.0) failed = explicit_step(I, t + i*part, elapsed + i*part, part);
    return failed;
}

/* take as few equal micro-steps as respect the model's step; inputs are held, or follow their derivatives */
static int integrate(Instance *I, double t, double h) {
    int failed = 0;
    I->state.stale = 1;
    if (I->state.inputs_move) memcpy(I->u0, I->u, (size_t) model.nu*sizeof(double));
    if (model.nx) {
        double steps = ceil(h/model.step*(1.0 - STEP_TOLERANCE));
        if (steps < 1.0) steps = 1.0;
        double micro = h/steps;
        for (double i = 0.0; i < steps && !failed; i += 1.0) {
            failed = micro_step(I, t + i*micro, i*micro, micro);
            if (model.ng && !failed) {
                if (I->state.inputs_move) move_inputs(I, (i + 1.0)*micro);
                failed = check_guards(I, t + (i + 1.0)*micro);
            }
        }
    } else if (model.ng) {
        if (I->state.inputs_move) move_inputs(I, h);
        failed = check_guards(I, t + h);
    }
    if (I->state.inputs_move) {
        move_inputs(I, h);
        memset(I->du, 0, (size_t) model.nu*sizeof(double));
        I->state.inputs_move = 0;
    }
    return failed;
}

/* evaluate the outputs with the states before the sample, then the next states */
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

static double next_sample_time(const Instance *I) {
    return I->state.start_time + (double) (I->state.samples*model.period_num)/(double) model.period_den;
}

/* run the samples due before t_end; one due at t_end belongs to the next step */
static int run_samples(Instance *I, double t_end, double h) {
    int failed = 0;
    double period = (double) model.period_num/(double) model.period_den;
    double tolerance = SAMPLE_TOLERANCE*(h < period ? h : period);
    while (!failed) {
        double due = next_sample_time(I);
        if (due >= t_end - tolerance) break;
        failed = run_sample(I, due);
    }
    return failed;
}

/* run the samples due at the current time or before it, as a time event */
static int run_due_samples(Instance *I) {
    double tolerance = SAMPLE_TOLERANCE*(double) model.period_num/(double) model.period_den;
    int failed = 0;
    while (!failed && next_sample_time(I) <= I->state.time + tolerance) failed = run_sample(I, next_sample_time(I));
    return failed;
}
