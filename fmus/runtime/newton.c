/* Start values of states from residuals: damped Newton iteration with their exact Jacobian. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "instance.h"

/* newton.py does the same operations in the same order */
typedef struct {
    double *matrix, *columns; /* factors of the Jacobian, column by column; the largest entry of each column before */
    double *now, *residual, *step;
    double *trial, *trial_residual, *next;
} Newton;

static double clamp(double value, double low, double high) { return value < low ? low : value > high ? high : value; }

/* residuals at some unknowns; the index of the first that is not finite, or -1 */
static int residuals_at(Instance *I, const double *unknowns, double *residual) {
    for (int i = 0; i < model.ns; i++) I->x[model.solved[i]] = unknowns[i];
    if (call_kernel(I, &model.residual, I->state.start_time, I->x, residual)) residual[0] = NAN;
    for (int i = 0; i < model.ns; i++)
        if (!is_finite(residual[i])) return i;
    return -1;
}

/* LU decomposition with partial pivoting of the Jacobian at the last residuals; the column that has no pivot, or -1 */
static int factor(Instance *I, Newton *N) {
    int n = model.ns;
    double *A = N->matrix;
    if (call_kernel(I, &model.jacobian, I->state.start_time, I->x, A)) return 0;
    for (int k = 0; k < n; k++) {
        N->columns[k] = 0.0;
        for (int i = 0; i < n; i++) {
            if (!is_finite(A[i + k*n])) return k;
            N->columns[k] = fmax(N->columns[k], fabs(A[i + k*n]));
        }
    }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i + k*n]) > fabs(A[pivot + k*n])) pivot = i;
        if (!(fabs(A[pivot + k*n]) > NEWTON_SMALLEST_PIVOT*N->columns[k])) return k;
        I->pivots[k] = pivot;
        for (int j = 0; j < n; j++) {
            double other = A[k + j*n];
            A[k + j*n] = A[pivot + j*n];
            A[pivot + j*n] = other;
        }
        for (int i = k + 1; i < n; i++) {
            A[i + k*n] = A[i + k*n]/A[k + k*n];
            for (int j = k + 1; j < n; j++) A[i + j*n] = A[i + j*n] - A[i + k*n]*A[k + j*n];
        }
    }
    return -1;
}

/* step = - Jacobian^-1 residual */
static void full_step(const Instance *I, const Newton *N, const double *residual, double *step) {
    int n = model.ns;
    const double *A = N->matrix;
    for (int i = 0; i < n; i++) step[i] = -residual[i];
    for (int k = 0; k < n; k++) {
        double other = step[k];
        step[k] = step[I->pivots[k]];
        step[I->pivots[k]] = other;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) step[i] = step[i] - A[i + j*n]*step[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) step[i] = step[i] - A[i + j*n]*step[j];
        step[i] = step[i]/A[i + i*n];
    }
}

/* the largest component of a step, relative to its unknown or that one's nominal value */
static double length(const double *step, const double *unknowns) {
    double size = 0.0;
    for (int i = 0; i < model.ns; i++) {
        double part = fabs(step[i])/fmax(fabs(unknowns[i]), model.nominal[model.solved[i]]);
        if (!(part <= size)) size = part;
        if (!is_finite(size)) return INFINITY;
    }
    return size;
}

static void step_to(const double *from, const double *step, double part, double *to) {
    for (int i = 0; i < model.ns; i++) to[i] = clamp(from[i] + part*step[i], model.lowest[i], model.highest[i]);
}

static void accept(Newton *N, int with_step) {
    memcpy(N->now, N->trial, (size_t) model.ns*sizeof(double));
    memcpy(N->residual, N->trial_residual, (size_t) model.ns*sizeof(double));
    if (with_step) memcpy(N->step, N->next, (size_t) model.ns*sizeof(double));
}

/* take a part of the step after which the next one with the same Jacobian is clearly shorter: a test that no unit of
 * measure affects */
static int damped_step(Instance *I, Newton *N, double size) {
    double part = 1.0;
    for (int k = 0; k < NEWTON_HALVINGS; k++, part = 0.5*part) {
        step_to(N->now, N->step, part, N->trial);
        if (residuals_at(I, N->trial, N->trial_residual) >= 0) continue;
        full_step(I, N, N->trial_residual, N->next);
        if (length(N->next, N->now) <= (1.0 - NEWTON_DECREASE*part)*size) {
            accept(N, 0);
            return 1;
        }
    }
    return 0;
}

/* take full steps down to rounding, so that the solution does not depend on the guess */
static void polish(Instance *I, Newton *N, double size) {
    for (int k = 0; k < POLISHING_STEPS && size > 0.0; k++) {
        step_to(N->now, N->step, 1.0, N->trial);
        if (residuals_at(I, N->trial, N->trial_residual) >= 0 || factor(I, N) >= 0) return;
        full_step(I, N, N->trial_residual, N->next);
        double shorter = length(N->next, N->trial);
        if (!(shorter <= size)) return;
        accept(N, 1);
        if (shorter > POLISHING_RATIO*size) return;
        size = shorter;
    }
}

/* the initial guess: that of the block, unless a start value has been set */
static int initial_guess(Instance *I, const Newton *N, double *now) {
    if (call_kernel(I, &model.guess, I->state.start_time, I->x, N->trial)) {
        report(I, fmi2Error, "%s '%s': the equations of guessed start values failed", model.name, I->name);
        return REPORTED;
    }
    for (int i = 0; i < model.ns; i++) {
        int at = model.solved[i];
        int guessed = model.guess.call && I->guess[at] == model.start[model.np + model.nu + at] && is_finite(N->trial[i]);
        now[i] = clamp(guessed ? N->trial[i] : I->guess[at], model.lowest[i], model.highest[i]);
    }
    return 0;
}

static const char *unknown(int i) { return model.names[model.np + model.nu + model.solved[i]]; }

/* write the guard that fails where the search ended or began, and the parameters that were set */
static void describe_cause(Instance *I, const Newton *N, char *text, size_t size) {
    static const char *const places[] = {"there", "where the search begins"};
    char guard[MESSAGE_LENGTH];
    size_t used = 0;
    int changed = 0;
    *guard = 0;
    for (int k = 0; k < 2 && !*guard; k++) {
        if (k && initial_guess(I, N, N->next)) break;
        for (int i = 0; i < model.ns; i++) I->x[model.solved[i]] = k ? N->next[i] : N->now[i];
        if (broken_guard(I, I->state.start_time, guard, sizeof guard)) *guard = 0;
        if (*guard) used = (size_t) snprintf(text, size, "%s %s", places[k], guard);
    }
    if (!used) used = (size_t) snprintf(text, size, "give a start value nearer to the solution, or check parameters and inputs");
    for (int i = 0; i < model.np - model.nd && used < size; i++) {
        if (I->p[i] == model.start[i] || changed++ >= MAX_NAMED) continue;
        used += (size_t) snprintf(text + used, size - used, "%s%s",
                                  changed > 1 ? ", " : "; not as the block declares them are ", model.names[i]);
    }
    if (changed > MAX_NAMED && used < size) snprintf(text + used, size - used, " and %d more", changed - MAX_NAMED);
}

/* report why there is no solution; the unknowns return to their guesses */
static int report_unsolved(Instance *I, const Newton *N, const char *why, int column, int iterations) {
    int worst = 0;
    char value[NUMBER_LENGTH], at[NUMBER_LENGTH], cause[MESSAGE_LENGTH];
    for (int i = 1; i < model.ns && is_finite(N->residual[worst]); i++)
        if (!(fabs(N->residual[i]) <= fabs(N->residual[worst]))) worst = i;
    describe_cause(I, N, cause, sizeof cause);
    report(I, fmi2Error, "%s '%s': no start value found for '%s': %s at %s = %s, iteration %d; the largest residual is '%s' = %s; %s",
           model.name, I->name, unknown(column), why, unknown(column), format_number(N->now[column], at), iterations,
           model.residuals[worst], format_number(N->residual[worst], value), cause);
    for (int i = 0; i < model.ns; i++) I->x[model.solved[i]] = I->guess[model.solved[i]];
    return REPORTED;
}

/* search by steps that need not reduce the residuals: a full one if `full_first`, then ever shorter ones, so that it
 * converges at kinks */
static int limited_search(Instance *I, Newton *N, double step_limit, int full_first) {
    if (initial_guess(I, N, N->now) || residuals_at(I, N->now, N->residual) >= 0) return 0;
    for (int k = 0; k < SEARCH_ITERATIONS; k++) {
        if (factor(I, N) >= 0) return 0;
        full_step(I, N, N->residual, N->step);
        double size = length(N->step, N->now);
        if (size <= NEWTON_TOLERANCE) {
            polish(I, N, size);
            return 1;
        }
        if (!is_finite(size)) return 0;
        if (k && k % SEARCH_HALVING == 0) step_limit = 0.5*step_limit;
        step_to(N->now, N->step, k || !full_first ? fmin(1.0, step_limit/size) : 1.0, N->trial);
        if (residuals_at(I, N->trial, N->trial_residual) >= 0) return 0;
        accept(N, 0);
    }
    return 0;
}

typedef struct {
    const char *why; /* NULL where there is a solution */
    int column, iterations;
} Result;

/* search by steps that reduce the residuals */
static Result damped_search(Instance *I, Newton *N) {
    int column;
    if (residuals_at(I, N->now, N->residual) >= 0) return (Result) {"the residuals have no value", 0, 0};
    for (int k = 0; k < NEWTON_ITERATIONS; k++) {
        if ((column = factor(I, N)) >= 0) return (Result) {"the residuals do not determine it", column, k};
        full_step(I, N, N->residual, N->step);
        double size = length(N->step, N->now);
        if (size <= NEWTON_TOLERANCE) {
            polish(I, N, size);
            return (Result) {NULL, 0, k};
        }
        if (!damped_step(I, N, size)) return (Result) {"no step leads nearer to one", 0, k};
        /* the last residuals were those of the step that was kept */
    }
    return (Result) {"no convergence", 0, NEWTON_ITERATIONS};
}

/* return 0, or REPORTED. Where damped steps get stuck at a kink, as where a wheel leaves the ground, a search by limited
 * steps starts anew, several times as it may cycle */
static int solve(Instance *I) {
    int n = model.ns;
    Newton newton, *N = &newton;
    N->matrix = I->newton;
    N->columns = N->matrix + n*n;
    N->now = N->columns + n;
    N->residual = N->now + n;
    N->step = N->residual + n;
    N->trial = N->step + n;
    N->trial_residual = N->trial + n;
    N->next = N->trial_residual + n;

    if (initial_guess(I, N, N->now)) return REPORTED;
    Result result = damped_search(I, N);
    if (result.why) {
        Newton again = *N;
        double step_limit = SEARCH_STEP;
        int searches = 0;
        again.now = N->next + n;
        again.residual = again.now + n;
        while (searches < SEARCHES && !limited_search(I, &again, step_limit, 1) &&
               !limited_search(I, &again, step_limit, 0)) {
            step_limit = SEARCH_STEP_RATIO*step_limit;
            searches++;
        }
        if (searches == SEARCHES) return report_unsolved(I, N, result.why, result.column, result.iterations);
        N->now = again.now;
    }
    for (int i = 0; i < n; i++) I->x[model.solved[i]] = N->now[i];
    return 0;
}
