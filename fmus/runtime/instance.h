/* One live instance of the model. All that changes while it runs lies in `State`, the values and the input derivatives. */
#ifndef DRAWBAR_INSTANCE_H
#define DRAWBAR_INSTANCE_H

#include "fmi2Functions.h"
#include "model.h"

/* derivatives of the inputs, guesses of the states and held outputs, which lie behind all value references */
#define N_BEHIND ((size_t) (model.nu + model.nx + model.nz + model.ny))

/* stepping is co-simulation, event and continuous are model exchange */
typedef enum { INSTANTIATED, INITIALIZING, STEPPING, EVENT, CONTINUOUS, TERMINATED } Phase;

/* sets of phases in which a call is allowed, and for one kind of instance only */
#define IN(phase) (1u << (phase))
#define ANY_PHASE (IN(TERMINATED + 1) - 1)
#define COSIMULATION IN(30)
#define EXCHANGE IN(31)

typedef struct {
    double time;       /* end of the last step, s */
    double start_time; /* s */
    long long samples; /* samples that have run, the first at start_time */
    int phase;         /* Phase */
    int stale;         /* whether outputs are out of date */
    int inputs_move;   /* whether inputs have derivatives for the next step */
    int underived;     /* whether calculated parameters are out of date */
    int unset;         /* whether initial states that the block gives are out of date */
    int unsolved;      /* whether those that it solves for are out of date */
} State;

typedef struct Shared Shared; /* the resources, see resources.c */

typedef struct {
    State state;
    fmi2Type kind;
    double *v;                   /* p | u | x | z | y | dx */
    double *p, *u, *x, *z, *y, *dx; /* parts of v */
    double *du;                  /* derivatives of u in the next step, per s; behind v */
    double *guess;               /* initial guess of the states that are solved for; behind du */
    double *held;                /* y at the last event, as integers and Booleans are read; behind guess */
    double *u0;                  /* u at the beginning of that step */
    double *k1, *k2, *k3, *k4;   /* rates of the states, or the next discrete states */
    double *probe;               /* states at a stage of a micro-step */
    double *stages, *right, *relative_pivots, *factors; /* of an implicit step */
    double *sides;               /* values and limits of the guards */
    double *bounds;              /* stability bounds: the fastest rates of the states, 1/s */
    double *initial_outputs;     /* outputs with an expression of their own until initialization ends */
    double *newton;              /* work array of the solution for start values */
    int *pivots;
    double *seed;                /* of a directional derivative, in the order x | u */
    double *change;              /* of a directional derivative, in the order dx | y */
    const double **arg;          /* work arrays of the kernels */
    double **res;
    long long *iw;
    double *w;
    Shared *shared;              /* null if the model has no resources */
    char *name;
    fmi2CallbackLogger logger;   /* may be null */
    fmi2ComponentEnvironment environment;
} Instance;

#define REPORTED (-1000)     /* an error that was reported to the importer */
#define NUMBER_LENGTH 32     /* characters of a number in a message */
#define MESSAGE_LENGTH 1024  /* characters of a message */

static fmi2Status report(const Instance *I, fmi2Status status, const char *format, ...);
static const char *format_number(double value, char *text);
static int is_finite(double value) { return value - value == 0.0; }

/* each returns 0, REPORTED, or the error code of a kernel */
static int call_kernel(Instance *I, const Kernel *kernel, double t, const double *x, double *result);
static int derive(Instance *I);
static int initialize(Instance *I, int solve_too);
static int update_calculated(Instance *I, int solve_too);
static int refresh(Instance *I, const fmi2ValueReference vr[], size_t n);
static double visible_value(const Instance *I, fmi2ValueReference vr); /* the value as it is read */
static void store(Instance *I, fmi2ValueReference vr, double value);
static int solve(Instance *I);
/* its message goes into the text, which is empty where all hold */
static int broken_guard(Instance *I, double t, char *text, size_t size);
static int check_guards(Instance *I, double t);
static int check_states(Instance *I, double t);
static int evaluate_outputs(Instance *I, double t);
static void move_inputs(Instance *I, double elapsed);
static int evaluate_rates(Instance *I, double t, double elapsed, const double *x, double *k);
static int rosenbrock_step(Instance *I, double t, double elapsed, double h);
static int integrate(Instance *I, double t, double h);
static int run_samples(Instance *I, double t_end, double h);
static int first_sample(Instance *I);
static int run_due_samples(Instance *I);
static double next_sample_time(const Instance *I); /* s */

/* these report what they refuse */
static fmi2Status unsupported(fmi2Component c, const char *function);
static int is_allowed(const Instance *I, const char *function, unsigned phases);
static int is_variable(const Instance *I, fmi2ValueReference vr, char type, const char *function);

/* the array of the resource with this index */
static const void *resource(const Instance *I, int i);
/* return 0, or 1 after a message */
static int acquire_resources(Instance *I, const char *uri);
static void release_resources(Instance *I);

#endif
