"""Loads the bare C loop that benchmarks compare with."""

from __future__ import annotations

import ctypes as ct
from pathlib import Path

from drawbar.fmus.backends.instance import FmuInstance
from drawbar.fmus.toolchain.compilers import compile_library


class BareFmu(ct.Structure):
    _fields_ = [
        ("component", ct.c_void_p),
        ("get", ct.c_void_p),
        ("set", ct.c_void_p),
        ("do_step", ct.c_void_p),
        ("input", ct.c_uint32),
        ("output", ct.c_uint32),
    ]


def load() -> ct.CDLL:
    text = Path(__file__).with_name("bare_loop.c").read_text("utf-8")
    library = ct.CDLL(str(compile_library({"bare_loop.c": text}, "bare_loop.c", "bare_loop")))
    library.chain.argtypes = [ct.POINTER(BareFmu), ct.c_int, ct.c_void_p, ct.c_double, ct.c_double, ct.c_int64]
    library.chain.restype = ct.c_double
    library.alone.argtypes = [
        ct.POINTER(BareFmu),
        *[ct.c_void_p, ct.c_size_t, ct.c_void_p],
        *[ct.c_void_p, ct.c_size_t, ct.c_void_p],
        ct.c_double,
        ct.c_int64,
    ]
    library.alone.restype = None
    return library


def bare_fmu(instance: FmuInstance, name_in: str, name_out: str) -> BareFmu:
    at = instance.addresses()
    reference_in, reference_out = (int(r) for r in instance.references([name_in, name_out]))
    return BareFmu(at.component, at.get["Real"], at.set["Real"], at.do_step, reference_in, reference_out)
