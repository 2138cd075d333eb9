/* One live instance of the model. All that changes while it runs lies in `State`, the values and the input slopes. */
#ifndef DRAWBAR_INSTANCE_H
#define DRAWBAR_INSTANCE_H

#include "fmi2Functions.h"
#include "model.h"

/* the slopes of the inputs, the guesses of the states and the held outputs, which lie behind all references */
#define N_BEHIND ((size_t) (model.nu + model.nx + model.nz + model.ny))

/* stepping is co-simulation, event and continuous are model exchange */
typedef enum { INSTANTIATED, INITIALIZING, STEPPING, EVENT, CONTINUOUS, TERMINATED } Phase;

/* sets of phases in which a call is allowed, and for one kind of instance only */
#define IN(phase) (1u << (phase))
#define ANY_PHASE (IN(TERMINATED + 1) - 1)
#define COSIMULATION IN(30)
#define EXCHANGE IN(31)

typedef struct {
    double time;       /* where the last step ended, s */
    double start_time; /* s */
    long long samples; /* samples that have run, the first at start_time */
    int phase;         /* Phase */
    int stale;         /* the outputs do not yet belong to the values */
    int sloped;        /* inputs have slopes for the next step */
    int underived;     /* calculated parameters do not yet belong to the others */
    int unset;         /* states that the block gives at the start do not yet belong to parameters and inputs */
    int unsolved;      /* nor do those that it solves for */
} State;

typedef struct Shared Shared; /* the resources, see resources.c */

typedef struct {
    State state;
    fmi2Type kind;
    double *v;                   /* p | u | x | z | y | dx */
    double *p, *u, *x, *z, *y, *dx; /* parts of v */
    double *du;                  /* slopes of u in the next step, per s; behind v */
    double *guess;               /* of the states, where their solution begins; behind du */
    double *held;                /* y at the last event, which is what integers and truth values show; behind guess */
    double *u0;                  /* u where that step begins */
    double *k1, *k2, *k3, *k4;   /* slopes, or the next discrete states */
    double *probe;               /* states between two micro-steps */
    double *stages, *right, *worth, *factors; /* of an implicit step */
    double *sides;               /* values and limits of the guards */
    double *bounds;              /* how fast the states move at most */
    double *early;               /* outputs that are others until initialization ends */
    double *newton;              /* work arrays of the solution for start values */
    int *pivots;
    double *seed;                /* of a directional derivative: x | u */
    double *change;              /* which belongs to it: dx | y */
    const double **arg;          /* work arrays of the kernels */
    double **res;
    long long *iw;
    double *w;
    Shared *shared;              /* null if the model has no resources */
    char *name;
    fmi2CallbackLogger logger;   /* may be null */
    fmi2ComponentEnvironment environment;
} Instance;

#define TOLD (-1000) /* an error that the importer has been told of */
#define SHOWN 32     /* characters of a number in a message */
#define TEXT 1024    /* those of a message */

static fmi2Status report(const Instance *I, fmi2Status status, const char *format, ...);
static const char *show(double value, char *text);
static int is_finite(double value) { return value - value == 0.0; }

/* each returns 0, TOLD, or the kernel's own error code */
static int call_kernel(Instance *I, const Kernel *kernel, double t, const double *x, double *result);
static int derive(Instance *I);
static int begin(Instance *I, int all);
static int settle(Instance *I, int all);
static int refresh(Instance *I, const fmi2ValueReference vr[], size_t n);
static double seen(const Instance *I, fmi2ValueReference vr); /* the value as it is read */
static void store(Instance *I, fmi2ValueReference vr, double value);
static int solve(Instance *I);
static int broken_guard(Instance *I, double t, char *text, size_t size); /* what it says is in the text; none leaves it empty */
static int check_guards(Instance *I, double t);
static int check_states(Instance *I, double t);
static int evaluate_outputs(Instance *I, double t);
static void move_inputs(Instance *I, double elapsed);
static int slopes(Instance *I, double t, double elapsed, const double *x, double *k);
static int rosenbrock_step(Instance *I, double t, double elapsed, double h);
static int integrate(Instance *I, double t, double h);
static int run_samples(Instance *I, double t_end, double h);
static int first_sample(Instance *I);
static int run_due_samples(Instance *I);
static double next_sample(const Instance *I); /* its time, s */

/* these log what they refuse */
static fmi2Status unsupported(fmi2Component c, const char *function);
static int is_allowed(const Instance *I, const char *function, unsigned phases);
static int is_variable(const Instance *I, fmi2ValueReference vr, char type, const char *function);

/* the array of the resource with this index */
static const void *resource(const Instance *I, int i);
/* 0, or 1 after a message */
static int take_resources(Instance *I, const char *uri);
static void give_resources_back(Instance *I);

#endif
