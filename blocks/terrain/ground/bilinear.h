/* The surface of a map at a point. The resources heights, classes and frame are those of a `Mapped` block; include this
 * file after the generated header of the block. */
#include <math.h>

typedef struct {
    double z, slope_x, slope_y; /* height in m and its derivatives */
    int soil;                   /* class of the nearest point */
    int outside;                /* true off the map, where the ground continues level from the edge */
} Surface;

/* index of the last of `n` points before a position in steps, and the fraction of a step from there */
static int cell_of(double steps, int n, double *part, int *outside) {
    *outside |= steps < 0.0 || steps > n - 1.0;
    if (!(steps > 0.0)) steps = 0.0;
    if (steps > n - 1.0) steps = n - 1.0;
    int i = steps < n - 1.0 ? (int) steps : n - 2;
    *part = steps - i;
    return i;
}

/* index of the nearest point; a single class holds for all points */
static int nearest(int i, double part, int n) {
    int k = part > 0.5 ? i + 1 : i;
    return k < n ? k : n - 1;
}

static Surface surface_at(const struct heights *map, const struct classes *kinds, const struct frame *frame,
                          double x, double y) {
    const double *at = frame->at;
    int off_x = 0, off_y = 0;
    double a, b;
    int j = cell_of((x - at[0])/at[3], LENGTH(map->at[0]), &a, &off_x);
    int i = cell_of((y - at[1])/at[4], LENGTH(map->at), &b, &off_y);
    double sw = map->at[i][j], se = map->at[i][j + 1], nw = map->at[i + 1][j], ne = map->at[i + 1][j + 1];
    Surface s;
    s.z = at[2] + (1.0 - b)*((1.0 - a)*sw + a*se) + b*((1.0 - a)*nw + a*ne);
    s.slope_x = off_x ? 0.0 : ((1.0 - b)*(se - sw) + b*(ne - nw))/at[3];
    s.slope_y = off_y ? 0.0 : ((1.0 - a)*(nw - sw) + a*(ne - se))/at[4];
    s.soil = (int) kinds->at[nearest(i, b, LENGTH(kinds->at))][nearest(j, a, LENGTH(kinds->at[0]))];
    s.outside = off_x || off_y;
    return s;
}

/* the unit normal of a surface, upwards */
static void normal_of(const Surface *s, double n[3]) {
    double length = sqrt(1.0 + s->slope_x*s->slope_x + s->slope_y*s->slope_y);
    n[0] = -s->slope_x/length;
    n[1] = -s->slope_y/length;
    n[2] = 1.0/length;
}
