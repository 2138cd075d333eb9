/* The floor that a master is measured against: the same calls on the same binaries, and nothing else. */
#include <stddef.h>
#include <stdint.h>

typedef int (*Exchange)(void *c, const uint32_t *reference, size_t n, double *value);
typedef int (*DoStep)(void *c, double t, double h, int flag);

typedef struct {
    void *component;
    Exchange get, set;
    DoStep do_step;
    uint32_t input, output;
} BareFmu;

/* a chain under Jacobi coupling: FMU i takes the output of FMU i - 1; the first takes `source` */
__attribute__((visibility("default"))) double chain(const BareFmu *fmu, int n, double *value, double source, double h, int64_t steps) {
    for (int64_t k = 0; k < steps; k++) {
        for (int i = 0; i < n; i++) fmu[i].set(fmu[i].component, &fmu[i].input, 1, i ? &value[i - 1] : &source);
        for (int i = 0; i < n; i++) fmu[i].do_step(fmu[i].component, (double) k*h, h, 1);
        for (int i = 0; i < n; i++) fmu[i].get(fmu[i].component, &fmu[i].output, 1, &value[i]);
    }
    return value[n - 1];
}

/* one FMU, many inputs and outputs at each step */
__attribute__((visibility("default"))) void alone(const BareFmu *fmu, const uint32_t *in, size_t n_in, const double *input,
                                                  const uint32_t *out, size_t n_out, double *output, double h, int64_t steps) {
    for (int64_t k = 0; k < steps; k++) {
        if (n_in) fmu->set(fmu->component, in, n_in, (double *) input);
        fmu->do_step(fmu->component, (double) k*h, h, 1);
        if (n_out) fmu->get(fmu->component, out, n_out, output);
    }
}
