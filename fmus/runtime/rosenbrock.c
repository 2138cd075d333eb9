/* One micro-step of RODASP, a linearly implicit method of order 4. rosenbrock.py of the interpreted back end does the same
 * operations in the same order; the equations are in rosenbrock.py of the export. */
#include "instance.h"

/* factors of 1/(gamma h) - df/dx at the beginning of the step */
static int factor_step(Instance *I, double t, double h) {
    char pivot[NUMBER_LENGTH];
    double shift = 1.0/(RODASP_GAMMA*h);
    I->arg[N_ARGUMENTS] = &shift;
    I->res[1] = I->relative_pivots;
    int failed = call_kernel(I, &model.factor, t, I->x, I->factors);
    for (int i = 0; i < model.nx && !failed; i++)
        if (!(I->relative_pivots[i] > RODASP_SMALLEST_PIVOT)) {
            report(I, fmi2Error, "%s '%s': the implicit step from t = %g s by %g s has no solution: the relative pivot of '%s' "
                   "is %s; take a shorter step, or another method", model.name, I->name, t, h,
                   model.names[model.np + model.nu + i], format_number(I->relative_pivots[i], pivot));
            failed = REPORTED;
        }
    return failed;
}

static int solve_stage(Instance *I, double *stage) {
    I->arg[0] = I->factors;
    I->arg[1] = I->right;
    I->res[0] = stage;
    return model.solve.call(I->arg, I->res, I->iw, I->w, 0);
}

static int rosenbrock_step(Instance *I, double t, double elapsed, double h) {
    int nx = model.nx, moving = I->state.inputs_move || model.timed;
    if (I->state.inputs_move) move_inputs(I, elapsed);
    int failed = factor_step(I, t, h);
    if (!failed && moving) {
        I->arg[N_ARGUMENTS] = I->du;
        failed = call_kernel(I, &model.time_derivative, t, I->x, I->k2);
    }
    for (int s = 0; s < RODASP_STAGES && !failed; s++) {
        double ahead = RODASP_ALPHA[s]*h;
        for (int i = 0; i < nx; i++) {
            I->probe[i] = I->x[i];
            for (int j = 0; j < s; j++) I->probe[i] = I->probe[i] + RODASP_A[s][j]*I->stages[j*nx + i];
        }
        failed = evaluate_rates(I, t + ahead, elapsed + ahead, I->probe, I->k1);
        for (int i = 0; i < nx; i++) {
            I->right[i] = I->k1[i];
            for (int j = 0; j < s; j++) I->right[i] = I->right[i] + RODASP_C[s][j]/h*I->stages[j*nx + i];
            if (moving) I->right[i] = I->right[i] + RODASP_GAMMAS[s]*h*I->k2[i];
        }
        failed |= solve_stage(I, I->stages + s*nx);
    }
    for (int i = 0; i < nx && !failed; i++) {
        double change = RODASP_M[0]*I->stages[i];
        for (int s = 1; s < RODASP_STAGES; s++) change = change + RODASP_M[s]*I->stages[s*nx + i];
        I->x[i] = I->x[i] + change;
    }
    return failed;
}
