"""From a checked diagram to a static schedule.

Time is counted in ticks, the greatest common divisor of the diagram's step and all periods. A part steps at its own
period, or at the diagram's step if it has none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from drawbar.blocks.core.errors import UsageError
from drawbar.blocks.core.interface import Port
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.scalar_connections import ScalarConnection, scalar_connections
from drawbar.fmus.backends.instance import TYPES
from drawbar.orchestrator.planning.coupling import INTERPOLATE, Coupling, couple
from drawbar.orchestrator.planning.event_sources import EventSources, event_plan, find_event_sources
from drawbar.orchestrator.planning.memory_layout import Layout, count_types
from drawbar.orchestrator.planning.schedule import InputConnection, PartPlan, Plan, as_text
from drawbar.orchestrator.planning.scheduling import initial_sweeps

if TYPE_CHECKING:
    from drawbar.orchestrator.scenario.inputs import InputTable

MAX_TICKS_PER_STEP = 1_000_000


def make_plan(
    diagram: Diagram,
    record: Sequence[str] = ("*",),
    decimation: int = 1,
    *,
    watch: Sequence[str] | None = None,
    table: InputTable | None = None,
) -> Plan:
    """Return the schedule of a diagram that has passed the check.

    Outputs that match a pattern of `record` (``vehicle.*``, ``*.steer``) are recorded at every `decimation`-th step of
    their part. The scalars of `watch` are stored beside them, with the time, for a stop condition. The columns of
    `table` are sources like the outputs of a part. Raise `UsageError` if a pattern matches nothing.
    """
    if decimation < 1:
        raise UsageError(f"recording every {decimation} steps: give a positive whole number")
    periods = {name: part.interface.period or diagram.step for name, part in diagram.parts.items()}
    tick = common_tick([diagram.step, *periods.values()])
    _refuse_odd_periods(diagram, periods, tick)
    connections = scalar_connections(diagram)
    coupling = couple(diagram, connections, _file_inputs(table), _jumps_within(diagram, table))
    layout = Layout(diagram, coupling, connections, record, watch or (), table)
    period_ticks = {name: int(period / tick) for name, period in periods.items()}
    events = find_event_sources(diagram, coupling, connections, table)
    layout.add_counters(d.counter for d in events.delayed)
    index = {name: i for i, name in enumerate(layout.order)}
    parts = _parts(diagram, coupling, connections, layout, period_ticks, table, events)
    return Plan(
        tick=tick,
        macro_ticks=int(diagram.step / tick),
        parts=parts,
        fresh_reads=layout.fresh_reads(),
        delayed_events=tuple(d.plan(layout.position, index) for d in events.delayed),
        rates=layout.rates(periods, tick, decimation),
        watch=layout.watch(watch, period_ticks, tick),
        value_names=tuple(layout.position),
        n_inputs=sum(len(p.inputs) for p in parts),
        table=layout.table,
        initial=initial_sweeps(connections, {name: part.interface for name, part in diagram.parts.items()}),
        accuracy_notes=coupling.accuracy_notes,
        order=coupling.order,
    )


def _refuse_odd_periods(diagram: Diagram, periods: Mapping[str, Fraction], tick: Fraction) -> None:
    if diagram.step / tick > MAX_TICKS_PER_STEP:
        shown = ", ".join(sorted({f"{p} s" for p in [diagram.step, *periods.values()]}))
        raise UsageError(
            f"the periods {shown} have no useful common tick; choose periods that divide each other better"
        )
    for name, part in diagram.parts.items():
        model = part.block.model() if part.block is not None else None
        if model is not None and model.x and periods[name] / model.step > MAX_TICKS_PER_STEP:
            raise UsageError(
                f"part '{name}' takes micro-steps of {float(model.step):g} s, and a step of {as_text(periods[name])} s "
                "has too many of them; take shorter steps"
            )


def common_tick(periods: Iterable[Fraction]) -> Fraction:
    """Return the greatest common divisor of periods."""
    chosen = list(periods)
    denominator = math.lcm(*(p.denominator for p in chosen))
    return Fraction(math.gcd(*(int(p * denominator) for p in chosen)), denominator)


def _file_inputs(table: InputTable | None) -> dict[tuple[str, str], bool]:
    """Return the inputs that the columns of an input file drive, and whether they vary between rows."""
    return {} if table is None else {(t.part, t.scalar): c.continuous for c in table.columns for t in c.targets}


def _jumps_within(diagram: Diagram, table: InputTable | None) -> dict[str, float]:
    """Return the columns that jump within a step of a part that they drive, and the first such time in s."""
    found: dict[str, float] = {}
    for i, column in enumerate(() if table is None else table.columns):
        assert table is not None
        for target in column.targets:
            period = diagram.parts[target.part].interface.period or diagram.step
            if (time := table.first_jump_off(i, period)) is not None:
                found.setdefault(column.name, time)
    return found


def _parts(
    diagram: Diagram,
    coupling: Coupling,
    connections: Sequence[ScalarConnection],
    layout: Layout,
    period_ticks: Mapping[str, int],
    table: InputTable | None,
    events: EventSources,
) -> tuple[PartPlan, ...]:
    index = {name: i for i, name in enumerate(layout.order)}
    arriving: dict[str, dict[str, InputConnection]] = {name: {} for name in layout.order}
    limits = {name: _limits(part) for name, part in diagram.parts.items()}
    for w in connections:
        low, high = limits[w.end_part][w.end]
        source = layout.position[f"{w.start_part}.{w.start}"]
        kind = coupling.kinds[(w.end_part, w.end)]
        arriving[w.end_part][w.end] = InputConnection(source, index[w.start_part], kind, w.gain, w.offset, low, high)
    for column in () if table is None else table.columns:
        source = layout.position[f"input {column.name}"]
        for name, scalar, gain, offset in column.targets:
            low, high = limits[name][scalar]
            kind = coupling.kinds[(name, scalar)]
            arriving[name][scalar] = InputConnection(source, -1, kind, gain, offset, low, high)

    plans: list[PartPlan] = []
    n_inputs = 0
    for name in layout.order:
        ports = diagram.parts[name].interface.of("input")
        inputs = [(s, kind) for s, kind in _by_type(ports) if s in arriving[name]]
        incoming = tuple(arriving[name][s] for s, _ in inputs)
        takes = diagram.parts[name].interface.interpolates
        plans.append(
            PartPlan(
                name=name,
                outputs=tuple(s for s, _ in layout.scalars[name]),
                inputs=tuple(s for s, _ in inputs),
                input_counts=count_types(kind for _, kind in inputs),
                output_begin=layout.begin[name],
                input_begin=n_inputs,
                connections=incoming,
                period_ticks=period_ticks[name],
                after_step=layout.after_step(name),
                read_early=layout.read_early[name],
                events=event_plan(events.parts[name], layout.position, index),
                fresh_read=diagram.parts[name].interface.fresh_read,
                derivatives=tuple(i for i, a in enumerate(incoming) if takes and a.kind == INTERPOLATE),
            )
        )
        n_inputs += len(inputs)
    return tuple(plans)


def _by_type(ports: Iterable[Port]) -> list[tuple[str, str]]:
    """Return the scalars that the master can carry, with their type, in the order of `TYPES`."""
    scalars = [(name, port.type) for port in ports for name in port.scalar_names() if port.type in TYPES]
    return sorted(scalars, key=lambda s: TYPES.index(s[1]))  # stable: declared order within a type


def _limits(part: Part) -> dict[str, tuple[float, float]]:
    return {
        scalar: (
            -math.inf if port.minimum is None else port.minimum,
            math.inf if port.maximum is None else port.maximum,
        )
        for port in part.interface.of("input")
        for scalar in port.scalar_names()
    }
