/* Nanoseconds of one call of a generated function, the least of several windows of calls. */
#include <string.h>
#include <time.h>

typedef int (*function)(const double **arg, double **res, long long *iw, double *w, int mem);
typedef void (*solver)(int *n, int *nrhs, double *a, int *lda, int *ipiv, double *b, int *ldb, int *info);

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

double least(function f, const double **arg, double **res, long long *iw, double *w, int calls, int windows) {
    double best = 1e30;
    for (int k = 0; k < windows; ++k) {
        double began = now();
        for (int i = 0; i < calls; ++i) f(arg, res, iw, w, 0);
        double spent = (now() - began) / calls;
        if (spent < best) best = spent;
    }
    return best;
}

/* the same with a dense solve of what the function wrote: the entries of a matrix, whose places in A are given, and a
   right side, which becomes the solution */
double least_solved(function f, const double **arg, double **res, long long *iw, double *w, int calls, int windows,
                    solver solve, int n, int *pivots, double *A, const int *places, int entries) {
    double best = 1e30;
    for (int k = 0; k < windows; ++k) {
        double began = now();
        for (int i = 0; i < calls; ++i) {
            int one = 1, info = 0;
            f(arg, res, iw, w, 0);
            memset(A, 0, sizeof(double) * n * n);
            for (int k = 0; k < entries; ++k) A[places[k]] = res[0][k];
            solve(&n, &one, A, &n, pivots, res[1], &n, &info);
            if (info) return -1.0;
        }
        double spent = (now() - began) / calls;
        if (spent < best) best = spent;
    }
    return best;
}
