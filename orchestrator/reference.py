"""The master's schedule in plain Python: the fallback without a compiler, and the oracle of `master.c`.

It runs any mix of units, interpreted ones included. Rows are equal to those of `master.c` bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from drawbar.fmus.instance import Instance
from drawbar.orchestrator.plan import PartPlan, Plan

GET, SET, DO_STEP, NOT_FINITE = "reading outputs", "setting inputs", "doStep", "not finite"
WARNING = 1


@dataclass(frozen=True)
class Fault:
    """Why a run stopped: the part, what it was asked to do, its FMI status, and the value that is not finite."""

    part: str
    call: str
    status: int
    variable: str | None
    value: float
    tick: int


@dataclass
class _Part:
    plan: PartPlan
    read: Callable[[], int]
    write: Callable[[], int]
    step: Callable[[float, float], int]
    h: float
    arrivals: list[tuple[int, int, float, float]]
    reals: slice


@dataclass
class _Rate:
    every: int
    columns: NDArray[np.int64]
    rows: list[NDArray[np.float64]] = field(default_factory=list)


class ReferenceMaster:
    """Steps instances by a plan: Jacobi coupling with hold."""

    def __init__(self, plan: Plan, instances: Mapping[str, Instance], start_time: float = 0.0) -> None:
        self.plan = plan
        self.tick = 0
        self.start_time = start_time
        self.values = np.zeros(len(plan.value_names))
        self.inputs = np.zeros(plan.n_inputs)
        self._parts = [self._bind(part, instances[part.name]) for part in plan.parts]
        self._rates = [_Rate(r.every, np.array(r.columns, np.int64)) for r in plan.rates]

    def _bind(self, part: PartPlan, instance: Instance) -> _Part:
        out = self.values[part.output_begin : part.output_begin + len(part.outputs)]
        into = self.inputs[part.input_begin : part.input_begin + len(part.inputs)]
        return _Part(
            plan=part,
            read=instance.reader(part.outputs, out) if part.outputs else _nothing,
            write=instance.writer(part.inputs, into) if part.inputs else _nothing,
            step=instance.stepper(),
            h=float(part.every * self.plan.tick),
            arrivals=[(part.input_begin + i, a.source, a.gain, a.offset) for i, a in enumerate(part.arrivals)],
            reals=slice(part.output_begin, part.output_begin + part.output_counts[0]),
        )

    def time(self) -> float:
        """The time of the current tick, s."""
        tick = self.plan.tick
        return self.start_time + (self.tick * tick.numerator) / tick.denominator

    def exchange(self) -> Fault | None:
        """Read the outputs that are due and record."""
        for part in self._parts:
            if self.tick % part.plan.every:
                continue
            status = part.read()
            if status > WARNING:
                return self._fault(part, GET, status)
            reals = self.values[part.reals]
            if not np.isfinite(reals).all():
                bad = part.reals.start + int(np.flatnonzero(~np.isfinite(reals))[0])
                return self._fault(part, NOT_FINITE, 0, bad)
        for rate in self._rates:
            if self.tick % rate.every == 0:
                rate.rows.append(np.concatenate(([self.time()], self.values[rate.columns])))
        return None

    def advance(self, until: int) -> Fault | None:
        """Step to a tick, or to the first fault."""
        while self.tick < until:
            t = self.time()
            due = [part for part in self._parts if self.tick % part.plan.every == 0]
            for part in due:
                for at, source, gain, offset in part.arrivals:
                    value = self.values[source]
                    self.inputs[at] = value if gain == 1.0 and offset == 0.0 else gain * value + offset
                if (status := part.write()) > WARNING:
                    return self._fault(part, SET, status)
            for part in due:
                if (status := part.step(t, part.h)) > WARNING:
                    return self._fault(part, DO_STEP, status)
            self.tick += 1
            if fault := self.exchange():
                return fault
        return None

    def drain(self, rate: int) -> NDArray[np.float64]:
        """Take the rows recorded since the last call: time, then the columns of the rate."""
        rows, self._rates[rate].rows = self._rates[rate].rows, []
        return np.array(rows) if rows else np.zeros((0, len(self._rates[rate].columns) + 1))

    def _fault(self, part: _Part, call: str, status: int, value: int | None = None) -> Fault:
        name = None if value is None else self.plan.value_names[value]
        number = math.nan if value is None else float(self.values[value])
        return Fault(part.plan.name, call, status, name, number, self.tick)


def _nothing() -> int:
    return 0
