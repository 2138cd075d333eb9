"""A block run without a compiler: CasADi's virtual machine, with the runtime in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.core.errors import BuildError, FmuError
from drawbar.blocks.core.interface import Port, Value
from drawbar.fmus.backends.initialization import Initializer, InstanceError
from drawbar.fmus.backends.instance import ERROR, Instance, as_integer, as_transmitted
from drawbar.fmus.backends.integrate import Integration
from drawbar.fmus.export.derivatives import jvp, state_derivatives
from drawbar.fmus.export.kernel_faults import why_not_interpreted
from drawbar.fmus.runtime.constants import INTEGER_RANGE, SAMPLE_TOLERANCE

_Place = tuple[NDArray[np.float64], int]


class InterpretedInstance(Instance):
    """A live block with its values in one array ``p | u | x | z | y``."""

    def __init__(self, block: type[Block], name: str) -> None:
        model = block.model()
        if model.c is not None:
            raise BuildError(f"part '{name}': {why_not_interpreted(model)}")
        if model.is_script:
            raise BuildError(f"part '{name}': {model.name} is a script; it runs as the Python it is, not interpreted")
        self.name, self.interface, self.model = name, model.interface, model
        self._index = {n: i for i, n in enumerate(n for port in model.ports for n in port.scalar_names())}
        self._settable = [port.initial != "calculated" for port in model.ports for _ in range(port.size)]
        self._fixed = [
            port.causality != "input" and (port.causality, port.variability) != ("parameter", "tunable")
            for port in model.ports
            for _ in range(port.size)
        ]
        self._types = [port.type for port in model.ports for _ in range(port.size)]
        self._whole = np.array([kind != "Real" for kind in self._types], bool)
        self._boolean = np.array([kind == "Boolean" for kind in self._types], bool)
        self._log: list[str] = []
        self._v = model.start()
        edges = np.cumsum([0, *model.sizes()])
        self._p, self._u, self._x, self._z, self._y = (self._v[a:b] for a, b in pairwise(edges))
        self._states = self._v[edges[2] : edges[4]]  # x and z are adjacent
        self._t = np.zeros(1)
        self._next = np.zeros_like(self._z)
        self._bound: list[Any] = []
        self._running = False
        self._stale = True
        self._samples = 0
        self._start_time = 0.0
        self._time = 0.0
        self._out = self._bind(model.out, self._x, self._y)
        self._update = self._bind(model.update, self._x, self._next)
        self._initializer = Initializer(
            model, name, self._p, self._states, lambda function, result: self._bind(function, self._x, result)
        )
        values = (self._t, self._x, self._z, self._u, self._p)
        self._integration = Integration(model, name, values, self._bind_arrays, self._initializer)
        self._guesses = [port.initial == "approx" for port in model.ports for _ in range(port.size)]
        self._follows = np.array(model.follows_solution(), bool)

    def _bind(self, function: ca.Function | None, x: NDArray[np.float64], result: NDArray[np.float64]) -> Any:
        """Return a prebound evaluation of one equation function, None where there is none."""
        if function is None:
            return None
        return self._bind_arrays(function, (self._t, x, self._z, self._u, self._p), (result,))

    def _bind_arrays(
        self, function: ca.Function, arguments: Sequence[NDArray[np.float64]], results: Sequence[NDArray[np.float64]]
    ) -> Any:
        buffer, evaluate = function.buffer()
        for i, argument in enumerate(arguments):
            buffer.set_arg(i, memoryview(argument.data))
        for i, result in enumerate(results):
            buffer.set_res(i, memoryview(result.data))
        self._bound.append((buffer, arguments, results))  # the addresses must remain valid
        return evaluate

    def initialize(self, start_time: float, starts: Mapping[str, Value]) -> None:
        """Write start values."""
        self._start_time = self._time = start_time
        self.set({name: float(value) for name, value in starts.items()})

    def start(self) -> None:
        """Leave initialization; a sampled block runs its first sample."""
        self._t[0] = self._start_time
        try:
            self._initializer.initialize(self._start_time, solve_too=True)
            self._initializer.check_states(self._start_time)
            self._stale = True
            if self.model.period:
                self._sample(self._start_time)
            else:
                self._initializer.check_guards(self._start_time)
        except InstanceError as error:
            self._log.append(str(error))
            raise FmuError(f"part '{self.name}': fmi2ExitInitializationMode failed: {error}") from None
        self._running = self._initializer.running = True

    def get(self, names: Sequence[str]) -> list[float]:
        """Read scalars by name."""
        index = np.array([self._index[n] for n in names], int)
        if not self._refresh(bool(self._follows[index].any())) or not self._are_whole(index):
            raise FmuError(f"part '{self.name}': reading {', '.join(names)} failed: {self._log[-1]}")
        return [float(v) for v in self._typed(index, self._v[index])]

    def set(self, values: Mapping[str, float]) -> None:
        """Write scalars by name; calculated ones are ignored before the start, as in the FMU."""
        for name, value in values.items():
            i = self._index[name]
            if self._running and self._fixed[i]:
                raise FmuError(f"part '{self.name}': '{name}' cannot be set after initialization")
            if self._types[i] == "Integer":
                as_integer(self.name, name, value)
            if self._settable[i]:
                self._v[i] = self._typed(np.array([i]), np.array([float(value)]))[0]
                if self._guesses[i]:
                    self._initializer.guess_set(i - len(self._p) - len(self._u))
                self._note_set(i < len(self._p))
        self._stale = True

    def reader(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """Return a prebound read."""
        index = np.array([self._index[n] for n in names], int)
        whole, follows = bool(self._whole[index].any()), bool(self._follows[index].any())

        def read() -> int:
            if not self._refresh(follows):
                return ERROR
            if whole and not self._are_whole(index):
                return ERROR
            values[:] = self._typed(index, self._v[index]) if whole else self._v[index]
            return 0

        return read

    def writer(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """Return a prebound write."""
        index = np.array([self._index[n] for n in names], int)
        whole, parameter = bool(self._whole[index].any()), bool((index < len(self._p)).any())

        def write() -> int:
            self._v[index] = self._typed(index, values) if whole else values
            self._note_set(parameter)
            self._stale = True
            return 0

        return write

    def derivative_writer(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """Return a prebound write of the derivatives of inputs; a call refuses what the FMU of the block refuses."""
        index = np.array([self._index[n] for n in names], int)
        self._only_reals({n: self._types[i] for n, i in zip(names, index, strict=True)})
        first = len(self._p)
        refused = next(
            (w for n, i in zip(names, index, strict=True) if (w := self._why_no_derivative(n, int(i)))), None
        )

        def write() -> int:
            if refused:
                self._log.append(f"{self.model.name}: fmi2SetRealInputDerivatives: {refused}")
                return ERROR
            self._integration.du[index - first] = values
            self._integration.inputs_move = True
            return 0

        return write

    def _why_no_derivative(self, name: str, i: int) -> str | None:
        if not len(self._p) <= i < len(self._p) + len(self._u):
            return f"'{name}' is no input"
        return f"'{name}' is read at samples only; set its value" if self.model.period else None

    def directional(
        self, unknowns: Sequence[str], knowns: Sequence[str], seed: NDArray[np.float64], result: NDArray[np.float64]
    ) -> Callable[[], int]:
        """Return a prebound directional derivative; a call refuses what the FMU of the block refuses."""
        if not self.interface.directional:
            return super().directional(unknowns, knowns, seed, result)
        given, changes, evaluate = self._bind_jvp()
        self._only_reals({n: self._types[self._index[n]] for n in (*unknowns, *knowns) if n in self._index})
        whys = [f"by '{n}'; only inputs and continuous states are knowns" for n in knowns if n not in given]
        whys += [f"of '{n}'; only outputs and derivatives of states are unknowns" for n in unknowns if n not in changes]
        early = "not in initialization mode, where states follow from inputs"

        def call() -> int:
            refused = [early] if self.model.initialization and not self._running else whys
            if refused:
                self._log.append(f"{self.model.name}: fmi2GetDirectionalDerivative: {refused[0]}")
                return ERROR
            try:
                self._stale |= self._initializer.derive()
            except InstanceError as error:
                self._log.append(str(error))
                return ERROR
            for array, i in given.values():
                array[i] = 0.0
            for name, change in zip(knowns, seed, strict=True):
                array, i = given[name]
                array[i] += change
            self._t[0] = self._time
            evaluate()
            result[:] = [array[i] for array, i in (changes[name] for name in unknowns)]
            return 0

        return call

    def _bind_jvp(self) -> tuple[dict[str, _Place], dict[str, _Place], Callable[[], object]]:
        """Return the place of each known's seed, that of each unknown's change, and the evaluation between them."""
        model = self.model
        dx, du = np.zeros_like(self._x), np.zeros_like(self._u)
        rates, values = np.zeros_like(self._x), np.zeros_like(self._y)
        outputs = {n for p in model.interface.of("output") for n in p.scalar_names()}

        def places(ports: tuple[Port, ...], array: NDArray[np.float64]) -> dict[str, _Place]:
            names = [n for p in ports for n in p.scalar_names()]
            return {n: (array, i) for i, n in enumerate(names)}

        given = places(model.x, dx) | places(model.u, du)
        changes = {n: p for n, p in (places(model.x, dx) | places(model.y, values)).items() if n in outputs}
        changes |= {rate.name: (rates, i) for i, rate in enumerate(state_derivatives(model))}
        function = jvp(model)
        if function is None:
            return given, changes, lambda: None
        evaluate = self._bind_arrays(function, (self._t, self._x, self._z, self._u, self._p, dx, du), (rates, values))
        return given, changes, evaluate

    def stepper(self) -> Callable[[float, float], int]:
        """Return a call for one communication step."""
        advance = self._run_samples if self.model.period else self._integration.run

        def step(t: float, h: float) -> int:
            self._stale = True
            try:
                self._initializer.derive()
                advance(t, h)
                self._initializer.check_states(t + h)
            except InstanceError as error:
                self._log.append(str(error))
                return ERROR
            self._time = t + h
            return 0

        return step

    def last_successful_time(self) -> float | None:
        """Return the end of the last step that did not fail."""
        return self._time

    def messages(self) -> list[str]:
        """Return the error messages, as the FMU of the block would log them."""
        return list(self._log)

    def _typed(self, index: NDArray[Any], values: NDArray[np.float64]) -> NDArray[np.float64]:
        return as_transmitted(values, self._whole[index], self._boolean[index])

    def _are_whole(self, index: NDArray[Any]) -> bool:
        """Return whether integers and Booleans are in range; log the first that is not."""
        least, beyond = INTEGER_RANGE
        bad = index[self._whole[index] & ~((self._v[index] >= least) & (self._v[index] < beyond))]
        if len(bad):
            name = list(self._index)[bad[0]]
            self._log.append(f"{self.model.name}: '{name}' is {self._v[bad[0]]:g}, not a whole number in range")
        return not len(bad)

    def close(self, status: int = 0) -> None:
        """Do nothing: there is nothing to free."""

    def _note_set(self, parameter: bool) -> None:
        """Note what has to be calculated again after a value, perhaps a parameter, was set."""
        if parameter:
            self._initializer.parameter_set()
        if not self._running:
            self._initializer.value_set()

    def _refresh(self, follows: bool) -> bool:
        """Bring values up to date before they are read; log a message and return false where that fails.

        `follows` is whether one of the values that are read depends on states that are solved for.
        """
        self._t[0] = self._time
        try:
            if self._running:
                self._stale |= self._initializer.derive()
            else:
                self._stale |= self._initializer.initialize(self._time, solve_too=follows)
        except InstanceError as error:
            self._log.append(str(error))
            return False
        if self._stale and not (self.model.period and self._running):
            self._evaluate_outputs(self._time)
        return True

    def _evaluate_outputs(self, t: float) -> None:
        self._stale = False
        if self._out is not None:
            self._t[0] = t
            self._out()
            if not self._running:
                self._initializer.set_initial_outputs(self._y)

    def _sample(self, t: float) -> None:
        self._t[0] = t
        self._initializer.check_guards(t)
        self._evaluate_outputs(t)
        if self._update is not None:
            self._t[0] = t
            self._update()
            self._z[:] = self._next
        self._samples += 1

    def _run_samples(self, t: float, h: float) -> None:
        assert self.model.period is not None
        num, den = self.model.period.numerator, self.model.period.denominator
        tolerance = SAMPLE_TOLERANCE * min(h, num / den)
        while (due := self._start_time + (self._samples * num) / den) < t + h - tolerance:
            self._sample(due)
