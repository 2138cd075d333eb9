/* The model table: sizes, start values, kinds and kernels of one block. */
#ifndef DRAWBAR_MODEL_H
#define DRAWBAR_MODEL_H

#include "runtime_constants.h"

/* the signature of every kernel, as CasADi generates it: arg = {t, x, z, u, p, resources...}, res = {the one result} */
typedef int (*KernelFunction)(const double **arg, double **res, long long *iw, double *w, int mem);

typedef struct {
    KernelFunction call; /* null where there is nothing to compute */
    int arg, res, iw, w; /* lengths of the work arrays that the kernel needs */
} Kernel;

enum Method { EULER = 1, HEUN = 2, RK4 = 4, ROSENBROCK = 5 };

/* how a value may be set through the FMI */
enum Access { FIXED, TUNABLE, INPUT, STATE, GUESS, CALCULATED };

/* a guard compares a value with a limit, or is a condition that must be true */
enum Relation { ABOVE, AT_LEAST, BELOW, AT_MOST, EQUAL, OTHER, TRUE };

typedef struct {
    const char *name;
    int relation;       /* enum Relation */
    const char *advice; /* may be empty */
} Guard;

/* an array in the resources folder */
typedef struct {
    const char *file;
    int dimensions; /* 1 to MAX_DIMENSIONS */
    long long shape[MAX_DIMENSIONS];
    long long size; /* the number of elements */
    int width;      /* bytes of an element */
    const char *type; /* of the elements, as the file writes it: <f8, <f4 or |u1 */
} Resource;

/* the values of an instance lie in one array: p | u | x | z | y; the FMI value reference is the index in it.
 * Behind them, up to N_REFERENCES, come the derivatives of x, which are computed when they are read */
typedef struct {
    const char *name;
    const char *guid;
    int np, nu, nx, nz, ny;
    const double *start;         /* of all values */
    const unsigned char *access; /* enum Access, of all references */
    const char *type;            /* r, i or b, of all references */
    const char *causality;       /* p, c, i, o or l, of all references */
    const char *const *names;    /* of all references, for messages */
    const double *nominal;       /* of x */
    int method;                  /* enum Method */
    double step;                 /* longest micro-step, s */
    long long period_num;        /* sampling period in seconds as a fraction; 0 for a continuous block */
    long long period_den;
    Kernel ode, update, out;
    Kernel jvp; /* arg = {t, x, z, u, p, dx, du}, res = {change of dx/dt, change of y}; null where there is none */
    int n_resources;
    const Resource *resources;
    int nd;                      /* of the parameters the last nd are calculated from the others */
    int ni, ns, ng;              /* states that the block gives at the start, that it solves for; guards */
    int nb;                      /* outputs with an expression of their own until initialization ends */
    const int *given, *solved;   /* indices among the states */
    const int *shown;            /* indices of the nb outputs among the outputs */
    const double *lowest, *highest; /* of those solved for */
    const char *const *residuals;   /* names, as many as are solved for */
    const unsigned char *follows;   /* of all references: whether it depends on states that are solved for */
    const Guard *guards;
    Kernel derive, initial, residual, jacobian; /* results: derived, given, ns residuals, ns x ns by columns */
    Kernel guess;                               /* ns initial guesses; null where the block gives none */
    Kernel initial_outputs;                     /* nb outputs */
    Kernel guard;                               /* ng values, then ng limits */
    /* of an implicit step: factors of the matrix 1/(gamma h) - d rates/dx, arg = {..., p, 1/(gamma h)}, res = {factors,
     * relative pivots}; its solution, arg = {factors, right-hand side}; the time derivative of the rates,
     * arg = {..., p, du/dt} */
    Kernel factor, solve, time_derivative;
    int nf;    /* factors */
    Kernel stability_bounds;   /* nr bounds of the rates of the states, 1/s */
    int nr;
    const char *const *bounds; /* their names */
    double limit;              /* of step times bound, for the explicit method */
    int timed; /* whether the rates depend on the time itself */
} Model;

#define N_VALUES (model.np + model.nu + model.nx + model.nz + model.ny)
#define N_REFERENCES (N_VALUES + model.nx)

#endif
