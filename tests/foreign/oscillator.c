/* One side of the two-mass oscillator, cut so that a force goes one way and a displacement the other.
 *
 *   side 1:  m x'' = -k (x - rest) - c x' + F               in: F        out: x, v
 *   side 2:  m x'' = -k (x - rest) - c x' - F               in: x1, v1   out: F, x, v
 *            F = k2 (x - x1) + c2 (v - v1)
 *
 * Over a step the inputs are held, or run linearly where their derivatives were given. Then (x, v, w, w'), w being the
 * acceleration by inputs and rest, obeys z' = M z with a constant M, and z(t + h) = exp(M h) z(t) is exact: the
 * exponential is a Taylor polynomial of degree 16 after scaling to a norm below 1/4, squared back. */
#include <string.h>

#include "fmu.h"

enum { N = 4 };
enum { CACHED_H, EXPONENTIAL }; /* in work: the step for which the exponential was computed, and it, row by row */

static void multiply(double *result, const double *a, const double *b) {
    double product[N*N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            product[N*i + j] = 0.0;
            for (int k = 0; k < N; k++) product[N*i + j] += a[N*i + k]*b[N*k + j];
        }
    memcpy(result, product, sizeof product);
}

static void exponential(double *result, const double *matrix) {
    double scaled[N*N], norm = 0.0;
    int squarings = 0;
    for (int i = 0; i < N; i++) {
        double sum = 0.0;
        for (int j = 0; j < N; j++) sum += fabs(matrix[N*i + j]);
        norm = fmax(norm, sum);
    }
    while (ldexp(norm, -squarings) > 0.25 && squarings < 60) squarings++;
    for (int i = 0; i < N*N; i++) scaled[i] = ldexp(matrix[i], -squarings);
    /* Horner: 1 + s (1 + s/2 (1 + s/3 (...))) */
    memset(result, 0, N*N*sizeof *result);
    for (int i = 0; i < N; i++) result[N*i + i] = 1.0;
    for (int degree = 16; degree > 0; degree--) {
        multiply(result, scaled, result);
        for (int i = 0; i < N*N; i++) result[i] /= degree;
        for (int i = 0; i < N; i++) result[N*i + i] += 1.0;
    }
    for (int i = 0; i < squarings; i++) multiply(result, result, result);
}

#if SIDE == 1
static double stiffness(const double *v) { return v[V_k]; }
static double damping(const double *v) { return v[V_c]; }
static double force_by_inputs(const double *v, const double *inputs) { (void) v; return inputs[V_F]; }
#else
static double stiffness(const double *v) { return v[V_k] + v[V_k2]; }
static double damping(const double *v) { return v[V_c] + v[V_c2]; }
static double force_by_inputs(const double *v, const double *inputs) {
    return v[V_k2]*inputs[V_x1] + v[V_c2]*inputs[V_v1];
}
#endif

fmi2Status on_call(Instance *instance, Call call, const fmi2ValueReference *references, size_t n) {
    (void) instance, (void) call, (void) references, (void) n;
    return fmi2OK;
}

fmi2Status step(Instance *instance, double t, double h) {
    double *v = instance->v, *E = instance->work + EXPONENTIAL;
    (void) t;
    /* all parameters are fixed, so the exponential changes with the step only */
    if (instance->work[CACHED_H] != h) {
        double M[N*N] = {0.0, h, 0.0, 0.0, -h*stiffness(v)/v[V_m], -h*damping(v)/v[V_m], h, 0.0, 0.0, 0.0, 0.0, h};
        exponential(E, M);
        instance->work[CACHED_H] = h;
    }
    double w = (force_by_inputs(v, v) + v[V_k]*v[V_rest])/v[V_m], dw = force_by_inputs(v, instance->du)/v[V_m];
    double x = v[V_x];
    v[V_x] = E[0]*x + E[1]*v[V_v] + E[2]*w + E[3]*dw;
    v[V_v] = E[4]*x + E[5]*v[V_v] + E[6]*w + E[7]*dw;
    return fmi2OK;
}

double value(const Instance *instance, fmi2ValueReference reference) {
    const double *v = instance->v;
#if SIDE == 2
    if (reference == V_F) return v[V_k2]*(v[V_x] - v[V_x1]) + v[V_c2]*(v[V_v] - v[V_v1]);
#endif
    return v[reference];
}

double partial(const Instance *instance, fmi2ValueReference output, fmi2ValueReference input) {
    (void) instance, (void) output, (void) input;
#if SIDE == 2
    if (output == V_F && input == V_x1) return -instance->v[V_k2];
    if (output == V_F && input == V_v1) return -instance->v[V_c2];
#endif
    return 0.0;
}
