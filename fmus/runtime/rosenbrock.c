/* One micro-step of RODASP, a linearly implicit method of order 4; rosenbrock.py says which, and does the same operations
 * in the same order. */
#include "instance.h"

#define STAGES 6
#define GAMMA 0.25
#define SMALLEST_PIVOT_WORTH 1e-14 /* in parts of the terms that it is the sum of */

static const double alpha[STAGES] = {0.0, 0.75, 0.21, 0.63, 1.0, 1.0};
static const double gammas[STAGES] = {0.25, -0.5, -0.023504, -0.0362, 0.0, 0.0};
/* of a stage, those before it: on its states; on its right side, in parts of the step */
static const double on_states[STAGES][STAGES] = {
    {0.0},
    {3.0},
    {1.831036793486759, 0.4955183967433795},
    {2.304376582692669, -0.05249275245743001, -1.176798761832782},
    {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401},
    {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401, 1.0}};
static const double on_right[STAGES][STAGES] = {
    {0.0},
    {-12.0},
    {-8.791795173947035, -2.207865586973518},
    {10.81793056857153, 6.780270611428266, 19.53485944642410},
    {34.19095006749676, 15.49671153725963, 54.74760875964130, 14.16005392148534},
    {34.62605830930532, 15.30084976114473, 56.99955578662667, 18.40807009793095, -5.714285714285717}};
static const double on_result[STAGES] = {
    -7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401, 1.0, 1.0};

/* factors of 1/(gamma h) - df/dx where the step begins */
static int factor_step(Instance *I, double t, double h) {
    char worth[SHOWN];
    double shift = 1.0/(GAMMA*h);
    I->arg[5] = &shift;
    I->res[1] = I->worth;
    int failed = call_kernel(I, &model.factor, t, I->x, I->factors);
    for (int i = 0; i < model.nx && !failed; i++)
        if (!(I->worth[i] > SMALLEST_PIVOT_WORTH)) {
            report(I, fmi2Error, "%s '%s': the implicit step from t = %g s by %g s has no solution: '%s' has the pivot %s in parts "
                   "of its terms; take a shorter step, or another method", model.name, I->name, t, h,
                   model.names[model.np + model.nu + i], show(I->worth[i], worth));
            failed = TOLD;
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
    int nx = model.nx, moving = I->state.sloped || model.timed;
    if (I->state.sloped) move_inputs(I, elapsed);
    int failed = factor_step(I, t, h);
    if (!failed && moving) {
        I->arg[5] = I->du;
        failed = call_kernel(I, &model.drift, t, I->x, I->k2);
    }
    for (int s = 0; s < STAGES && !failed; s++) {
        double ahead = alpha[s]*h;
        for (int i = 0; i < nx; i++) {
            I->probe[i] = I->x[i];
            for (int j = 0; j < s; j++) I->probe[i] = I->probe[i] + on_states[s][j]*I->stages[j*nx + i];
        }
        failed = slopes(I, t + ahead, elapsed + ahead, I->probe, I->k1);
        for (int i = 0; i < nx; i++) {
            I->right[i] = I->k1[i];
            for (int j = 0; j < s; j++) I->right[i] = I->right[i] + on_right[s][j]/h*I->stages[j*nx + i];
            if (moving) I->right[i] = I->right[i] + gammas[s]*h*I->k2[i];
        }
        failed |= solve_stage(I, I->stages + s*nx);
    }
    for (int i = 0; i < nx && !failed; i++) {
        double change = on_result[0]*I->stages[i];
        for (int s = 1; s < STAGES; s++) change = change + on_result[s]*I->stages[s*nx + i];
        I->x[i] = I->x[i] + change;
    }
    return failed;
}
