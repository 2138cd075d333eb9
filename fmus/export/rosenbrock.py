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


def is_timed(model: Model) -> bool:
    """Return whether the rates depend on the time itself."""
    return model.ode is not None and bool(model.ode.jac_sparsity(0, 0).nnz())


@dataclass(frozen=True)
class Kernels:
    """What a step evaluates besides the rates.

    `factor` maps ``(t, x, z, u, p, 1/(gamma h))`` to the factors of the matrix and the relative size of each pivot.
    `solve` maps these factors and a right-hand side to the solution. `time_derivative` maps ``(t, x, z, u, p, du/dt)``
    to the time derivatives of the rates at constant states.
    """

    factor: ca.Function
    solve: ca.Function
    time_derivative: ca.Function

    @property
    def n_factors(self) -> int:
        """Return the number of entries of the factors."""
        return int(self.factor.numel_out(0))


_known: WeakKeyDictionary[ca.Function, Kernels] = WeakKeyDictionary()  # the kernels of a vehicle take a second


def kernels(model: Model) -> Kernels | None:
    """Return the kernels of a block that is integrated by this method, None for any other."""
    if model.method != "rosenbrock" or model.ode is None:
        return None
    if (known := _known.get(model.ode)) is not None:
        return known
    arguments = model.ode.sx_in()
    t, x, _, u, _ = arguments
    rates, shift, du = model.ode(*arguments), ca.SX.sym("shift"), ca.SX.sym("du", u.numel())
    factors = factored(shift, ca.jacobian(rates, x))
    column, right = ca.SX.sym("factors", factors.column.numel()), ca.SX.sym("right", x.numel())
    change = ca.densify(ca.jtimes(rates, ca.vertcat(t, u), ca.vertcat(ca.SX(1), du)))
    options = {"cse": True}
    _known[model.ode] = Kernels(
        ca.Function(f"{model.name}_factor", [*arguments, shift], [factors.column, factors.relative_pivots], options),
        ca.Function(f"{model.name}_solve", [column, right], [solved(factors, column, right)]),
        ca.Function(f"{model.name}_time_derivative", [*arguments, du], [change], options),
    )
    return _known[model.ode]
