"""The micro-steps of an interpreted block.

`runtime/integrate.c` does the same operations in the same order, so the two agree to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.model import Model
from drawbar.blocks.authoring.stability_bounds import LIMITS
from drawbar.fmus.backends.initialization import Initializer, InstanceError
from drawbar.fmus.backends.rosenbrock import Rosenbrock
from drawbar.fmus.export.rosenbrock import kernels
from drawbar.fmus.runtime.constants import MAX_PARTS, STEP_TOLERANCE

Vector = NDArray[np.float64]
Bind = Callable[[ca.Function, Sequence[Vector], Sequence[Vector]], Callable[[], object]]


class Integration:
    """The states of one instance over time; `values` are its ``t, x, z, u, p``, which are updated in place."""

    def __init__(self, model: Model, name: str, values: Sequence[Vector], bind: Bind, initializer: Initializer) -> None:
        self._model, self._initializer = model, initializer
        self._t, self._x, z, self._u, p = values
        self.du, self.inputs_move = np.zeros_like(self._u), False
        self._u0 = np.zeros_like(self._u)
        self._probe = np.zeros_like(self._x)
        self._k = [np.zeros_like(self._x) for _ in range(4)]
        self._rates: list[Any] = []
        if model.ode is not None:
            at = [self._x, *[self._probe] * 3]
            self._rates = [bind(model.ode, (self._t, x, z, self._u, p), (k,)) for x, k in zip(at, self._k, strict=True)]
        self._label, self._evaluate_bounds = f"{model.name} '{name}'", None
        if model.stability_bounds is not None:
            self._bounds = np.zeros(len(model.stability_bounds.names))
            self._evaluate_bounds = bind(model.stability_bounds.bounds, values, (self._bounds,))
        self._implicit = None
        if (found := kernels(model)) is not None:
            self._implicit = Rosenbrock(model, found, self._label, values, self.du, bind)

    def run(self, t: float, h: float) -> None:
        """Take as few equal micro-steps as respect the model's step; inputs are held, or follow their derivatives."""
        if self.inputs_move:
            self._u0[:] = self._u
        if len(self._x):
            steps = max(1, math.ceil(h / float(self._model.step) * (1.0 - STEP_TOLERANCE)))
            micro = h / steps
            for i in range(steps):
                self._micro_step(t + i * micro, i * micro, micro)
                if self._initializer.guarded:
                    self._guard(t + (i + 1) * micro, (i + 1) * micro)
        elif self._initializer.guarded:
            self._guard(t + h, h)
        if self.inputs_move:
            self._move_inputs(h)
            self.du[:] = 0.0
            self.inputs_move = False

    def _guard(self, t: float, elapsed: float) -> None:
        self._go_to(t, elapsed)
        self._initializer.check_guards(t)

    def _move_inputs(self, elapsed: float) -> None:
        self._u[:] = np.where(self.du != 0.0, self._u0 + self.du * elapsed, self._u0)

    def _go_to(self, t: float, elapsed: float) -> None:
        if self.inputs_move:
            self._move_inputs(elapsed)
        self._t[0] = t

    def _evaluate(self, stage: int, t: float, elapsed: float) -> Vector:
        self._go_to(t, elapsed)
        self._rates[stage]()
        return self._k[stage]

    def _micro_step(self, t: float, elapsed: float, h: float) -> None:
        if self._implicit is not None:
            self._implicit_step(self._implicit, t, elapsed, h)
            return
        parts = 1 if self._evaluate_bounds is None else self._count_parts(self._evaluate_bounds, t, elapsed, h)
        part = h / parts
        for i in range(parts):
            self._explicit_step(t + i * part, elapsed + i * part, part)

    def _count_parts(self, evaluate_bounds: Callable[[], object], t: float, elapsed: float, h: float) -> int:
        """Return the number of equal parts of a micro-step for which the method is stable in each."""
        assert self._model.stability_bounds is not None
        self._go_to(t, elapsed)
        evaluate_bounds()
        unbounded = ~(self._bounds < math.inf)
        fastest = int(np.argmax(unbounded if unbounded.any() else self._bounds))
        method, rate = self._model.method, float(self._bounds[fastest])
        wanted = h * rate / LIMITS[method]
        parts = float(math.ceil(wanted)) if math.isfinite(wanted) else wanted
        if parts <= MAX_PARTS:
            return max(1, int(parts)) if parts > 0.0 else 1
        name = self._model.stability_bounds.names[fastest]
        found = f"{self._label}: the rate of '{name}' is {rate:g} 1/s at t = {t:g} s"
        if not math.isfinite(rate):
            raise InstanceError(f"{found}; check parameters and inputs")
        raise InstanceError(
            f"{found}: {method} needs {parts:g} parts of a step of {h:g} s to stay stable, and takes {MAX_PARTS} at "
            f"most; take a shorter step, or method='rosenbrock', as in class Mine({self._model.name}, "
            "method='rosenbrock')"
        )

    def _implicit_step(self, method: Rosenbrock, t: float, elapsed: float, h: float) -> None:
        self._go_to(t, elapsed)
        method.begin(t, h, moving=self.inputs_move)
        for stage, ahead in enumerate(method.times(h)):
            self._probe[:] = method.probe(stage)
            method.add(stage, h, self._evaluate(1, t + ahead, elapsed + ahead))
        self._x += method.change()

    def _explicit_step(self, t: float, elapsed: float, h: float) -> None:
        x = self._x
        k1 = self._evaluate(0, t, elapsed)
        if self._model.method == "euler":
            x += h * k1
            return
        if self._model.method == "heun":
            self._probe[:] = x + h * k1
            k2 = self._evaluate(1, t + h, elapsed + h)
            x += 0.5 * h * (k1 + k2)
            return
        self._probe[:] = x + 0.5 * h * k1
        k2 = self._evaluate(1, t + 0.5 * h, elapsed + 0.5 * h)
        self._probe[:] = x + 0.5 * h * k2
        k3 = self._evaluate(2, t + 0.5 * h, elapsed + 0.5 * h)
        self._probe[:] = x + h * k3
        k4 = self._evaluate(3, t + h, elapsed + h)
        x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
