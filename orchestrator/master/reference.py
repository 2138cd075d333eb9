"""The master's schedule in plain Python: the fallback without a compiler, and the oracle of `master.c`.

It steps any mix of FMUs, scripts and interpreted blocks. Its rows equal those of `master.c` bit for bit, so arithmetic
is done in the same order as there.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from drawbar.fmus.backends.instance import Instance
from drawbar.orchestrator.master.current_call import (
    CALLS,
    DERIVATIVE,
    DO_STEP,
    GET,
    IDLE,
    NOT_FINITE,
    SET,
    SET_DERIVATIVES,
)
from drawbar.orchestrator.master.input_extrapolation import Arriving, Source, Table
from drawbar.orchestrator.master.rows import Rows, row_shapes
from drawbar.orchestrator.planning.coupling import SET_AND_READ
from drawbar.orchestrator.planning.schedule import RUNNING_COLUMN, Block, PartPlan, Plan, Visit

WARNING = 1
COUNTING = 3  # as in master.h
TIMED = 256  # one step out of so many is timed

Call = Callable[[], int]


@dataclass(frozen=True)
class Fault:
    """Why a run stopped: the part, the call and its FMI status, and the variable that is not finite if there is one."""

    part: str
    call: str
    status: int
    variable: str | None
    value: float
    tick: int


@dataclass(frozen=True)
class Tally:
    """The steps of a part, its warnings, and the cost of a step in s, measured in one step out of `TIMED`."""

    steps: int
    warnings: int
    seconds: float


@dataclass
class _Part:
    plan: PartPlan
    place: int
    read: Call
    read_newest: Call
    write: Call
    write_derivatives: Call | None
    step: Callable[[float, float], int]
    h: float
    wires: list[Arriving]
    derivatives: NDArray[np.float64]
    before: list[float]
    running: list[int]
    epoch: int = 0
    ahead: bool = False
    jumped: bool = False
    wait: int = 0
    steps: int = 0
    warnings: int = 0
    seconds: float = 0.0

    def is_counter(self, j: int) -> bool:
        return bool(self.plan.counters[j]) and self.running[j] >= COUNTING

    @property
    def clocked(self) -> bool:
        return (self.steps - 1) % TIMED == 0


@dataclass
class _Visit:
    plan: Visit
    call: Call
    seed: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    change: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))


class _FaultError(Exception):
    def __init__(self, fault: Fault) -> None:
        self.fault = fault


class ReferenceMaster:
    """Steps instances by a plan; see `master.c`."""

    def __init__(
        self,
        plan: Plan,
        instances: Mapping[str, Instance],
        start_time: float = 0.0,
        *,
        rows: Rows | None = None,
        capacity: int = 16384,
    ) -> None:
        self.plan = plan
        self.tick = 0
        self.start_time = start_time
        self.values = np.zeros(max(1, len(plan.value_names)))
        self.newest = np.zeros_like(self.values)
        self.inputs = np.zeros(max(1, plan.n_inputs))
        self.rows = rows if rows is not None else Rows(row_shapes(plan, capacity))
        self._parts = [self._bind(i, part, instances[part.name]) for i, part in enumerate(plan.parts)]
        self._visits = [self._bind_visit(v, instances[plan.parts[v.part].name]) for v in plan.visits]
        rates = [*plan.rates, *([plan.watch] if plan.watch else [])]
        self._rates = [(rate.every, np.array(rate.columns, np.int64)) for rate in rates]
        self._table = Table(np.zeros((1, plan.table.count[0])), np.zeros((1, plan.table.count[0])), 0)
        self._forgetting = False

    def _bind(self, place: int, part: PartPlan, instance: Instance) -> _Part:
        into = self.inputs[part.input_begin : part.input_begin + len(part.inputs)]
        slots = {at: slot for slot, at in enumerate(part.derivatives)}
        derivatives = np.zeros(len(part.derivatives))
        with_derivative = [part.inputs[i] for i in part.derivatives]
        return _Part(
            plan=part,
            place=place,
            read=self._reader(part, part.direct, self.values, instance),
            read_newest=self._reader(part, part.direct, self.newest, instance),
            write=instance.writer(part.inputs, into) if part.inputs else _nothing,
            write_derivatives=instance.derivative_writer(with_derivative, derivatives) if with_derivative else None,
            step=instance.stepper(),
            h=float(part.every * self.plan.tick),
            wires=[
                Arriving(a, part.input_begin + i, slots.get(i), a.source - self.plan.table.begin[0])
                for i, a in enumerate(part.arrivals)
            ],
            derivatives=derivatives,
            before=[0.0] * len(part.discrete),
            running=[0] * len(part.discrete),
        )

    def _reader(self, part: PartPlan, block: Block, values: NDArray[np.float64], instance: Instance) -> Call:
        calls = [
            instance.reader(_names(part, begin, count), values[begin : begin + count])
            for begin, count in zip(block.begin, block.count, strict=True)
            if count
        ]
        return lambda: max([call() for call in calls], default=0)

    def _bind_visit(self, visit: Visit, instance: Instance) -> _Visit:
        part = self.plan.parts[visit.part]
        if visit.how == SET_AND_READ:
            return _Visit(visit, self._reader(part, visit.block, self.values, instance))
        seed, change = np.zeros(part.input_counts[0]), np.zeros(visit.block.count[0])
        unknowns = _names(part, visit.block.begin[0], visit.block.count[0])
        call = instance.directional(unknowns, part.inputs[: len(seed)], seed, change)
        return _Visit(visit, call, seed, change)

    def time(self) -> float:
        """Return the time of the current tick, s."""
        tick = self.plan.tick
        return self.start_time + (self.tick * tick.numerator) / tick.denominator

    def exchange(self) -> Fault | None:
        """Read the outputs that are due and record; return a fault if there is one."""
        return self._guarded(self._exchange_and_record)

    def advance(self, until: int) -> Fault | None:
        """Step to a tick, or to the first fault, which is returned."""
        while self.tick < until:
            if fault := self._guarded(self._macro_step):
                return fault
        return None

    def feed(self, first: int, table: NDArray[np.float64], until: NDArray[np.float64]) -> None:
        """Set the rows of the input file, as `Master.feed` does."""
        self._table = Table(table, until, first)

    def changed(self, place: int) -> Fault | None:
        """Account for a change of a part from outside, as `Master.changed` does."""
        return self._guarded(lambda: self._changed(self._parts[place]))

    def _changed(self, changed: _Part) -> None:
        if changed.plan.fresh_read and changed.wait == 0:
            self._call(changed, GET, changed.read)
            self._check_finite(changed, self.values, changed.plan.direct, self.tick)
        for visit in self._visits:
            if visit.plan.how == SET_AND_READ and self._parts[visit.plan.part].wait == 0:
                self._set_and_read(self._parts[visit.plan.part], visit)
        for part in self._parts:
            part.epoch += 1
        self._forgetting |= not changed.plan.fresh_read

    def tallies(self) -> dict[str, Tally]:
        """Return the steps, warnings and costs of each part so far."""
        return {p.plan.name: Tally(p.steps, p.warnings, p.seconds / max(1, -(-p.steps // TIMED))) for p in self._parts}

    def _guarded(self, action: Callable[[], None]) -> Fault | None:
        try:
            action()
        except _FaultError as stop:
            return stop.fault
        finally:
            self.rows.note.part, self.rows.note.call = -1, IDLE
        return None

    def _macro_step(self) -> None:
        t = self.time()
        self.rows.note.tick = self.tick
        for part in self._parts:
            if part.wait == 0:
                self._step(part, t)
        self.tick += 1
        self.rows.note.tick = self.tick
        for part in self._parts:
            part.wait -= 1
        self._exchange_and_record()

    def _step(self, part: _Part, t: float) -> None:
        timed = part.steps % TIMED == 0
        began = time.perf_counter()
        for wire in part.wires:
            source = self._source(wire)
            value = float(self.values[wire.to.source])
            self.inputs[wire.at], slope = wire.arriving(value, source, self.tick, part.plan.every, part.h, self._table)
            if wire.slot is not None:
                part.derivatives[wire.slot] = slope
        self._call(part, SET, part.write)
        if part.write_derivatives is not None:
            self._call(part, SET_DERIVATIVES, part.write_derivatives)
        self._call(part, DO_STEP, lambda: part.step(t, part.h))
        part.wait = part.plan.every
        if part.plan.early:
            late = self.tick + part.plan.every
            self._call(part, GET, part.read_newest, late)
            self._check_finite(part, self.newest, part.plan.direct, late)
            part.ahead = True
            part.jumped = any(
                owner >= 0 and self._parts[owner].ahead and self.newest[k] != self.values[k] and not part.is_counter(j)
                for j, (k, owner) in enumerate(zip(part.plan.discrete, part.plan.owners, strict=True))
            )
        if timed:
            part.seconds += time.perf_counter() - began
        part.steps += 1

    def _source(self, wire: Arriving) -> Source | None:
        if wire.to.part < 0:
            return None
        source = self._parts[wire.to.part]
        newest = float(self.newest[wire.to.source]) if source.ahead else None
        return Source(source.plan.every, source.wait, source.epoch, newest, source.jumped)

    def _exchange_and_record(self) -> None:
        table = self.plan.table
        if table.count[0]:
            row = self._table.rows[2 * (self.tick - self._table.first)]
            self.values[table.begin[0] : table.begin[0] + table.count[0]] = row
        for part in self._parts:
            if part.wait:
                continue
            began = time.perf_counter()
            if part.ahead:
                begin, n = part.plan.output_begin, len(part.plan.outputs)
                self.values[begin : begin + n] = self.newest[begin : begin + n]
                part.ahead = False
                continue
            self._call(part, GET, part.read)
            self._check_finite(part, self.values, part.plan.direct, self.tick)
            if part.clocked:
                part.seconds += time.perf_counter() - began
        for visit in self._visits:
            if self._parts[visit.plan.part].wait == 0:
                self._visit(self._parts[visit.plan.part], visit)
        for part in self._parts:
            if part.before and part.wait == 0:
                self._note_events(part)
        if self._forgetting:
            self._forgetting = False
            for part in self._parts:
                part.epoch += 1
        self._record()

    def _set_and_read(self, part: _Part, visit: _Visit) -> None:
        for wire in part.wires:
            self.inputs[wire.at] = wire.scaled(float(self.values[wire.to.source]))
        self._call(part, SET, part.write)
        self._call(part, GET, visit.call)
        self._check_finite(part, self.values, visit.plan.block, self.tick)

    def _visit(self, part: _Part, visit: _Visit) -> None:
        began = time.perf_counter()
        if visit.plan.how == SET_AND_READ:
            self._set_and_read(part, visit)
        elif self.tick:
            for j, wire in enumerate(part.wires[: len(visit.seed)]):
                ended = self.inputs[wire.at]
                if wire.slot is not None:
                    ended = ended + part.derivatives[wire.slot] * part.h
                visit.seed[j] = wire.scaled(float(self.values[wire.to.source])) - ended
            self._call(part, DERIVATIVE, visit.call)
            begin = visit.plan.block.begin[0]
            self.values[begin : begin + len(visit.change)] += visit.change
            self._check_finite(part, self.values, visit.plan.block, self.tick)
        if part.clocked:
            part.seconds += time.perf_counter() - began

    def _record(self) -> None:
        for i, (every, columns) in enumerate(self._rates):
            if self.tick % every == 0:
                n = int(self.rows.counts[i])
                row = self.rows.arrays[i][n]
                row[0] = self.time()
                row[1:] = self.values[columns]
                self.rows.counts[i] = n + 1

    def _note_events(self, part: _Part) -> None:
        found = [float(self.values[j]) for j in part.plan.discrete]
        for j, (k, owner) in enumerate(zip(part.plan.discrete, part.plan.owners, strict=True)):
            if owner == RUNNING_COLUMN:
                row = self._table.until[2 * (self.tick - self._table.first)]
                part.before[j] = float(row[k - self.plan.table.begin[0]])
        changed = [now != before and self.tick > 0 for now, before in zip(found, part.before, strict=True)]
        part.epoch += any(now and not part.is_counter(j) for j, now in enumerate(changed))
        part.running = [n + 1 if now else 0 for n, now in zip(part.running, changed, strict=True)]
        part.before = found

    def _call(self, part: _Part, call: int, function: Call, tick: int | None = None) -> None:
        self.rows.note.part, self.rows.note.call = part.place, call
        status = function()
        if status == WARNING:
            part.warnings += 1
        elif status > WARNING:
            at = self.tick if tick is None else tick
            raise _FaultError(Fault(part.plan.name, CALLS[call], status, None, math.nan, at))

    def _check_finite(self, part: _Part, values: NDArray[np.float64], block: Block, tick: int) -> None:
        begin, n = block.begin[0], block.count[0]
        reals = values[begin : begin + n]
        if not np.isfinite(reals).all():
            bad = begin + int(np.flatnonzero(~np.isfinite(reals))[0])
            name, value = self.plan.value_names[bad], float(values[bad])
            raise _FaultError(Fault(part.plan.name, CALLS[NOT_FINITE], 0, name, value, tick))


def _names(part: PartPlan, begin: int, count: int) -> Sequence[str]:
    return part.outputs[begin - part.output_begin : begin - part.output_begin + count]


def _nothing() -> int:
    return 0
