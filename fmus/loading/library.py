"""The shared library of an FMU: loaded, and its functions with all arguments bound beforehand.

Each reason why a library does not load has one message.

A function that returns a `Call` binds the arguments of an FMI function, so that a step in Python costs one foreign
call. The call returns the FMI status, and reads or writes the given arrays in place.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import FmuError
from drawbar.fmus.loading.description import Description, first_line
from drawbar.fmus.loading.python_requirements import check_python
from drawbar.fmus.toolchain.compilers import host_platform

Call = Callable[[], int]
References = NDArray[np.uint32]
Reals = NDArray[np.float64]

_POINTER, _SIZE, _INT, _REAL = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_double
_EXCHANGE = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _SIZE, _POINTER)
_DERIVATIVES = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _SIZE, _POINTER, _POINTER)
_DIRECTIONAL = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _SIZE, _POINTER, _SIZE, _POINTER, _POINTER)
_STEP = ctypes.CFUNCTYPE(_INT, _POINTER, _REAL, _REAL, _INT)
# how the loaders of Linux and macOS name a missing dependency of a library
_DEPENDENCY = (r"(\S+): cannot open shared object file: No such file", r"Library not loaded: (\S+)")


def load_library(description: Description, name: str, library: Path | None = None) -> Any:
    """Return FMPy's slave over the library of an FMU, not yet instantiated; `name` is that of the part."""
    library = library or description.library
    if not library.is_file():
        available = sorted(
            p.name for p in (description.folder / "binaries").glob("*") if p.is_dir() and any(p.iterdir())
        )
        required = description.python_requirements or "its tool installed"
        raise FmuError(
            f"part '{name}': {description.identifier} has no binary for {host_platform()}"
            + _others(description, library, available)
            + (f", and needs {required}" if description.needs_execution_tool else "")
        )
    if description.python_requirements and (why := check_python(description.folder)):
        raise FmuError(f"part '{name}': {why}")
    here = os.getcwd()
    try:
        return _slave_class()(
            guid=description.guid,
            unzipDirectory=str(description.folder),
            modelIdentifier=description.identifier,
            instanceName=name,
            libraryPath=str(library),
        )
    except Exception as error:  # FMPy raises bare exceptions
        message = first_line(error)
        dependency = next((m[1] for pattern in _DEPENDENCY if (m := re.search(pattern, message))), "")
        if dependency:
            message = f"{library.name} needs the library {dependency}, which is not on this machine; install it"
        elif library.stem != description.identifier and library == description.library:
            message += f" ({library.name} is the only library of {description.identifier}, which names it otherwise)"
        raise FmuError(f"part '{name}': {message}") from None
    finally:
        os.chdir(here)  # FMPy changes to the library's folder, and does not return where loading fails


def _others(description: Description, library: Path, available: list[str]) -> str:
    """Return what an FMU has instead of the library: one of another name, or those for other platforms."""
    folder = library.parent
    named = sorted(p.name for p in folder.glob(f"*{library.suffix}")) if folder.name == host_platform() else []
    if named:
        return (
            f" named {library.name}, as its modelIdentifier '{description.identifier}' says; binaries/{folder.name} "
            f"holds {', '.join(named)}: export the FMU again, or give file and modelIdentifier the same name"
        )
    others = [platform for platform in available if platform != host_platform()]
    return f"; it has {', '.join(others)}" if others else ""


def _slave_class() -> type[Any]:
    from fmpy.fmi2 import FMU2Slave

    class FMU2LenientSlave(FMU2Slave):  # type: ignore[misc]  # FMPy looks at how the class's name begins
        """FMPy's slave, also for the many libraries that lack functions which nobody calls."""

        dll: Any

        def _loadFunctions(self) -> None:  # noqa: N802  # FMPy's name
            library: Any = self.dll
            self.dll = _Lenient(library)
            try:
                super()._loadFunctions()
            finally:
                self.dll = library

    return FMU2LenientSlave


class _Lenient:
    """A library with a function for every name: one that it lacks fails when it is called."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def __getattr__(self, function: str) -> Any:
        with contextlib.suppress(AttributeError):
            return getattr(self._library, function)

        def missing(*arguments: Any) -> Any:
            raise FmuError(f"the library lacks {function}")

        return missing


def exchange_call(address: int, component: Any, references: References, values: Reals, kind: str, *, get: bool) -> Call:
    """Return an fmi2Get or fmi2Set call of one type; whole numbers pass through a scratch array and are rounded."""
    function, n = _EXCHANGE(address), len(references)
    scratch = values if kind == "Real" else np.zeros(n, np.int32)
    at, to = references.ctypes.data, scratch.ctypes.data

    def direct() -> int:
        return int(function(component, at, n, to))

    def read() -> int:
        status = int(function(component, at, n, to))
        values[:] = scratch
        return status

    def write() -> int:
        scratch[:] = np.floor(values + 0.5)
        return int(function(component, at, n, to))

    return _with_arrays(direct if kind == "Real" else read if get else write, references, values, scratch)


def input_derivatives_call(address: int, component: Any, references: References, values: Reals) -> Call:
    """Return an fmi2SetRealInputDerivatives call of order 1."""
    function, n, orders = _DERIVATIVES(address), len(references), np.ones(len(references), np.int32)
    at, order, to = references.ctypes.data, orders.ctypes.data, values.ctypes.data

    def call() -> int:
        return int(function(component, at, n, order, to))

    return _with_arrays(call, references, orders, values)


def directional_call(
    address: int, component: Any, unknowns: References, knowns: References, seed: Reals, result: Reals
) -> Call:
    """Return an fmi2GetDirectionalDerivative call: `result` = J `seed`."""
    function, m, n = _DIRECTIONAL(address), len(unknowns), len(knowns)
    rows, columns, given, to = unknowns.ctypes.data, knowns.ctypes.data, seed.ctypes.data, result.ctypes.data

    def call() -> int:
        return int(function(component, rows, m, columns, n, given, to))

    return _with_arrays(call, unknowns, knowns, seed, result)


def step_call(address: int, component: Any) -> Callable[[float, float], int]:
    """Return an fmi2DoStep call from t by h."""
    function = _STEP(address)
    return lambda t, h: int(function(component, t, h, 1))


def _with_arrays(call: Call, *arrays: NDArray[Any]) -> Call:
    call.keep = arrays  # type: ignore[attr-defined]  # the addresses must remain valid
    return call
