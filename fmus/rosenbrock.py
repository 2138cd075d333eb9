"""Linearly implicit integration: RODASP, a Rosenbrock method of order 4 with the exact sparse Jacobian of the block.

With J = df/dx where the step begins, six stages are solved for by one factorization, and no iteration::

    (1/(gamma h) - J) U_i = f(t + alpha_i h, x + sum a_ij U_j) + sum c_ij/h U_j + gamma_i h (df/dt + df/du du/dt)
    x <- x + sum m_i U_i

L-stable and stiffly accurate: what is much faster than the step is at its rest at the end of the step. It keeps its
order where stiff states follow what is given (Prothero and Robinson), which methods of fewer conditions do not.
G. Steinebach, Order-reduction of ROW-methods for DAEs and method of lines applications, TU Darmstadt, 1995.
`runtime/rosenbrock.c` does the same operations in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.block import Model
from drawbar.fmus.beginning import RefusalError
from drawbar.fmus.sparse_lu import factored, solved

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
SMALLEST_PIVOT = 1e-14  # in parts of the terms that it is the sum of

Vector = NDArray[np.float64]


def is_timed(model: Model) -> bool:
    """Whether the rates depend on the time itself."""
    return model.ode is not None and bool(model.ode.jac_sparsity(0, 0).nnz())


@dataclass(frozen=True)
class Kernels:
    """What a step evaluates besides the rates.

    `factor`: ``(t, x, z, u, p, 1/(gamma h))`` to the factors of the matrix, and what each pivot is worth. `solve`:
    these factors and a right side to the solution. `drift`: ``(t, x, z, u, p, du/dt)`` to the rates' own rates at
    states that stand still.
    """

    factor: ca.Function
    solve: ca.Function
    drift: ca.Function

    @property
    def n_factors(self) -> int:
        """How many numbers the factors are."""
        return int(self.factor.numel_out(0))


_made: WeakKeyDictionary[ca.Function, Kernels] = WeakKeyDictionary()  # those of a vehicle take a second


def kernels(model: Model) -> Kernels | None:
    """Those of a block that is integrated by this method, else None."""
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


class Rosenbrock:
    """The implicit part of the micro-steps of one interpreted instance."""

    def __init__(
        self,
        model: Model,
        kernels: Kernels,
        who: str,
        values: Sequence[Vector],
        du: Vector,
        bind: Callable[[ca.Function, Sequence[Vector], Sequence[Vector]], Callable[[], object]],
    ) -> None:
        self._who, self._x, self._timed = who, values[1], is_timed(model)
        self._names = [n for port in model.x for n in port.scalar_names()]
        n = len(self._x)
        self._shift, factors, self._worth = np.zeros(1), np.zeros(kernels.n_factors), np.zeros(n)
        self._drift, self._right = np.zeros(n), np.zeros(n)
        self._stages = [np.zeros(n) for _ in M]
        self._factor = bind(kernels.factor, (*values, self._shift), (factors, self._worth))
        self._find_drift = bind(kernels.drift, (*values, du), (self._drift,))
        self._solve = [bind(kernels.solve, (factors, self._right), (stage,)) for stage in self._stages]
        self._moving = False

    def begin(self, t: float, h: float, *, moving: bool) -> None:
        """Factor the matrix of a step from the present values; `moving` tells whether inputs have slopes."""
        self._shift[0] = 1.0 / (GAMMA * h)
        self._factor()
        if (bad := np.flatnonzero(~(self._worth > SMALLEST_PIVOT))).size:
            name, worth = self._names[bad[0]], float(self._worth[bad[0]])
            raise RefusalError(
                f"{self._who}: the implicit step from t = {t:g} s by {h:g} s has no solution: '{name}' has the pivot "
                f"{worth:g} in parts of its terms; take a shorter step, or another method"
            )
        self._moving = moving or self._timed
        if self._moving:
            self._find_drift()

    @staticmethod
    def times(h: float) -> list[float]:
        """When each stage takes its rates, in s from the beginning of the step."""
        return [alpha * h for alpha in ALPHA]

    def probe(self, stage: int) -> Vector:
        """The states at which a stage takes its rates."""
        probe = self._x.copy()
        for a, one in zip(A[stage], self._stages[:stage], strict=True):
            probe += a * one
        return probe

    def add(self, stage: int, h: float, rates: Vector) -> None:
        """Solve for a stage."""
        self._right[:] = rates
        for c, one in zip(C[stage], self._stages[:stage], strict=True):
            self._right += c / h * one
        if self._moving:
            self._right += GAMMAS[stage] * h * self._drift
        self._solve[stage]()

    def change(self) -> Vector:
        """Of the states by all stages."""
        total = M[0] * self._stages[0]
        for m, one in zip(M[1:], self._stages[1:], strict=True):
            total += m * one
        return total
