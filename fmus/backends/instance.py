"""A live instance of any FMU, a compiled block or an interpreted block, behind one interface."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import FmuError
from drawbar.blocks.core.interface import Interface, Value
from drawbar.blocks.core.numbers import INTEGERS, are_integers
from drawbar.fmus.loading.description import Description, Scalar, first_line, read_description
from drawbar.fmus.loading.library import (
    directional_call,
    exchange_call,
    input_derivatives_call,
    load_library,
    step_call,
)
from drawbar.fmus.loading.messages import Log, Warned, callbacks

# the order of the variables in a channel, so that each FMI call covers one contiguous range
TYPES = ("Real", "Integer", "Boolean")
DISCARD, ERROR, FATAL = 2, 3, 4  # of the FMI statuses
LAST_SUCCESSFUL_TIME = 2  # of the FMI status kinds


def as_transmitted(values: NDArray[np.float64], whole: NDArray[Any], boolean: NDArray[Any]) -> NDArray[np.float64]:
    """Return values as FMI transmits them: integers rounded, Booleans (which are `whole` as well) 0 or 1."""
    return np.where(boolean, values != 0.0, np.where(whole, np.floor(values + 0.5), values))


class Instance(ABC):
    """One live instance. Call order: `initialize`, `get` and `set`, `start`, then steps; `close` at any time."""

    name: str
    interface: Interface

    @abstractmethod
    def initialize(self, start_time: float, starts: Mapping[str, Value]) -> None:
        """Write start values by scalar name and enter initialization."""

    @abstractmethod
    def start(self) -> None:
        """Leave initialization; outputs are those at the start time."""

    @abstractmethod
    def get(self, names: Sequence[str]) -> list[float]:
        """Read scalars by name."""

    @abstractmethod
    def set(self, values: Mapping[str, float]) -> None:
        """Write scalars by name."""

    @abstractmethod
    def reader(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """Return a call that reads `names` (in the order of `TYPES`) into `values` and returns the FMI status."""

    @abstractmethod
    def writer(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """Return a call that writes `names` (in the order of `TYPES`) from `values` and returns the FMI status."""

    @abstractmethod
    def stepper(self) -> Callable[[float, float], int]:
        """Return a call that steps from time t by h and returns the FMI status."""

    @abstractmethod
    def derivative_writer(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """Return a call that sets the first time derivatives of Real inputs from `values` and returns the FMI status.

        In the next step, and only there, these inputs run linearly from the values that were set; the values they
        reach remain after it. An instance whose interface does not declare `interpolates` refuses.
        """

    def directional(
        self, unknowns: Sequence[str], knowns: Sequence[str], seed: NDArray[np.float64], result: NDArray[np.float64]
    ) -> Callable[[], int]:
        """Return a call that puts J `seed` into `result`, J = d unknowns/d knowns, and returns the FMI status.

        Raise ``FmuError`` where the instance cannot; its interface declares `directional` where it can.
        """
        raise FmuError(f"part '{self.name}': it gives no directional derivatives")

    def _only_reals(self, types: Mapping[str, str]) -> None:
        other = next((n for n, kind in types.items() if kind != "Real"), None)
        if other is not None:
            kind = types[other]
            raise FmuError(f"part '{self.name}': '{other}' is of type {kind}; only Real variables have derivatives")

    def last_successful_time(self) -> float | None:
        """Return the time in seconds that was reached before a failed step; None if it is not known."""
        return None

    @abstractmethod
    def close(self, status: int = 0) -> None:
        """Free what the instance holds; harmless when repeated.

        `status` is the worst FMI status it has returned: an instance in error is freed without being terminated, one
        that is fatally broken is left alone (FMI 2.0.4, section 2.1.3).
        """

    def messages(self) -> list[str]:
        """Return what the instance has logged."""
        return []

    def warnings(self) -> list[Warned]:
        """Return the warnings that the instance has logged, whatever its calls returned."""
        return []


@dataclass(frozen=True)
class FmiAddresses:
    """The addresses of an FMU's functions in this process, for a master in C."""

    component: int
    get: dict[str, int]  # by type, 0 where the library lacks it and has no such variables
    set: dict[str, int]
    do_step: int
    set_derivatives: int  # of inputs, 0 where the library has no such function
    directional: int  # derivatives, 0 where the library has no such function


class AddressedInstance(Instance):
    """A live instance that a master in C can drive."""

    @abstractmethod
    def addresses(self) -> FmiAddresses:
        """Return the addresses of the component and its functions."""

    @abstractmethod
    def references(self, names: Sequence[str]) -> NDArray[np.uint32]:
        """Return the value references of scalars."""

    def raise_interruption(self) -> None:
        """Raise an interruption that arrived while a master in C was stepping the instance."""


class FmuInstance(AddressedInstance):
    """An instance of an FMI 2.0 co-simulation FMU, or of a block's compiled library, in this process."""

    def __init__(
        self, description: Description, name: str, library: Path | None = None, log: Log | None = None
    ) -> None:
        self.name, self.interface, self._scalars = name, description.interface, description.scalars
        self._log = Log() if log is None else log
        self._alive = self._running = False
        self._worst = 0  # FMI status
        self._slave = load_library(description, name, library)
        self._callbacks = callbacks(self._log)
        path = list(sys.path)
        try:
            # pythonfmu reports errors only where all logging is on
            self._slave.instantiate(callbacks=self._callbacks, loggingOn=bool(description.python_requirements))
        except Exception as error:
            self._slave.freeLibrary()
            sys.path[:] = path  # pythonfmu leaves the folder of an FMU that failed in it
            requirements = description.python_requirements
            needs = f"; this FMU needs {requirements}" if requirements else ""
            raise FmuError(f"part '{name}': {first_line(error)}{self._last_message()}{needs}") from None
        self._alive = True

    def messages(self) -> list[str]:
        """Return what the FMU has logged, within the limits of `loading/messages.py`."""
        return self._log.messages()

    def warnings(self) -> list[Warned]:
        """Return the warnings that the FMU has logged, within the limits of `loading/messages.py`."""
        return self._log.warnings()

    def _last_message(self) -> str:
        messages = self._log.messages()
        return f": {messages[-1]}" if messages else ""

    def _call(self, function: Callable[..., Any], *arguments: Any, what: str) -> Any:
        try:
            return function(*arguments)
        except Exception as error:  # FMPy's exception for a status above warning
            self._worst = max(self._worst, getattr(error, "status", 0))
            message = self._last_message() or f": {first_line(error)}"
            raise FmuError(f"part '{self.name}': {what} failed{message}") from None

    def initialize(self, start_time: float, starts: Mapping[str, Value]) -> None:
        """Write start values and enter initialization."""
        self._call(self._slave.setupExperiment, None, start_time, what="fmi2SetupExperiment")
        self._write(starts)
        self._call(self._slave.enterInitializationMode, what="fmi2EnterInitializationMode")

    def start(self) -> None:
        """Leave initialization."""
        self._call(self._slave.exitInitializationMode, what="fmi2ExitInitializationMode")
        self._running = True

    def _write(self, values: Mapping[str, Value]) -> None:
        setters: dict[str, tuple[Any, Callable[[Any], Any]]] = {
            "Real": (self._slave.setReal, float),
            "Integer": (self._slave.setInteger, int),
            "Boolean": (self._slave.setBoolean, bool),
            "String": (self._slave.setString, str),
        }
        for name, value in values.items():
            scalar = self._scalars[name]
            setter, kind = setters[scalar.type]
            if scalar.type == "Integer":
                value = as_integer(self.name, name, value)
            self._call(setter, [scalar.reference], [kind(value)], what=f"setting '{name}' to {value}")

    def set(self, values: Mapping[str, float]) -> None:
        """Write scalars by name."""
        self._write(values)

    def get(self, names: Sequence[str]) -> list[float]:
        """Read scalars by name."""
        ordered = sorted(names, key=lambda n: TYPES.index(self._scalars[n].type))
        values = np.zeros(len(ordered))
        if (status := self.reader(ordered, values)()) > 1:
            self._worst = max(self._worst, status)
            each = list(dict.fromkeys(names))
            shown = ", ".join(each[:8]) + (f", and {len(each) - 8} more," if len(each) > 8 else "")
            raise FmuError(f"part '{self.name}': reading {shown} failed{self._last_message()}")
        by_name = dict(zip(ordered, values.tolist(), strict=True))
        return [by_name[n] for n in names]

    def reader(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """Return a prebound read of `names` into `values`."""
        return self._bind("Get", [self._scalars[n] for n in names], values)

    def writer(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """Return a prebound write of `names` from `values`."""
        return self._bind("Set", [self._scalars[n] for n in names], values)

    def _bind(self, action: str, scalars: Sequence[Scalar], values: NDArray[np.float64]) -> Callable[[], int]:
        bound: list[Callable[[], int]] = []
        begin = 0
        for kind in TYPES:
            references = np.array([s.reference for s in scalars if s.type == kind], np.uint32)
            if len(references) == 0:
                continue
            part = values[begin : begin + len(references)]
            begin += len(references)
            address = self._address(f"fmi2{action}{kind}")
            bound.append(exchange_call(address, self._slave.component, references, part, kind, get=action == "Get"))
        if len(bound) == 1:
            return bound[0]
        return lambda: max((call() for call in bound), default=0)

    def derivative_writer(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """Return a prebound fmi2SetRealInputDerivatives of order 1."""
        address = self._address("fmi2SetRealInputDerivatives")
        return input_derivatives_call(address, self._slave.component, self._reals(names), values)

    def directional(
        self, unknowns: Sequence[str], knowns: Sequence[str], seed: NDArray[np.float64], result: NDArray[np.float64]
    ) -> Callable[[], int]:
        """Return a prebound fmi2GetDirectionalDerivative."""
        if not self.interface.directional:
            return super().directional(unknowns, knowns, seed, result)
        address, rows, columns = (
            self._address("fmi2GetDirectionalDerivative"),
            self._reals(unknowns),
            self._reals(knowns),
        )
        return directional_call(address, self._slave.component, rows, columns, seed, result)

    def _reals(self, names: Sequence[str]) -> NDArray[np.uint32]:
        self._only_reals({n: self._scalars[n].type for n in names})
        return self.references(names)

    def stepper(self) -> Callable[[float, float], int]:
        """Return a prebound fmi2DoStep."""
        return step_call(self._address("fmi2DoStep"), self._slave.component)

    def last_successful_time(self) -> float | None:
        """Return the time that fmi2GetRealStatus reports, where the library has it."""
        if self._worst >= FATAL:
            return None
        with contextlib.suppress(Exception):  # it need not know, and an error here would hide the one that is reported
            return float(self._slave.getRealStatus(LAST_SUCCESSFUL_TIME))
        return None

    def _address(self, function: str, *, optional: bool = False) -> int:
        try:
            return ctypes.cast(getattr(self._slave.dll, function), ctypes.c_void_p).value or 0
        except AttributeError:
            if optional:
                return 0
            raise FmuError(f"part '{self.name}': the library lacks {function}") from None

    def addresses(self) -> FmiAddresses:
        """Return the addresses of the component and its functions, for a master in C."""
        has = {scalar.type for scalar in self._scalars.values()}
        return FmiAddresses(
            component=int(self._slave.component),
            get={kind: self._address(f"fmi2Get{kind}", optional=kind not in has) for kind in TYPES},
            set={kind: self._address(f"fmi2Set{kind}", optional=kind not in has) for kind in TYPES},
            do_step=self._address("fmi2DoStep"),
            set_derivatives=self._address("fmi2SetRealInputDerivatives", optional=True),
            directional=self._address("fmi2GetDirectionalDerivative", optional=True),
        )

    def references(self, names: Sequence[str]) -> NDArray[np.uint32]:
        """Return the value references of scalars."""
        return np.array([self._scalars[n].reference for n in names], np.uint32)

    def close(self, status: int = 0) -> None:
        """Terminate if it was running, then free the instance and its library, as far as its statuses allow."""
        if not self._alive:
            return
        self._alive = False
        status = max(status, self._worst)
        if status >= FATAL:
            return
        if self._running and status <= DISCARD:
            # a failure at the end of an FMU has no consequence
            with contextlib.suppress(Exception):
                self._slave.terminate()
        self._slave.freeInstance()


def open_fmu(fmu: Path, name: str) -> FmuInstance:
    """Unpack, read, load and instantiate an FMU file."""
    return FmuInstance(read_description(fmu), name)


def as_integer(part: str, name: str, value: Value) -> int:
    """Return the nearest whole number, halves rounded up, as the master rounds; ``FmuError`` beyond 32 bits."""
    if not are_integers(rounded := np.floor(float(value) + 0.5)):
        raise FmuError(f"part '{part}': '{name}' = {float(value):.15g} is beyond {INTEGERS}")
    return int(rounded)
