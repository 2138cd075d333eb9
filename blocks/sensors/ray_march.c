/* Rays that march over a height map until a point on them is not above the ground. */
#include "ray_march.h"

#include <math.h>

#define BISECTIONS 30

typedef struct {
    double x, y, z;
} Vector;

/* each compiles to one instruction, unlike fmin and fmax; if a is NaN the result is b */
static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

/* height above the ground of the point at r along a ray; x and y are in points of the map, and the point is on the map */
static double clearance(const struct terrain *map, Vector from, Vector d, double r) {
    int rows = LENGTH(map->at), columns = LENGTH(map->at[0]);
    double east = smaller(larger(from.x + r*d.x, 0.0), columns - 1.0); /* limited because of rounding */
    double north = smaller(larger(from.y + r*d.y, 0.0), rows - 1.0);
    int i = (int) smaller(north, rows - 2.0), j = (int) smaller(east, columns - 2.0);
    double a = north - i, b = east - j;
    double south_edge = (1.0 - b)*map->at[i][j] + b*map->at[i][j + 1];
    double north_edge = (1.0 - b)*map->at[i + 1][j] + b*map->at[i + 1][j + 1];
    return from.z + r*d.z - ((1.0 - a)*south_edge + a*north_edge);
}

/* limits the interval *begin to *end to the part in which a coordinate is between 0 and `high` */
static void clip(double from, double along, double high, double *begin, double *end) {
    if (along == 0.0) {
        if (from < 0.0 || from > high) *end = -1.0;
        return;
    }
    double r1 = -from/along, r2 = (high - from)/along;
    *begin = larger(smaller(r1, r2), *begin);
    *end = smaller(larger(r1, r2), *end);
}

static double march(const struct terrain *map, Vector from, Vector d, double stride, double longest) {
    double begin = 0.0, end = longest;
    clip(from.x, d.x, LENGTH(map->at[0]) - 1, &begin, &end);
    clip(from.y, d.y, LENGTH(map->at) - 1, &begin, &end);
    if (!(begin <= end)) return longest; /* the ray misses the map */
    if (clearance(map, from, d, begin) <= 0.0) return begin;
    for (double above = begin; above < end; ) {
        double below = smaller(above + stride, end);
        if (clearance(map, from, d, below) <= 0.0) {
            for (int i = 0; i < BISECTIONS; i++) {
                double middle = 0.5*(above + below);
                if (clearance(map, from, d, middle) <= 0.0) below = middle;
                else above = middle;
            }
            return below;
        }
        above = below;
    }
    return longest;
}

int outputs(const double **arg, double **res, long long *iw, double *w, int mem) {
    const Inputs *u = inputs_of(arg);
    const Parameters *p = parameters_of(arg);
    const struct terrain *map = terrain_of(arg);
    Outputs *y = outputs_of(res);
    const Vector from = {(u->position[0] - p->corner[0])/p->spacing, (u->position[1] - p->corner[1])/p->spacing,
                         u->position[2]};
    int n = LENGTH(y->ranges);
    if (!(p->stride >= 1e-3 && p->spacing >= 1e-3 && p->longest <= 1e4)) return 1; /* otherwise a march might not end */

    /* from the axes of the sensor to the world: yaw, then pitch, then roll */
    double cr = cos(u->roll), sr = sin(u->roll), cp = cos(u->pitch), sp = sin(u->pitch), cy = cos(u->yaw), sy = sin(u->yaw);
    const Vector forward = {cy*cp, sy*cp, -sp};
    const Vector left = {cy*sp*sr - sy*cr, sy*sp*sr + cy*cr, cp*sr};
    const Vector up = {cy*sp*cr + sy*sr, sy*sp*cr - cy*sr, cp*cr};

    double flat = cos(p->elevation), rise = sin(p->elevation);
    for (int k = 0; k < n; k++) {
        double azimuth = p->first + (n > 1 ? k*p->span/(n - 1) : 0.0);
        double a = flat*cos(azimuth), b = flat*sin(azimuth);
        const Vector d = {(a*forward.x + b*left.x + rise*up.x)/p->spacing, (a*forward.y + b*left.y + rise*up.y)/p->spacing,
                          a*forward.z + b*left.z + rise*up.z};
        y->ranges[k] = march(map, from, d, p->stride, p->longest);
    }
    (void) iw; (void) w; (void) mem;
    return 0;
}
