"""Functions as C of the exporter, called in this process."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np
import pytest

from drawbar.fmus.export.kernel_files import kernel_files
from drawbar.fmus.toolchain.compilers import compile_library

Call = Callable[[Sequence[np.ndarray]], np.ndarray]
VISIBLE = '#define CASADI_SYMBOL_EXPORT __attribute__((visibility("default")))\n#include "kernels.c"\n'


def called(function: ca.Function, *, lanes: bool = False, once: bool = False, define: str = "") -> Call:
    """A function of column vectors, compiled: in `lanes`, which it must be worth, as one called `once`, or plainly."""
    name = function.name()
    files = kernel_files([] if once else [function], {name} if lanes else (), [function] if once else ())
    assert ("vectorized.c" in files) is lanes
    files["main.c"] = (f"#define {define}\n" if define else "") + VISIBLE
    code = getattr(ctypes.CDLL(str(compile_library(files, "main.c", name))), name)

    def call(values: Sequence[np.ndarray]) -> np.ndarray:
        def table(arrays: Sequence[np.ndarray]) -> ctypes.Array[ctypes.c_void_p]:
            return (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))

        given = [np.array(v, float) for v in values]
        result = np.full(function.nnz_out(0), np.nan)
        work = np.zeros(max(function.sz_w(), 1))
        assert code(table(given), table([result]), None, ctypes.c_void_p(work.ctypes.data), 0) == 0
        return result

    return call


@pytest.fixture(name="called")
def _called() -> Callable[..., Call]:
    return called
