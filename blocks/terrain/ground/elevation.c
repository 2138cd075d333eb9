/* The ground under four wheels, from a map. */
#include "elevation.h"

#include <string.h>

#include "bilinear.h"

/* layout of one port of the bus Ground in doubles: point, normal, then a row of `soils` */
#define POINT 0
#define NORMAL 3
#define SOIL 6
#define SOIL_LENGTH LENGTH(((struct soils *) 0)->at[0])

typedef char an_end_is_point_normal_and_soil[
    sizeof(((Outputs *) 0)->ground_fl) == (SOIL + SOIL_LENGTH)*sizeof(double) ? 1 : -1];

/* computes the ground at a position; returns 1 if the position is not finite, else 0 */
static int under(const double **arg, const double at[2], double *ground, double *outside) {
    const Parameters *p = parameters_of(arg);
    if (!isfinite(at[0]) || !isfinite(at[1])) return 1;
    Surface s = surface_at(heights_of(arg), classes_of(arg), frame_of(arg), at[0] - p->shift[0], at[1] - p->shift[1]);
    s.z *= p->scale;
    s.slope_x *= p->scale;
    s.slope_y *= p->scale;
    double *point = ground + POINT, *normal = ground + NORMAL;
    normal_of(&s, normal);
    /* a disk with its lowest point on the map touches the ground at the distance R from its centre along the normal */
    double radius = frame_of(arg)->at[5];
    point[0] = at[0] - radius*normal[0];
    point[1] = at[1] - radius*normal[1];
    point[2] = s.z + radius*(1.0 - normal[2]);
    memcpy(ground + SOIL, soils_of(arg)->at[s.soil], SOIL_LENGTH*sizeof(double));
    *outside = s.outside;
    return 0;
}

int outputs(const double **arg, double **res, long long *iw, double *w, int mem) {
    const Inputs *u = inputs_of(arg);
    Outputs *y = outputs_of(res);
    (void) iw; (void) w; (void) mem;
    return under(arg, u->ground_fl.at, (double *) &y->ground_fl, &y->outside[0])
        || under(arg, u->ground_fr.at, (double *) &y->ground_fr, &y->outside[1])
        || under(arg, u->ground_rl.at, (double *) &y->ground_rl, &y->outside[2])
        || under(arg, u->ground_rr.at, (double *) &y->ground_rr, &y->outside[3]);
}
