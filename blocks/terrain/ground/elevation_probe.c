/* Heights, normals and soils of a map at given points. */
#include "elevation_probe.h"

#include "bilinear.h"

int outputs(const double **arg, double **res, long long *iw, double *w, int mem) {
    const Inputs *u = inputs_of(arg);
    const Parameters *p = parameters_of(arg);
    Outputs *y = outputs_of(res);
    for (int k = 0; k < LENGTH(u->at); k++) {
        double x = u->at[k][0] - p->shift[0], north = u->at[k][1] - p->shift[1];
        if (!isfinite(x) || !isfinite(north)) return 1;
        Surface s = surface_at(heights_of(arg), classes_of(arg), frame_of(arg), x, north);
        s.slope_x *= p->scale;
        s.slope_y *= p->scale;
        y->height[k] = s.z*p->scale;
        normal_of(&s, y->normal[k]);
        y->soil[k] = s.soil;
        y->outside[k] = s.outside;
    }
    (void) iw; (void) w; (void) mem;
    return 0;
}
