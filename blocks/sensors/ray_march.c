/* Rays that march over a height map until one of their trials is not above the ground. */
#include "ray_march.h"

#include <math.h>

#define BISECTIONS 30

typedef struct {
    double x, y, z;
} Vector;

/* height over the ground; the caller keeps the point inside the map, to rounding */
static double gap(const struct terrain *map, const Parameters *p, Vector from, Vector d, double r) {
    int rows = LENGTH(map->at), columns = LENGTH(map->at[0]);
    double east = (from.x + r*d.x - p->corner[0])/p->spacing;
    double north = (from.y + r*d.y - p->corner[1])/p->spacing;
    east = fmin(fmax(east, 0.0), columns - 1.0);
    north = fmin(fmax(north, 0.0), rows - 1.0);
    int i = (int) fmin(north, rows - 2.0), j = (int) fmin(east, columns - 2.0);
    double a = north - i, b = east - j;
    double south_edge = (1.0 - b)*map->at[i][j] + b*map->at[i][j + 1];
    double north_edge = (1.0 - b)*map->at[i + 1][j] + b*map->at[i + 1][j + 1];
    return from.z + r*d.z - ((1.0 - a)*south_edge + a*north_edge);
}

/* shortens *begin..*end to where the ray is between two sides of the map */
static void clip(double from, double along, double low, double high, double *begin, double *end) {
    if (along == 0.0) {
        if (from < low || from > high) *end = -1.0;
        return;
    }
    double r1 = (low - from)/along, r2 = (high - from)/along;
    *begin = fmax(*begin, fmin(r1, r2));
    *end = fmin(*end, fmax(r1, r2));
}

static double march(const struct terrain *map, const Parameters *p, Vector from, Vector d) {
    double begin = 0.0, end = p->longest;
    clip(from.x, d.x, p->corner[0], p->corner[0] + p->spacing*(LENGTH(map->at[0]) - 1), &begin, &end);
    clip(from.y, d.y, p->corner[1], p->corner[1] + p->spacing*(LENGTH(map->at) - 1), &begin, &end);
    if (!(begin <= end)) return p->longest; /* it passes the map */
    if (gap(map, p, from, d, begin) <= 0.0) return begin;
    for (double above = begin; above < end; ) {
        double below = fmin(above + p->stride, end);
        if (gap(map, p, from, d, below) <= 0.0) {
            for (int i = 0; i < BISECTIONS; i++) {
                double middle = 0.5*(above + below);
                if (gap(map, p, from, d, middle) <= 0.0) below = middle;
                else above = middle;
            }
            return below;
        }
        above = below;
    }
    return p->longest;
}

int outputs(const double **arg, double **res, long long *iw, double *w, int mem) {
    const Inputs *u = inputs_of(arg);
    const Parameters *p = parameters_of(arg);
    const struct terrain *map = terrain_of(arg);
    Outputs *y = outputs_of(res);
    const Vector from = {u->position[0], u->position[1], u->position[2]};
    int n = LENGTH(y->ranges);
    if (!(p->stride >= 1e-3 && p->spacing >= 1e-3 && p->longest <= 1e4)) return 1; /* a march might not end */

    /* from the axes of the sensor to the world: yaw, then pitch, then roll */
    double cr = cos(u->roll), sr = sin(u->roll), cp = cos(u->pitch), sp = sin(u->pitch), cy = cos(u->yaw), sy = sin(u->yaw);
    const Vector forward = {cy*cp, sy*cp, -sp};
    const Vector left = {cy*sp*sr - sy*cr, sy*sp*sr + cy*cr, cp*sr};
    const Vector up = {cy*sp*cr + sy*sr, sy*sp*cr - cy*sr, cp*cr};

    double flat = cos(p->elevation), rise = sin(p->elevation);
    for (int k = 0; k < n; k++) {
        double azimuth = p->first + (n > 1 ? k*p->span/(n - 1) : 0.0);
        double a = flat*cos(azimuth), b = flat*sin(azimuth);
        const Vector d = {a*forward.x + b*left.x + rise*up.x, a*forward.y + b*left.y + rise*up.y,
                          a*forward.z + b*left.z + rise*up.z};
        y->ranges[k] = march(map, p, from, d);
    }
    (void) iw; (void) w; (void) mem;
    return 0;
}
