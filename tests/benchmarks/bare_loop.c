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
} Unit;

/* a chain under Jacobi coupling: unit i takes the output of unit i - 1; the first takes `source` */
__attribute__((visibility("default"))) double chain(const Unit *unit, int n, double *value, double source, double h, int64_t steps) {
    for (int64_t k = 0; k < steps; k++) {
        for (int i = 0; i < n; i++) unit[i].set(unit[i].component, &unit[i].input, 1, i ? &value[i - 1] : &source);
        for (int i = 0; i < n; i++) unit[i].do_step(unit[i].component, (double) k*h, h, 1);
        for (int i = 0; i < n; i++) unit[i].get(unit[i].component, &unit[i].output, 1, &value[i]);
    }
    return value[n - 1];
}

/* one unit, many inputs and outputs at each step */
__attribute__((visibility("default"))) void alone(const Unit *unit, const uint32_t *in, size_t n_in, const double *input,
                                                  const uint32_t *out, size_t n_out, double *output, double h, int64_t steps) {
    for (int64_t k = 0; k < steps; k++) {
        if (n_in) unit->set(unit->component, in, n_in, (double *) input);
        unit->do_step(unit->component, (double) k*h, h, 1);
        if (n_out) unit->get(unit->component, out, n_out, output);
    }
}
