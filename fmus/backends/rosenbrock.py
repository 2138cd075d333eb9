"""The implicit micro-steps of an interpreted block, by the method of `drawbar.fmus.export.rosenbrock`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.model import Model
from drawbar.fmus.backends.initialization import InstanceError
from drawbar.fmus.export.rosenbrock import Kernels, is_timed
from drawbar.fmus.runtime.constants import (
    RODASP_A,
    RODASP_ALPHA,
    RODASP_C,
    RODASP_GAMMA,
    RODASP_GAMMAS,
    RODASP_M,
    RODASP_SMALLEST_PIVOT,
)

Vector = NDArray[np.float64]


class Rosenbrock:
    """The implicit part of the micro-steps of one interpreted instance."""

    def __init__(
        self,
        model: Model,
        kernels: Kernels,
        label: str,
        values: Sequence[Vector],
        du: Vector,
        bind: Callable[[ca.Function, Sequence[Vector], Sequence[Vector]], Callable[[], object]],
    ) -> None:
        self._label, self._x, self._timed = label, values[1], is_timed(model)
        self._names = [n for port in model.x for n in port.scalar_names()]
        n = len(self._x)
        self._shift, factors, self._relative_pivots = np.zeros(1), np.zeros(kernels.n_factors), np.zeros(n)
        self._time_derivative, self._right = np.zeros(n), np.zeros(n)
        self._stages = [np.zeros(n) for _ in RODASP_M]
        self._factor = bind(kernels.factor, (*values, self._shift), (factors, self._relative_pivots))
        self._evaluate_time_derivative = bind(kernels.time_derivative, (*values, du), (self._time_derivative,))
        self._solve = [bind(kernels.solve, (factors, self._right), (stage,)) for stage in self._stages]
        self._moving = False

    def begin(self, t: float, h: float, *, moving: bool) -> None:
        """Factor the matrix of a step at the present values; `moving` is whether inputs have derivatives."""
        self._shift[0] = 1.0 / (RODASP_GAMMA * h)
        self._factor()
        if (bad := np.flatnonzero(~(self._relative_pivots > RODASP_SMALLEST_PIVOT))).size:
            name, pivot = self._names[bad[0]], float(self._relative_pivots[bad[0]])
            raise InstanceError(
                f"{self._label}: the implicit step from t = {t:g} s by {h:g} s has no solution: the relative "
                f"pivot of '{name}' is {pivot:g}; take a shorter step, or another method"
            )
        self._moving = moving or self._timed
        if self._moving:
            self._evaluate_time_derivative()

    @staticmethod
    def times(h: float) -> list[float]:
        """Return the times at which the stages evaluate the rates, in s from the beginning of the step."""
        return [alpha * h for alpha in RODASP_ALPHA]

    def probe(self, stage: int) -> Vector:
        """Return the states at which a stage evaluates the rates."""
        probe = self._x.copy()
        for a, one in zip(RODASP_A[stage], self._stages[:stage], strict=True):
            probe += a * one
        return probe

    def add(self, stage: int, h: float, rates: Vector) -> None:
        """Solve for a stage."""
        self._right[:] = rates
        for c, one in zip(RODASP_C[stage], self._stages[:stage], strict=True):
            self._right += c / h * one
        if self._moving:
            self._right += RODASP_GAMMAS[stage] * h * self._time_derivative
        self._solve[stage]()

    def change(self) -> Vector:
        """Return the change of the states by all stages."""
        total = RODASP_M[0] * self._stages[0]
        for m, one in zip(RODASP_M[1:], self._stages[1:], strict=True):
            total += m * one
        return total
