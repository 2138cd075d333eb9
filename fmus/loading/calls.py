"""FMI calls with all arguments bound beforehand, so that a step in Python costs one foreign call each.

Every function returns a call that returns the FMI status. The arrays that it was given are read or written in place.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Call = Callable[[], int]
References = NDArray[np.uint32]
Reals = NDArray[np.float64]

_POINTER, _SIZE, _INT, _REAL = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_double
_EXCHANGE = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _SIZE, _POINTER)
_DERIVATIVES = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _SIZE, _POINTER, _POINTER)
_DIRECTIONAL = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _SIZE, _POINTER, _SIZE, _POINTER, _POINTER)
_STEP = ctypes.CFUNCTYPE(_INT, _POINTER, _REAL, _REAL, _INT)


def exchange(address: int, component: Any, references: References, values: Reals, kind: str, *, get: bool) -> Call:
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

    return _keeping(direct if kind == "Real" else read if get else write, references, values, scratch)


def input_derivatives(address: int, component: Any, references: References, values: Reals) -> Call:
    """Return an fmi2SetRealInputDerivatives call of order 1."""
    function, n, orders = _DERIVATIVES(address), len(references), np.ones(len(references), np.int32)
    at, order, to = references.ctypes.data, orders.ctypes.data, values.ctypes.data

    def call() -> int:
        return int(function(component, at, n, order, to))

    return _keeping(call, references, orders, values)


def directional(
    address: int, component: Any, unknowns: References, knowns: References, seed: Reals, result: Reals
) -> Call:
    """Return an fmi2GetDirectionalDerivative call: `result` = J `seed`."""
    function, m, n = _DIRECTIONAL(address), len(unknowns), len(knowns)
    rows, columns, given, to = unknowns.ctypes.data, knowns.ctypes.data, seed.ctypes.data, result.ctypes.data

    def call() -> int:
        return int(function(component, rows, m, columns, n, given, to))

    return _keeping(call, unknowns, knowns, seed, result)


def step(address: int, component: Any) -> Callable[[float, float], int]:
    """Return an fmi2DoStep call from t by h."""
    function = _STEP(address)
    return lambda t, h: int(function(component, t, h, 1))


def _keeping(call: Call, *arrays: NDArray[Any]) -> Call:
    call.keep = arrays  # type: ignore[attr-defined]  # the addresses must remain valid
    return call
