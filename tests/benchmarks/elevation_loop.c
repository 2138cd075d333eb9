/* Queries of a map of the ground at given places, and what reading one height of it costs. */
#include <stdlib.h>
#include <time.h>

struct heights { float at[ROWS][COLUMNS]; };
struct classes { unsigned char at[ROWS][COLUMNS]; };
struct frame { double at[6]; };
#include "bilinear.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9*t.tv_sec + t.tv_nsec;
}

/* the least ns of a query over some windows; *sum keeps the work alive */
double queries(const struct heights *map, const struct classes *kinds, const struct frame *frame,
               const double *places, int n, int windows, double *sum) {
    double least = 1e300;
    for (int w = 0; w < windows; w++) {
        double begin = now();
        for (int k = 0; k < n; k++) {
            double normal[3];
            Surface s = surface_at(map, kinds, frame, places[2*k], places[2*k + 1]);
            normal_of(&s, normal);
            *sum += s.z + normal[0] + normal[1] + normal[2] + s.soil;
        }
        double spent = (now() - begin)/n;
        if (spent < least) least = spent;
    }
    return least;
}

/* the floor: the height of the nearest point and nothing else */
double floor_of(const struct heights *map, const struct classes *kinds, const struct frame *frame,
                const double *places, int n, int windows, double *sum) {
    double least = 1e300, per_x = 1.0/frame->at[3], per_y = 1.0/frame->at[4];
    (void) kinds;
    for (int w = 0; w < windows; w++) {
        double begin = now();
        for (int k = 0; k < n; k++) {
            int j = (int) ((places[2*k] - frame->at[0])*per_x + 0.5), i = (int) ((places[2*k + 1] - frame->at[1])*per_y + 0.5);
            *sum += map->at[i][j];
        }
        double spent = (now() - begin)/n;
        if (spent < least) least = spent;
    }
    return least;
}
