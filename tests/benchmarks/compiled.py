"""CasADi functions as compiled C, and what one call costs."""

from __future__ import annotations

import ctypes as ct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from scipy.linalg import cython_lapack

from drawbar.fmus.export.kernel_files import kernel_files
from drawbar.fmus.toolchain.compilers import FLAGS, find_compiler

SHIPPED = FLAGS  # those of every FMU, for any processor
NATIVE = (*FLAGS, "-march=native")  # those of comparisons
ANY = (*FLAGS, "-DDRAWBAR_NO_AVX")  # what an FMU does on a processor without AVX
EXTRA: list[str] = []  # behind all of them
TEXT = Path(__file__).with_name("calls_loop.c")


def build(source: Path, flags: Sequence[str]) -> ct.CDLL:
    """A C file as a shared library beside it."""
    compiler = find_compiler()
    if compiler is None:
        raise SystemExit("this benchmark needs a C compiler")
    library = source.with_suffix(".so")
    visible = [flag for flag in flags if flag != "-fvisibility=hidden"]
    subprocess.run([*compiler.command, *visible, "-fPIC", str(source), "-o", str(library), "-lm"], check=True)
    return ct.CDLL(str(library))


class Compiled:
    """A function, compiled with some flags, and the numbers it is called with; in `lanes` as blocks are."""

    def __init__(
        self, function: ca.Function, values: Sequence[Any], flags: Sequence[str] = NATIVE, *, lanes: bool = False
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="drawbar-calls-")
        folder = Path(self._folder.name)
        print(f"compiling {function.name()}: {function.n_instructions()} operations", file=sys.stderr, flush=True)
        for name, text in kernel_files([function], {function.name()} if lanes else ()).items():
            (folder / name).write_text(text, "utf-8")
        (folder / "loop.c").write_text(TEXT.read_text("utf-8"), "utf-8")
        self._code = build(folder / "kernels.c", (*flags, *EXTRA))
        self._loop = build(folder / "loop.c", ("-std=gnu99", "-O2", "-shared"))
        self._function = getattr(self._code, function.name())
        self._given = [np.ascontiguousarray(np.asarray(v, float).ravel(order="F")) for v in values]
        self.results = [np.zeros(function.nnz_out(i)) for i in range(function.n_out())]
        sizes = (function.sz_arg(), function.sz_res(), function.sz_iw(), function.sz_w())
        pointer = ct.POINTER(ct.c_double)
        arg, res = (pointer * sizes[0])(), (pointer * sizes[1])()
        for table, arrays in ((arg, self._given), (res, self.results)):
            for i, array in enumerate(arrays):
                table[i] = array.ctypes.data_as(pointer)
        self._call = (arg, res, (ct.c_longlong * max(sizes[2], 1))(), (ct.c_double * max(sizes[3], 1))())

    def run(self) -> list[Any]:
        """The results of one call."""
        self._function(*self._call, 0)
        return [r.copy() for r in self.results]

    def ns(self, calls: int = 100, windows: int = 600) -> float:
        """Nanoseconds a call."""
        self._loop.least.restype = ct.c_double
        return float(self._loop.least(self._function, *self._call, calls, windows))

    def solved_ns(self, pattern: ca.Sparsity, calls: int, windows: int) -> float:
        """Nanoseconds a call with a solve by LAPACK's dgesv; the second result is the solution then.

        The function gives the entries of a matrix of this pattern, and a right side.
        """
        n = len(self.results[1])
        pivots, A = (ct.c_int * n)(), np.zeros(n * n)
        rows, columns = pattern.get_triplet()
        places = np.ascontiguousarray(np.array(rows) + n * np.array(columns), np.int32)
        matrix = (ct.c_void_p(A.ctypes.data), ct.c_void_p(places.ctypes.data), len(places))
        self._loop.least_solved.restype = ct.c_double
        solver = ct.c_void_p(_capsule(cython_lapack.__pyx_capi__["dgesv"]))
        spent = float(self._loop.least_solved(self._function, *self._call, calls, windows, solver, n, pivots, *matrix))
        if spent < 0:
            raise SystemExit("LAPACK found the matrix singular")
        return spent


def _capsule(capsule: Any) -> int:
    """The address in a capsule of Cython."""
    name, pointer = ct.pythonapi.PyCapsule_GetName, ct.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ct.c_char_p, [ct.py_object]
    pointer.restype, pointer.argtypes = ct.c_void_p, [ct.py_object, ct.c_char_p]
    return int(pointer(capsule, name(capsule)))
