/* The values of a script as a master in C reads and writes them, so that Python is entered for its samples only.
 * The component is the array of values; the value reference is the index in it. */
#include <stddef.h>
#include <stdint.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE int get_real(void *component, const uint32_t *reference, size_t n, double *value) {
    const double *values = component;
    for (size_t i = 0; i < n; i++) value[i] = values[reference[i]];
    return 0;
}

/* integers and Booleans are whole numbers in the array */
VISIBLE int get_whole(void *component, const uint32_t *reference, size_t n, int32_t *value) {
    const double *values = component;
    for (size_t i = 0; i < n; i++) value[i] = (int32_t) values[reference[i]];
    return 0;
}

VISIBLE int set_real(void *component, const uint32_t *reference, size_t n, const double *value) {
    double *values = component;
    for (size_t i = 0; i < n; i++) values[reference[i]] = value[i];
    return 0;
}

VISIBLE int set_integer(void *component, const uint32_t *reference, size_t n, const int32_t *value) {
    double *values = component;
    for (size_t i = 0; i < n; i++) values[reference[i]] = value[i];
    return 0;
}

VISIBLE int set_boolean(void *component, const uint32_t *reference, size_t n, const int32_t *value) {
    double *values = component;
    for (size_t i = 0; i < n; i++) values[reference[i]] = value[i] != 0;
    return 0;
}
