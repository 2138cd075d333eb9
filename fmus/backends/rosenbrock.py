"""The implicit micro-steps of an interpreted block, by the method of `drawbar.fmus.export.rosenbrock`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.model import Model
from drawbar.fmus.backends.initialization import RefusalError
from drawbar.fmus.export.rosenbrock import ALPHA, GAMMA, GAMMAS, SMALLEST_PIVOT, A, C, Kernels, M, is_timed

Vector = NDArray[np.float64]


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
        """Factor the matrix of a step at the present values; `moving` is whether inputs have slopes."""
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
        """Return the times at which the stages evaluate the rates, in s from the beginning of the step."""
        return [alpha * h for alpha in ALPHA]

    def probe(self, stage: int) -> Vector:
        """Return the states at which a stage evaluates the rates."""
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
        """Return the change of the states by all stages."""
        total = M[0] * self._stages[0]
        for m, one in zip(M[1:], self._stages[1:], strict=True):
            total += m * one
        return total
