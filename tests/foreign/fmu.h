/* What the FMUs of this folder share: an instance, and the hooks that each of them fills. */
#ifndef FMU_H
#define FMU_H

#include <math.h>

#include "fmi2Functions.h"

#include "choices.h" /* written by builder.py: the variables, the GUID, and what the FMU can do */

typedef enum { ENTER, EXIT, GET, SET, SET_DERIVATIVES, DO_STEP, STATUS, TERMINATE, FREE } Call;

typedef enum { INSTANTIATED, INITIALIZING, STEPPING, FAILED, TERMINATED } Mode;

typedef struct {
    fmi2CallbackLogger logger;
    fmi2ComponentEnvironment environment;
    char name[128];
    Mode mode;
    double time;             /* the communication point that it stands at */
    double only_step;        /* the one step size it takes, 0 if it takes any */
    double v[N_VARIABLES];   /* values by reference, whole numbers too */
    double du[N_VARIABLES];  /* derivatives of inputs, for the next step only */
    double work[32];         /* what an FMU keeps beside its variables; zeros at first */
} Instance;

/* sees every call before it is served; a status above warning is returned to the caller at once */
fmi2Status on_call(Instance *instance, Call call, const fmi2ValueReference *references, size_t n);

/* advances the states from the communication point t by h */
fmi2Status step(Instance *instance, double t, double h);

/* a variable as it is now, feed-through included */
double value(const Instance *instance, fmi2ValueReference reference);

/* the derivative of an output by an input, both at the communication point */
double partial(const Instance *instance, fmi2ValueReference output, fmi2ValueReference input);

/* a message to the importer's logger */
void log_message(const Instance *instance, fmi2Status status, const char *category, const char *format, ...);

/* T y' = u(t) - y over h, exactly, with u(t) = u + du*t */
static inline double lag(double y, double u, double du, double T, double h) {
    double fade = exp(-h/T);
    return u + du*(h - T) + (y - u + du*T)*fade;
}

#endif
