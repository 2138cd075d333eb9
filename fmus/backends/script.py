"""A script in this process: the form in which it is a part of a diagram, stepped by either master."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.script import Script
from drawbar.blocks.core.errors import FmuError
from drawbar.blocks.core.interface import Value
from drawbar.fmus.backends.instance import ERROR, AddressedInstance, FmiAddresses, as_integer, as_transmitted
from drawbar.fmus.scripts.sampler import Sampler, ScriptFailure
from drawbar.fmus.toolchain.compilers import compile_library

_DO_STEP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_double, ctypes.c_int)


class ScriptInstance(AddressedInstance):
    """A live script. A master in C accesses its values directly and enters Python for `step` only."""

    def __init__(self, block: type[Script], name: str) -> None:
        self.name, self.interface = name, block.interface()
        self._log: list[str] = []
        self.error: BaseException | None = None
        try:
            self._sampler = Sampler(block)
        except ScriptFailure as failure:
            raise FmuError(f"part '{name}': {failure}") from failure.__cause__
        self._v = self._sampler.values
        self._index = {n: i for i, n in enumerate(self._sampler.names)}
        self._whole = np.array([kind != "Real" for kind in self._sampler.types], bool)
        self._boolean = np.array([kind == "Boolean" for kind in self._sampler.types], bool)
        self._start_time = self._time = 0.0
        self._do_step = _DO_STEP(lambda component, t, h, flag: self._step_for_c(t, h))

    def initialize(self, start_time: float, starts: Mapping[str, Value]) -> None:
        """Write start values."""
        self._start_time = self._time = start_time
        self.set({name: float(value) for name, value in starts.items()})

    def start(self) -> None:
        """Leave initialization: run the script's `start` and its first sample."""
        try:
            self._sampler.begin(self._start_time)
        except ScriptFailure as failure:
            raise FmuError(f"part '{self.name}': {failure}") from failure.__cause__

    def get(self, names: Sequence[str]) -> list[float]:
        """Read scalars by name."""
        return [float(self._v[self._index[n]]) for n in names]

    def set(self, values: Mapping[str, float]) -> None:
        """Write scalars by name."""
        for name, value in values.items():
            if self._sampler.types[self._index[name]] == "Integer":
                as_integer(self.name, name, value)
        try:
            self._sampler.set([self._index[n] for n in values], list(values.values()))
        except ScriptFailure as failure:
            raise FmuError(f"part '{self.name}': {failure}") from None

    def reader(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """Return a prebound read."""
        index = self.references(names)

        def read() -> int:
            values[:] = self._v[index]
            return 0

        return read

    def writer(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """Return a prebound write."""
        index = self.references(names)
        whole = bool(self._whole[index].any())

        def write() -> int:
            self._v[index] = self._typed(index, values) if whole else values
            return 0

        return write

    def derivative_writer(self, names: Sequence[str], values: NDArray[np.float64]) -> Callable[[], int]:
        """Raise ``FmuError``: a script reads its inputs at samples only."""
        raise FmuError(f"part '{self.name}': '{names[0]}' is read at samples only; set its value")

    def stepper(self) -> Callable[[float, float], int]:
        """Return a call for one communication step."""
        return self._step

    def _step(self, t: float, h: float) -> int:
        try:
            self._sampler.advance(t, h)
        except ScriptFailure as failure:
            self.error = failure.__cause__
            self._log.append(str(failure))
            return ERROR
        self._time = t + h
        return 0

    def _step_for_c(self, t: float, h: float) -> int:
        try:
            return self._step(t, h)
        except BaseException as error:  # such as Ctrl-C: only a status can pass through C
            self.error = error
            return ERROR

    def raise_interruption(self) -> None:
        """Raise a Ctrl-C again that arrived while a master in C was stepping this script."""
        if isinstance(self.error, KeyboardInterrupt):
            raise self.error

    def last_successful_time(self) -> float | None:
        """Return the end of the last step that did not fail."""
        return self._time

    def messages(self) -> list[str]:
        """Return the error messages."""
        return list(self._log)

    def _typed(self, index: NDArray[np.uint32], values: NDArray[np.float64]) -> NDArray[np.float64]:
        return as_transmitted(values, self._whole[index], self._boolean[index])

    def addresses(self) -> FmiAddresses:
        """Return the addresses of the values and their functions; raise ``BuildError`` without a compiler."""
        library = _library()

        def at(function: str) -> int:
            return ctypes.cast(getattr(library, function), ctypes.c_void_p).value or 0

        return FmiAddresses(
            component=self._v.ctypes.data,
            get={"Real": at("get_real"), "Integer": at("get_whole"), "Boolean": at("get_whole")},
            set={"Real": at("set_real"), "Integer": at("set_integer"), "Boolean": at("set_boolean")},
            do_step=ctypes.cast(self._do_step, ctypes.c_void_p).value or 0,
            set_derivatives=0,
            directional=0,
        )

    def references(self, names: Sequence[str]) -> NDArray[np.uint32]:
        """Return the value references of scalars."""
        return np.array([self._index[n] for n in names], np.uint32)

    def close(self, status: int = 0) -> None:
        """Do nothing: there is nothing to free."""


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    text = resources.files("drawbar.fmus.backends").joinpath("values.c").read_text("utf-8")
    return ctypes.CDLL(str(compile_library({"values.c": text}, "values.c", "values")))
