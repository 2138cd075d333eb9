"""The master's schedule in plain Python: the fallback without a compiler, and the oracle of `master.c`.

It steps any mix of FMUs, scripts and interpreted blocks. Its rows equal those of `master.c` bit for bit, so arithmetic
is done in the same order as there.
"""

from __future__ import annotations

import math
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
from drawbar.orchestrator.master.event_detection import DELAYED_STEPS, Events, PendingEvent
from drawbar.orchestrator.master.input_extrapolation import ConnectedInput, Source, Table
from drawbar.orchestrator.master.part_timing import PartTiming
from drawbar.orchestrator.master.rows import Rows, row_shapes
from drawbar.orchestrator.planning.coupling import SET_AND_READ
from drawbar.orchestrator.planning.schedule import FreshRead, PartPlan, Plan, ValueRange

WARNING = 1

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
class PartStatistics:
    """The steps of a part, its warnings, and the mean cost of a step in s, from those timed (`part_timing.py`)."""

    steps: int
    warnings: int
    seconds: float


@dataclass
class _Part:
    plan: PartPlan
    index: int
    read: Call
    read_newest: Call
    write: Call
    write_derivatives: Call | None
    step: Callable[[float, float], int]
    h: float
    receivers: list[ConnectedInput]
    derivatives: NDArray[np.float64]
    events: Events
    epoch: int = 0
    ahead: bool = False
    jumped: bool = False
    due_in: int = 0
    steps: int = 0
    warnings: int = 0
    timing: PartTiming = field(default_factory=PartTiming)


@dataclass
class _FreshRead:
    plan: FreshRead
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
        self._fresh_reads = [self._bind_fresh_read(v, instances[plan.parts[v.part].name]) for v in plan.fresh_reads]
        rates = [*plan.rates, *([plan.watch] if plan.watch else [])]
        self._rates = [(rate.period_ticks, np.array(rate.columns, np.int64)) for rate in rates]
        self._delayed = [PendingEvent(d, Events(d.events, plan.table.begin[0])) for d in plan.delayed_events]
        nothing = np.zeros((1, plan.table.count[0]))
        self._table = Table(nothing, nothing, nothing, 0)

    def _bind(self, index: int, part: PartPlan, instance: Instance) -> _Part:
        into = self.inputs[part.input_begin : part.input_begin + len(part.inputs)]
        slots = {at: slot for slot, at in enumerate(part.derivatives)}
        derivatives = np.zeros(len(part.derivatives))
        with_derivative = [part.inputs[i] for i in part.derivatives]
        return _Part(
            plan=part,
            index=index,
            read=self._reader(part, part.after_step, self.values, instance),
            read_newest=self._reader(part, part.after_step, self.newest, instance),
            write=instance.writer(part.inputs, into) if part.inputs else _nothing,
            write_derivatives=instance.derivative_writer(with_derivative, derivatives) if with_derivative else None,
            step=instance.stepper(),
            h=float(part.period_ticks * self.plan.tick),
            receivers=[
                ConnectedInput(a, part.input_begin + i, slots.get(i), a.source - self.plan.table.begin[0])
                for i, a in enumerate(part.connections)
            ],
            derivatives=derivatives,
            events=Events(part.events, self.plan.table.begin[0]),
        )

    def _reader(self, part: PartPlan, block: ValueRange, values: NDArray[np.float64], instance: Instance) -> Call:
        calls = [
            instance.reader(_names(part, begin, count), values[begin : begin + count])
            for begin, count in zip(block.begin, block.count, strict=True)
            if count
        ]
        return lambda: max([call() for call in calls], default=0)

    def _bind_fresh_read(self, fresh: FreshRead, instance: Instance) -> _FreshRead:
        part = self.plan.parts[fresh.part]
        if fresh.method == SET_AND_READ:
            return _FreshRead(fresh, self._reader(part, fresh.block, self.values, instance))
        seed, change = np.zeros(part.input_counts[0]), np.zeros(fresh.block.count[0])
        unknowns = _names(part, fresh.block.begin[0], fresh.block.count[0])
        call = instance.directional(unknowns, part.inputs[: len(seed)], seed, change)
        return _FreshRead(fresh, call, seed, change)

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

    def feed(self, table: Table) -> None:
        """Set the rows of the input file, as `Master.feed` does."""
        self._table = table

    def changed(self, index: int) -> Fault | None:
        """Account for a change of a part from outside, as `Master.changed` does."""
        return self._guarded(lambda: self._changed(self._parts[index]))

    def _changed(self, changed: _Part) -> None:
        if changed.plan.fresh_read and changed.due_in == 0:
            self._call(changed, GET, changed.read)
            self._check_finite(changed, self.values, changed.plan.after_step, self.tick)
        for fresh in self._fresh_reads:
            if fresh.plan.method == SET_AND_READ and self._parts[fresh.plan.part].due_in == 0:
                self._set_and_read(self._parts[fresh.plan.part], fresh)
        for part in self._parts:
            part.epoch += 1
        for delayed in self._delayed:
            delayed.pending = DELAYED_STEPS

    def statistics(self) -> dict[str, PartStatistics]:
        """Return the steps, warnings and costs of each part so far."""
        return {
            p.plan.name: PartStatistics(p.steps, p.warnings, p.timing.seconds / max(1, p.timing.covered))
            for p in self._parts
        }

    def _guarded(self, action: Callable[[], None]) -> Fault | None:
        try:
            action()
        except _FaultError as stop:
            return stop.fault
        finally:
            self.rows.current_call.part, self.rows.current_call.call = -1, IDLE
        return None

    def _macro_step(self) -> None:
        t = self.time()
        self.rows.current_call.tick = self.tick
        for part in self._parts:
            if part.due_in == 0:
                self._step(part, t)
        self.tick += 1
        self.rows.current_call.tick = self.tick
        for part in self._parts:
            part.due_in -= 1
        self._exchange_and_record()

    def _step(self, part: _Part, t: float) -> None:
        part.timing.choose(part.steps)
        began = part.timing.begin()
        for receiver in part.receivers:
            source = self._source(receiver)
            value = float(self.values[receiver.connection.source])
            self.inputs[receiver.index], slope = receiver.value_at(
                value, source, self.tick, part.plan.period_ticks, part.h, self._table
            )
            if receiver.slot is not None:
                part.derivatives[receiver.slot] = slope
        self._call(part, SET, part.write)
        if part.write_derivatives is not None:
            self._call(part, SET_DERIVATIVES, part.write_derivatives)
        self._call(part, DO_STEP, lambda: part.step(t, part.h))
        part.due_in = part.plan.period_ticks
        if part.plan.read_early:
            late = self.tick + part.plan.period_ticks
            self._call(part, GET, part.read_newest, late)
            self._check_finite(part, self.newest, part.plan.after_step, late)
            part.ahead = True
            part.jumped = any(
                owner >= 0
                and self._parts[owner].ahead
                and self.newest[k] != self.values[k]
                and not part.events.is_counter(j)
                for j, (k, owner) in enumerate(zip(part.plan.events.values, part.plan.events.owners, strict=True))
            )
        part.timing.end(began)
        part.steps += 1

    def _source(self, receiver: ConnectedInput) -> Source | None:
        if receiver.connection.part < 0:
            return None
        source = self._parts[receiver.connection.part]
        newest = float(self.newest[receiver.connection.source]) if source.ahead else None
        return Source(source.plan.period_ticks, source.due_in, source.epoch, newest, source.jumped)

    def _exchange_and_record(self) -> None:
        table = self.plan.table
        if table.count[0]:
            row = self._table.rows[2 * (self.tick - self._table.first)]
            self.values[table.begin[0] : table.begin[0] + table.count[0]] = row
        for part in self._parts:
            if part.due_in:
                continue
            began = part.timing.begin()
            if part.ahead:
                begin, n = part.plan.output_begin, len(part.plan.outputs)
                self.values[begin : begin + n] = self.newest[begin : begin + n]
                part.ahead = False
                continue
            self._call(part, GET, part.read)
            self._check_finite(part, self.values, part.plan.after_step, self.tick)
            part.timing.end(began)
        for fresh in self._fresh_reads:
            if self._parts[fresh.plan.part].due_in == 0:
                self._correct_or_read(self._parts[fresh.plan.part], fresh)
        for delayed in self._delayed:
            if self._parts[delayed.plan.part].due_in == 0:
                delayed.advance(self.values, self._table, self.tick)
        for part in self._parts:
            if part.due_in == 0:
                part.epoch += part.events.have_changed(self.values, self._table, self.tick)
        self._record()

    def _set_and_read(self, part: _Part, fresh: _FreshRead) -> None:
        for receiver in part.receivers:
            self.inputs[receiver.index] = receiver.scaled(float(self.values[receiver.connection.source]))
        self._call(part, SET, part.write)
        self._call(part, GET, fresh.call)
        self._check_finite(part, self.values, fresh.plan.block, self.tick)

    def _correct_or_read(self, part: _Part, fresh: _FreshRead) -> None:
        began = part.timing.begin()
        if fresh.plan.method == SET_AND_READ:
            self._set_and_read(part, fresh)
        elif self.tick:
            for j, receiver in enumerate(part.receivers[: len(fresh.seed)]):
                ended = self.inputs[receiver.index]
                if receiver.slot is not None:
                    ended = ended + part.derivatives[receiver.slot] * part.h
                fresh.seed[j] = receiver.scaled(float(self.values[receiver.connection.source])) - ended
            self._call(part, DERIVATIVE, fresh.call)
            begin = fresh.plan.block.begin[0]
            self.values[begin : begin + len(fresh.change)] += fresh.change
            self._check_finite(part, self.values, fresh.plan.block, self.tick)
        part.timing.end(began)

    def _record(self) -> None:
        for i, (period_ticks, columns) in enumerate(self._rates):
            if self.tick % period_ticks == 0:
                n = int(self.rows.counts[i])
                row = self.rows.arrays[i][n]
                row[0] = self.time()
                row[1:] = self.values[columns]
                self.rows.counts[i] = n + 1

    def _call(self, part: _Part, call: int, function: Call, tick: int | None = None) -> None:
        self.rows.current_call.part, self.rows.current_call.call = part.index, call
        status = function()
        if status == WARNING:
            part.warnings += 1
        elif status > WARNING:
            at = self.tick if tick is None else tick
            raise _FaultError(Fault(part.plan.name, CALLS[call], status, None, math.nan, at))

    def _check_finite(self, part: _Part, values: NDArray[np.float64], block: ValueRange, tick: int) -> None:
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
