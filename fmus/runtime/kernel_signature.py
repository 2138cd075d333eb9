"""The signature of all kernels, which is that of CasADi's generated functions."""

SIGNATURE = "int {}(const double **arg, double **res, long long *iw, double *w, int mem)"
RESOURCES = 5  # the place of the first one in arg, behind t, x, z, u and p
