"""Linearly implicit integration: RODASP, a Rosenbrock method of order 4 with the exact sparse Jacobian of the block.

With J = df/dx at the beginning of the step, six stages are solved for with one factorization and no iteration::

    (1/(gamma h) - J) U_i = f(t + alpha_i h, x + sum a_ij U_j) + sum c_ij/h U_j + gamma_i h (df/dt + df/du du/dt)
    x <- x + sum m_i U_i

The method is L-stable and stiffly accurate: modes much faster than the step have reached their equilibrium at its
end. It keeps its order where stiff states follow a prescribed function (Prothero and Robinson), which methods with
fewer order conditions do not.
G. Steinebach, Order-reduction of ROW-methods for DAEs and method of lines applications, TU Darmstadt, 1995.
`runtime/rosenbrock.c` does the same operations in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import casadi as ca

from drawbar.blocks.authoring.model import Model
from drawbar.fmus.export.sparse_lu import factored, solved

GAMMA = 0.25
_LAST = (-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401)
A: tuple[tuple[float, ...], ...] = (
    (),
    (3.0,),
    (1.831036793486759, 0.4955183967433795),
    (2.304376582692669, -0.05249275245743001, -1.176798761832782),
    _LAST,
    (*_LAST, 1.0),
)
C: tuple[tuple[float, ...], ...] = (
    (),
    (-12.0,),
    (-8.791795173947035, -2.207865586973518),
    (10.81793056857153, 6.780270611428266, 19.53485944642410),
    (34.19095006749676, 15.49671153725963, 54.74760875964130, 14.16005392148534),
    (34.62605830930532, 15.30084976114473, 56.99955578662667, 18.40807009793095, -5.714285714285717),
)
M = (*_LAST, 1.0, 1.0)
ALPHA = (0.0, 0.75, 0.21, 0.63, 1.0, 1.0)
GAMMAS = (0.25, -0.5, -0.023504, -0.0362, 0.0, 0.0)
SMALLEST_PIVOT = 1e-14  # relative to the sum of the magnitudes of its terms


def is_timed(model: Model) -> bool:
    """Return whether the rates depend on the time itself."""
    return model.ode is not None and bool(model.ode.jac_sparsity(0, 0).nnz())


@dataclass(frozen=True)
class Kernels:
    """What a step evaluates besides the rates.

    `factor` maps ``(t, x, z, u, p, 1/(gamma h))`` to the factors of the matrix and the relative size of each pivot.
    `solve` maps these factors and a right-hand side to the solution. `drift` maps ``(t, x, z, u, p, du/dt)`` to the
    time derivatives of the rates at constant states.
    """

    factor: ca.Function
    solve: ca.Function
    drift: ca.Function

    @property
    def n_factors(self) -> int:
        """Return the number of entries of the factors."""
        return int(self.factor.numel_out(0))


_made: WeakKeyDictionary[ca.Function, Kernels] = WeakKeyDictionary()  # the kernels of a vehicle take a second


def kernels(model: Model) -> Kernels | None:
    """Return the kernels of a block that is integrated by this method, None for any other."""
    if model.method != "rosenbrock" or model.ode is None:
        return None
    if (known := _made.get(model.ode)) is not None:
        return known
    arguments = model.ode.sx_in()
    t, x, _, u, _ = arguments
    rates, shift, du = model.ode(*arguments), ca.SX.sym("shift"), ca.SX.sym("du", u.numel())
    factors = factored(shift, ca.jacobian(rates, x))
    column, right = ca.SX.sym("factors", factors.column.numel()), ca.SX.sym("right", x.numel())
    change = ca.densify(ca.jtimes(rates, ca.vertcat(t, u), ca.vertcat(ca.SX(1), du)))
    once = {"cse": True}
    _made[model.ode] = Kernels(
        ca.Function(f"{model.name}_factor", [*arguments, shift], [factors.column, factors.worth], once),
        ca.Function(f"{model.name}_solve", [column, right], [solved(factors, column, right)]),
        ca.Function(f"{model.name}_drift", [*arguments, du], [change], once),
    )
    return _made[model.ode]
