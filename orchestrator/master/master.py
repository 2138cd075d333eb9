"""The master in C, used from Python: the plan laid out in memory, and calls that step it."""

from __future__ import annotations

import ctypes as ct
import math
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import FmuError
from drawbar.fmus.backends.instance import TYPES, AddressedInstance
from drawbar.fmus.toolchain.compilers import compile_library
from drawbar.orchestrator.master import structs
from drawbar.orchestrator.master.current_call import CALLS
from drawbar.orchestrator.master.event_detection import DELAYED_STEPS
from drawbar.orchestrator.master.input_extrapolation import Table
from drawbar.orchestrator.master.reference import Fault, PartStatistics
from drawbar.orchestrator.master.rows import Rows, row_shapes
from drawbar.orchestrator.planning.coupling import BY_DERIVATIVE
from drawbar.orchestrator.planning.schedule import (
    DelayedEvent,
    EventPlan,
    FreshRead,
    PartPlan,
    Plan,
    RatePlan,
    ValueRange,
)

FILES = ("master.c", "master.h", "master_layout.c", "event_detection.c", "input_extrapolation.c", "part_timing.c")


def load_master() -> ct.CDLL:
    """Compile `master.c` with the files it includes, or load it from the cache.

    Raise `BuildError` without a compiler.
    """
    folder = resources.files("drawbar.orchestrator.master")
    files = {name: folder.joinpath(name).read_text("utf-8") for name in FILES}
    library = ct.CDLL(str(compile_library(files, "master.c", "master")))
    structs.check_layout(library)
    library.master_exchange.argtypes = [ct.POINTER(structs.Master)]
    library.master_advance.argtypes = [ct.POINTER(structs.Master), ct.c_int64]
    library.master_changed.argtypes = [ct.POINTER(structs.Master), ct.c_int]
    return library


class Master:
    """Steps FMUs and scripts by a plan, in C.

    `rows` receives the recorded rows; without it there is room for `capacity` ticks between two drains. With
    ``record=False`` nothing is recorded.
    """

    def __init__(
        self,
        plan: Plan,
        instances: Mapping[str, AddressedInstance],
        start_time: float = 0.0,
        *,
        rows: Rows | None = None,
        capacity: int = 16384,
        record: bool = True,
    ) -> None:
        self.plan = plan
        self._library = load_master()
        self._instances = instances
        self._keep: list[Any] = []
        self.values = np.zeros(max(1, len(plan.value_names)))
        self.newest = np.zeros_like(self.values)
        self.inputs = np.zeros(max(1, plan.n_inputs))
        self._parts = (structs.Part * max(1, len(plan.parts)))(*[self._part(p, instances[p.name]) for p in plan.parts])
        fresh_reads = [self._fresh_read(v, instances[plan.parts[v.part].name]) for v in plan.fresh_reads]
        self._fresh_reads = (structs.FreshRead * max(1, len(fresh_reads)))(*fresh_reads)
        delayed_events = [self._delayed_event(d) for d in plan.delayed_events]
        self._delayed_events = (structs.DelayedEvent * max(1, len(delayed_events)))(*delayed_events)
        self.rows = rows if rows is not None else Rows(row_shapes(plan, capacity))
        rates = [*plan.rates, *([plan.watch] if plan.watch else [])] if record else []
        self._rates = (structs.Rate * max(1, len(rates)))(*[self._rate(i, rate) for i, rate in enumerate(rates)])
        self._master = structs.Master(
            parts=self._parts,
            fresh_reads=self._fresh_reads,
            delayed_events=self._delayed_events,
            rates=self._rates,
            values=self.values.ctypes.data,
            newest=self.newest.ctypes.data,
            inputs=self.inputs.ctypes.data,
            current_call=ct.pointer(self.rows.current_call),
            n_parts=len(plan.parts),
            n_fresh_reads=len(fresh_reads),
            n_delayed_events=len(delayed_events),
            n_rates=len(rates),
            n_table=plan.table.count[0],
            table_begin=plan.table.begin[0],
            numerator=plan.tick.numerator,
            denominator=plan.tick.denominator,
            start_time=start_time,
        )
        self._address = ct.byref(self._master)

    def _address_of(self, values: Sequence[int] | NDArray[Any], kind: Any = np.int32) -> Any:
        """Return the address of an array that lives as long as the master."""
        array = np.array(values if len(values) else [0], kind)
        self._keep.append(array)
        return array.ctypes.data

    def _part(self, part: PartPlan, instance: AddressedInstance) -> structs.Part:
        at = instance.addresses()
        slots = {place: slot for slot, place in enumerate(part.derivatives)}
        connections = (structs.Connection * max(1, len(part.connections)))(
            *[
                structs.Connection(
                    source=a.source,
                    part=a.part,
                    kind=a.kind,
                    unscaled=a.gain == 1.0 and a.offset == 0.0,
                    slot=slots.get(i, -1),
                    gain=a.gain,
                    offset=a.offset,
                    low=a.low,
                    high=a.high,
                    epoch=-1,
                )
                for i, a in enumerate(part.connections)
            ]
        )
        self._keep.append(connections)
        begin, into = part.input_begin, []
        for count in part.input_counts:
            into.append(begin)
            begin += count
        with_derivative = [part.inputs[i] for i in part.derivatives]
        if with_derivative and not at.set_derivatives:
            raise FmuError(f"part '{part.name}': the library lacks fmi2SetRealInputDerivatives, which it promises")
        return structs.Part(
            component=at.component,
            get=(ct.c_void_p * 3)(*[at.get[kind] for kind in TYPES]),
            set=(ct.c_void_p * 3)(*[at.set[kind] for kind in TYPES]),
            do_step=at.do_step,
            set_derivatives=at.set_derivatives,
            directional=at.directional,
            out=self._channel(instance, part.outputs, part.output_begin, part.after_step),
            **{
                "in": self._channel(instance, part.inputs, part.input_begin, ValueRange(tuple(into), part.input_counts))
            },
            connections=connections,
            n_derivatives=len(part.derivatives),
            derivative_reference=self._address_of(instance.references(with_derivative), np.uint32),
            derivative_order=self._address_of([1] * len(part.derivatives)),
            derivative=self._address_of([0] * len(part.derivatives), np.float64),
            events=self._events(part.events),
            read_early=part.read_early,
            fresh_read=part.fresh_read,
            period_ticks=part.period_ticks,
            h=float(part.period_ticks * self.plan.tick),
            timing=structs.Timing(interval=1),
        )

    def _events(self, events: EventPlan) -> structs.Events:
        return structs.Events(
            n=len(events.values),
            value=self._address_of(events.values),
            owner=self._address_of(events.owners),
            previous=self._address_of([0] * len(events.values), np.float64),
            may_be_counter=self._address_of(events.may_be_counter),
            consecutive_changes=self._address_of([0] * len(events.values)),
        )

    def _delayed_event(self, delayed: DelayedEvent) -> structs.DelayedEvent:
        return structs.DelayedEvent(
            part=delayed.part,
            value=delayed.value,
            pending=DELAYED_STEPS * delayed.at_start,
            events=self._events(delayed.events),
        )

    def _channel(
        self, instance: AddressedInstance, names: tuple[str, ...], offset: int, block: ValueRange
    ) -> structs.Channel:
        references = [
            self._address_of(instance.references(names[begin - offset : begin - offset + count]), np.uint32)
            for begin, count in zip(block.begin, block.count, strict=True)
        ]
        whole = block.count[1] + block.count[2]
        return structs.Channel(
            reference=(ct.c_void_p * 3)(*references),
            begin=(ct.c_int32 * 3)(*block.begin),
            count=(ct.c_int32 * 3)(*block.count),
            only_reals=whole == 0,
            scratch=self._address_of([0] * whole),
        )

    def _fresh_read(self, fresh_read: FreshRead, instance: AddressedInstance) -> structs.FreshRead:
        part = self.plan.parts[fresh_read.part]
        if fresh_read.method == BY_DERIVATIVE and not instance.addresses().directional:
            raise FmuError(f"part '{part.name}': the library lacks fmi2GetDirectionalDerivative, which it promises")
        return structs.FreshRead(
            part=fresh_read.part,
            method=fresh_read.method,
            out=self._channel(instance, part.outputs, part.output_begin, fresh_read.block),
            seed=self._address_of([0] * part.input_counts[0], np.float64),
            change=self._address_of([0] * fresh_read.block.count[0], np.float64),
        )

    def _rate(self, i: int, rate: RatePlan) -> structs.Rate:
        rows = self.rows.arrays[i]
        return structs.Rate(
            period_ticks=rate.period_ticks,
            column=self._address_of(rate.columns),
            n_columns=len(rate.columns),
            rows=rows.ctypes.data,
            n_rows=self.rows.counts.ctypes.data + 8 * i,
            capacity=len(rows),
        )

    @property
    def tick(self) -> int:
        """The tick reached."""
        return int(self._master.tick)

    def exchange(self) -> Fault | None:
        """Read the outputs that are due and record; return a fault if there is one."""
        return self._fault() if self._library.master_exchange(self._address) else None

    def advance(self, until: int) -> Fault | None:
        """Step to a tick, or to the first fault, which is returned."""
        return self._fault() if self._library.master_advance(self._address, until) else None

    def feed(self, table: Table) -> None:
        """Set the rows of the input file, to the end of the last step."""
        self._tables = [np.ascontiguousarray(t) for t in (table.rows, table.before_jump, table.jumps)]
        m = self._master
        m.table, m.table_before, m.table_jumps = (t.ctypes.data for t in self._tables)
        m.table_tick = table.first

    def changed(self, place: int) -> Fault | None:
        """Account for a change of a part from outside.

        Its outputs, and those that depend on them directly, are read again; nothing is extrapolated across the change.
        """
        return self._fault() if self._library.master_changed(self._address, place) else None

    def statistics(self) -> dict[str, PartStatistics]:
        """Return the steps, warnings and costs of each part so far."""
        return {
            plan.name: PartStatistics(part.steps, part.warnings, part.timing.seconds / max(1, part.timing.covered))
            for plan, part in zip(self.plan.parts, self._parts, strict=False)
        }

    def _fault(self) -> Fault:
        m = self._master
        if m.fault_part < 0:
            raise RuntimeError(f"the recorder of rate {m.fault_value} was not drained in time")
        name = None if m.fault_value < 0 else self.plan.value_names[m.fault_value]
        number = math.nan if m.fault_value < 0 else float(self.values[m.fault_value])
        part = self.plan.parts[m.fault_part].name
        self._instances[part].raise_interruption()
        return Fault(part, CALLS[m.fault_call], m.fault_status, name, number, int(m.fault_tick))
