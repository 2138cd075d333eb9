"""The master in C, seen from Python: the plan laid out in memory, and chunks of steps."""

from __future__ import annotations

import ctypes as ct
import math
from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.fmus.instance import TYPES, FmuInstance
from drawbar.fmus.toolchain import compile_library
from drawbar.orchestrator.plan import PartPlan, Plan
from drawbar.orchestrator.reference import DO_STEP, GET, NOT_FINITE, SET, Fault

_CALLS = {1: GET, 2: SET, 3: DO_STEP, 4: NOT_FINITE}


class _Channel(ct.Structure):
    _fields_ = [
        ("reference", ct.c_void_p),
        ("count", ct.c_int32 * 3),
        ("begin", ct.c_int32),
        ("only_reals", ct.c_int32),
        ("scratch", ct.c_void_p),
    ]


class _Wire(ct.Structure):
    _fields_ = [("source", ct.c_int32), ("plain", ct.c_int32), ("gain", ct.c_double), ("offset", ct.c_double)]


class _Part(ct.Structure):
    _fields_ = [
        ("component", ct.c_void_p),
        ("get", ct.c_void_p * 3),
        ("set", ct.c_void_p * 3),
        ("do_step", ct.c_void_p),
        ("out", _Channel),
        ("into", _Channel),
        ("wires", ct.POINTER(_Wire)),
        ("every", ct.c_int64),
        ("wait", ct.c_int64),
        ("h", ct.c_double),
    ]


class _Rate(ct.Structure):
    _fields_ = [
        ("every", ct.c_int64),
        ("wait", ct.c_int64),
        ("column", ct.c_void_p),
        ("n_columns", ct.c_int32),
        ("rows", ct.c_void_p),
        ("n_rows", ct.c_int64),
        ("capacity", ct.c_int64),
    ]


class _Master(ct.Structure):
    _fields_ = [
        ("parts", ct.POINTER(_Part)),
        ("rates", ct.POINTER(_Rate)),
        ("values", ct.c_void_p),
        ("inputs", ct.c_void_p),
        ("n_parts", ct.c_int32),
        ("n_rates", ct.c_int32),
        ("tick", ct.c_int64),
        ("numerator", ct.c_int64),
        ("denominator", ct.c_int64),
        ("start_time", ct.c_double),
        ("fault_part", ct.c_int32),
        ("fault_call", ct.c_int32),
        ("fault_status", ct.c_int32),
        ("fault_value", ct.c_int32),
    ]


def load_master() -> ct.CDLL:
    """Compile `master.c`, or take it from the cache; ``BuildError`` without a compiler."""
    text = resources.files("drawbar.orchestrator").joinpath("master.c").read_text("utf-8")
    library = ct.CDLL(str(compile_library({"master.c": text}, "master.c", "master")))
    library.master_exchange.argtypes = [ct.POINTER(_Master)]
    library.master_advance.argtypes = [ct.POINTER(_Master), ct.c_int64]
    return library


class Master:
    """Steps FMU instances by a plan, in C. `capacity` is the number of ticks between two calls of `drain`."""

    def __init__(
        self,
        plan: Plan,
        instances: Mapping[str, FmuInstance],
        start_time: float = 0.0,
        *,
        capacity: int = 16384,
        record: bool = True,
    ) -> None:
        self.plan = plan
        self._library = load_master()
        self._keep: list[Any] = [instances]
        self.values = np.zeros(max(1, len(plan.value_names)))
        self.inputs = np.zeros(max(1, plan.n_inputs))
        parts = [self._part(part, instances[part.name]) for part in plan.parts]
        self._parts = (_Part * len(parts))(*parts)
        self._rows: list[NDArray[np.float64]] = []
        rates = [self._rate(r.every, r.columns, capacity) for r in plan.rates] if record else []
        self._rates = (_Rate * max(1, len(rates)))(*rates)
        self._master = _Master(
            parts=self._parts,
            rates=self._rates,
            values=self.values.ctypes.data,
            inputs=self.inputs.ctypes.data,
            n_parts=len(parts),
            n_rates=len(rates),
            numerator=plan.tick.numerator,
            denominator=plan.tick.denominator,
            start_time=start_time,
        )

    def _part(self, part: PartPlan, instance: FmuInstance) -> _Part:
        at = instance.addresses()
        wires = (_Wire * max(1, len(part.arrivals)))(
            *[_Wire(a.source, a.gain == 1.0 and a.offset == 0.0, a.gain, a.offset) for a in part.arrivals]
        )
        self._keep.append(wires)
        return _Part(
            component=at.component,
            get=(ct.c_void_p * 3)(*[at.get[kind] for kind in TYPES]),
            set=(ct.c_void_p * 3)(*[at.set[kind] for kind in TYPES]),
            do_step=at.do_step,
            out=self._channel(instance, part.outputs, part.output_counts, part.output_begin),
            into=self._channel(instance, part.inputs, part.input_counts, part.input_begin),
            wires=wires,
            every=part.every,
            h=float(part.every * self.plan.tick),
        )

    def _channel(self, instance: FmuInstance, names: tuple[str, ...], counts: tuple[int, ...], begin: int) -> _Channel:
        references = instance.references(names)
        scratch = np.zeros(max(1, counts[1] + counts[2]), np.int32)
        self._keep += [references, scratch]
        only_reals = counts[1] + counts[2] == 0
        return _Channel(references.ctypes.data, (ct.c_int32 * 3)(*counts), begin, only_reals, scratch.ctypes.data)

    def _rate(self, every: int, columns: tuple[int, ...], capacity: int) -> _Rate:
        index = np.array(columns, np.int32)
        rows = np.zeros((capacity // every + 2, len(columns) + 1))
        self._rows.append(rows)
        self._keep.append(index)
        return _Rate(
            every=every, column=index.ctypes.data, n_columns=len(columns), rows=rows.ctypes.data, capacity=len(rows)
        )

    @property
    def tick(self) -> int:
        """The tick reached."""
        return int(self._master.tick)

    def exchange(self) -> Fault | None:
        """Read the outputs that are due and record."""
        return self._fault() if self._library.master_exchange(self._master) else None

    def advance(self, until: int) -> Fault | None:
        """Step to a tick, or to the first fault."""
        return self._fault() if self._library.master_advance(self._master, until) else None

    def drain(self, rate: int) -> NDArray[np.float64]:
        """Take a copy of the rows recorded since the last call: time, then the columns of the rate."""
        rows = self._rows[rate][: self._rates[rate].n_rows].copy()
        self._rates[rate].n_rows = 0
        return rows

    def _fault(self) -> Fault:
        m = self._master
        if m.fault_part < 0:
            raise RuntimeError(f"the recorder of rate {m.fault_value} was not drained in time")
        name = None if m.fault_value < 0 else self.plan.value_names[m.fault_value]
        number = math.nan if m.fault_value < 0 else float(self.values[m.fault_value])
        return Fault(self.plan.parts[m.fault_part].name, _CALLS[m.fault_call], m.fault_status, name, number, self.tick)
