"""A block run without a compiler: CasADi's virtual machine, and the runtime's integration written in Python.

It follows `runtime/integrate.c` operation by operation, so the two agree to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.errors import FmuError
from drawbar.blocks.authoring.interface import Value
from drawbar.fmus.instance import Instance

STEP_TOLERANCE, SAMPLE_TOLERANCE = 1e-9, 1e-3  # as in integrate.c


class InterpretedInstance(Instance):
    """A live block with its values in one array ``p | u | x | z | y``."""

    def __init__(self, block: type[Block], name: str) -> None:
        model = block.model()
        self.name, self.interface, self.model = name, model.interface, model
        self._index = {n: i for i, n in enumerate(n for port in model.ports for n in port.scalar_names())}
        self._settable = [port.initial != "calculated" for port in model.ports for _ in range(port.size)]
        self._fixed = [
            port.causality != "input" and port.variability != "tunable"
            for port in model.ports
            for _ in range(port.size)
        ]
        self._v = model.start()
        edges = np.cumsum([0, *model.sizes()])
        self._p, self._u, self._x, self._z, self._y = (self._v[a:b] for a, b in pairwise(edges))
        self._t = np.zeros(1)
        self._probe = np.zeros_like(self._x)
        n = max(len(self._x), len(self._z))
        self._k = [np.zeros(n) for _ in range(4)]
        self._bound: list[Any] = []
        self._running = False
        self._stale = True
        self._samples = 0
        self._start_time = 0.0
        self._time = 0.0
        self._out = self._bind(model.out, self._x, self._y)
        self._slope = [self._bind(model.ode, x, k) for x, k in zip((self._x, *[self._probe] * 3), self._k, strict=True)]
        self._update = self._bind(model.update, self._x, self._k[0])

    def _bind(self, function: ca.Function | None, x: NDArray[np.float64], result: NDArray[np.float64]) -> Any:
        """A prebound evaluation of one equation function, None where there is none."""
        if function is None:
            return None
        buffer, evaluate = function.buffer()
        arguments = (self._t, x, self._z, self._u, self._p)
        for i, argument in enumerate(arguments):
            buffer.set_arg(i, memoryview(argument.data))
        buffer.set_res(0, memoryview(result.data))
        self._bound.append((buffer, arguments, result))  # the addresses must stay valid
        return evaluate

    def initialize(self, start_time: float, starts: Mapping[str, Value]) -> None:
        """Write start values."""
        self._start_time = self._time = start_time
        self.set({name: float(value) for name, value in starts.items()})

    def start(self) -> None:
        """Leave initialization; a sampled block runs its first sample."""
        self._running = True
        if self.model.period:
            self._sample(self._start_time)

    def get(self, names: Sequence[str]) -> list[float]:
        """Read scalars by name."""
        self._refresh()
        return [float(self._v[self._index[n]]) for n in names]

    def set(self, values: Mapping[str, float]) -> None:
        """Write scalars by name; calculated ones are ignored before the start, as in the FMU."""
        for name, value in values.items():
            i = self._index[name]
            if self._running and self._fixed[i]:
                raise FmuError(f"part '{self.name}': '{name}' cannot be set after initialization")
            if self._settable[i]:
                self._v[i] = value
        self._stale = True

    def reader(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """A prebound read."""
        index = np.array([self._index[n] for n in names], int)

        def read() -> int:
            self._refresh()
            values[:] = self._v[index]
            return 0

        return read

    def writer(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """A prebound write."""
        index = np.array([self._index[n] for n in names], int)

        def write() -> int:
            self._v[index] = values
            self._stale = True
            return 0

        return write

    def stepper(self) -> Callable[[float, float], int]:
        """One communication step."""
        return self._run_samples if self.model.period else self._integrate

    def close(self, status: int = 0) -> None:
        """Nothing to free."""

    def _refresh(self) -> None:
        if self._stale and not (self.model.period and self._running):
            self._evaluate_outputs(self._time)

    def _evaluate_outputs(self, t: float) -> None:
        self._stale = False
        if self._out is not None:
            self._t[0] = t
            self._out()

    def _integrate(self, t: float, h: float) -> int:
        self._time = t + h
        self._stale = True
        if len(self._x) == 0:
            return 0
        steps = max(1, math.ceil(h / float(self.model.step) * (1.0 - STEP_TOLERANCE)))
        micro = h / steps
        for i in range(steps):
            self._micro_step(t + i * micro, micro)
        return 0

    def _evaluate(self, stage: int, t: float) -> NDArray[np.float64]:
        self._t[0] = t
        self._slope[stage]()
        return self._k[stage]

    def _micro_step(self, t: float, h: float) -> None:
        x = self._x
        k1 = self._evaluate(0, t)
        if self.model.method == "euler":
            x += h * k1
            return
        if self.model.method == "heun":
            self._probe[:] = x + h * k1
            k2 = self._evaluate(1, t + h)
            x += 0.5 * h * (k1 + k2)
            return
        self._probe[:] = x + 0.5 * h * k1
        k2 = self._evaluate(1, t + 0.5 * h)
        self._probe[:] = x + 0.5 * h * k2
        k3 = self._evaluate(2, t + 0.5 * h)
        self._probe[:] = x + h * k3
        k4 = self._evaluate(3, t + h)
        x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    def _sample(self, t: float) -> None:
        self._evaluate_outputs(t)
        if self._update is not None:
            self._t[0] = t
            self._update()
            self._z[:] = self._k[0][: len(self._z)]
        self._samples += 1

    def _run_samples(self, t: float, h: float) -> int:
        assert self.model.period is not None
        self._time = t + h
        num, den = self.model.period.numerator, self.model.period.denominator
        late = SAMPLE_TOLERANCE * num / den
        while (due := self._start_time + (self._samples * num) / den) < t + h - late:
            self._sample(due)
        return 0
