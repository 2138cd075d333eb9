"""The constants of the C runtime and of its counterparts in Python, each defined here only.

The export writes them as ``runtime_constants.h`` (`drawbar.fmus.export.constants_header`): integers and numbers as
macros, tuples as arrays, each as the same double.
"""

from __future__ import annotations

# kernels: the signature is that of CasADi's functions; arg = {t, x, z, u, p, resources or others ...}
SIGNATURE = "int {}(const double **arg, double **res, long long *iw, double *w, int mem)"
N_ARGUMENTS = 5  # of all kernels: t, x, z, u and p

# steps: the times of an importer are sums, so they are rounded
STEP_TOLERANCE = 1e-9  # of a communication step that is rounding in its number of micro-steps, relative
SAMPLE_TOLERANCE = 1e-3  # of the time of a sample, relative to the step or the period, whichever is shorter
MAX_PARTS = 20  # of a micro-step that an explicit method divides to stay stable

# values
INTEGER_RANGE = (-2147483648.5, 2147483647.5)  # of doubles that round to 32-bit integers; the upper end does not
MAX_NAMED = 6  # parameters that one message names

# start values: Newton's method with damped steps, and where that fails searches by steps of limited length. Tolerances
# and lengths of steps are relative to the unknown or its nominal value, whichever is larger
NEWTON_ITERATIONS = 100
NEWTON_TOLERANCE = 1e-9  # of the step at a solution
NEWTON_HALVINGS = 30  # of one step
NEWTON_DECREASE = 0.25  # of the following step, relative to the part of the step that is taken
NEWTON_SMALLEST_PIVOT = 1e-14  # relative to the largest entry of its column
POLISHING_STEPS = 5  # full steps from a solution down to rounding
POLISHING_RATIO = 0.5  # of the lengths of two polishing steps, above which rounding is reached
SEARCHES = 6  # by steps of limited length
SEARCH_ITERATIONS = 150  # of each search
SEARCH_STEP = 0.4  # longest step at the beginning of the first search
SEARCH_STEP_RATIO = 0.6  # of that of the next search
SEARCH_HALVING = 15  # iterations after which the longest step of a search is halved

# implicit micro-steps: RODASP, a Rosenbrock method of order 4 with six stages
# G. Steinebach, Order-reduction of ROW-methods for DAEs and method of lines applications, TU Darmstadt, 1995
RODASP_GAMMA = 0.25
RODASP_ALPHA = (0.0, 0.75, 0.21, 0.63, 1.0, 1.0)  # times of the stages, relative to the step
RODASP_GAMMAS = (0.25, -0.5, -0.023504, -0.0362, 0.0, 0.0)  # weights of the time derivative of the rates
_LAST = (-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401)
RODASP_A: tuple[tuple[float, ...], ...] = (  # weights of the earlier stages in the states of a stage
    (),
    (3.0,),
    (1.831036793486759, 0.4955183967433795),
    (2.304376582692669, -0.05249275245743001, -1.176798761832782),
    _LAST,
    (*_LAST, 1.0),
)
RODASP_C: tuple[tuple[float, ...], ...] = (  # weights of the earlier stages in the right-hand side, times the step
    (),
    (-12.0,),
    (-8.791795173947035, -2.207865586973518),
    (10.81793056857153, 6.780270611428266, 19.53485944642410),
    (34.19095006749676, 15.49671153725963, 54.74760875964130, 14.16005392148534),
    (34.62605830930532, 15.30084976114473, 56.99955578662667, 18.40807009793095, -5.714285714285717),
)
RODASP_M = (*_LAST, 1.0, 1.0)  # weights of the stages in the result
RODASP_STAGES = len(RODASP_M)
RODASP_SMALLEST_PIVOT = 1e-14  # relative to the sum of the magnitudes of its terms
