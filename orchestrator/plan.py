"""From a checked diagram to a static schedule: what is stepped when, and which value goes where.

Time is counted in ticks, the greatest common divisor of the diagram's step and all sampling periods. A part steps at
its own period, or at the diagram's step if it has none.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from drawbar.blocks.authoring.errors import UsageError, did_you_mean
from drawbar.blocks.authoring.interface import Interface, Port
from drawbar.diagrams.diagram import Diagram
from drawbar.diagrams.wiring import Wire, wires
from drawbar.fmus.instance import TYPES
from drawbar.orchestrator.recorder import Column, Rate

# times are exact as long as the ticks, times the tick's numerator, are whole numbers of a double
MOST_TICKS = 2**53
MOST_TICKS_A_STEP = 1_000_000


@dataclass(frozen=True)
class Arrival:
    """What arrives at one input: ``gain * values[source] + offset``."""

    source: int
    gain: float
    offset: float


@dataclass(frozen=True)
class PartPlan:
    """One part: its scalars in the order of `TYPES`, and where its values lie in the master's arrays."""

    name: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]  # the connected ones; the others keep their start values
    output_counts: tuple[int, ...]
    input_counts: tuple[int, ...]
    output_begin: int
    input_begin: int
    arrivals: tuple[Arrival, ...]
    every: int


@dataclass(frozen=True)
class RatePlan:
    """What is recorded every so many ticks; `columns` are indices of the master's values."""

    every: int
    rate: Rate
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """The schedule of a diagram."""

    tick: Fraction
    macro: int  # ticks to a macro step
    parts: tuple[PartPlan, ...]
    rates: tuple[RatePlan, ...]
    value_names: tuple[str, ...]
    n_inputs: int
    initial: tuple[tuple[Wire, ...], ...]  # sweeps of the exchange during initialization, in this order

    def ticks(self, stop: Fraction) -> int:
        """The number of ticks to `stop`; it must be a whole number of macro steps."""
        step = self.tick * self.macro
        steps = stop / step
        if stop <= 0:
            raise UsageError(f"stop time {_text(stop)} s is not positive")
        if steps.denominator != 1:
            nearest = max(1, round(steps)) * step
            raise UsageError(
                f"stop time {float(stop):g} s is no whole number of steps of {float(step):g} s; "
                f"the nearest is {float(nearest):.12g} s"
            )
        ticks = int(steps) * self.macro
        if ticks * self.tick.numerator >= MOST_TICKS:
            raise UsageError(
                f"stop time {_text(stop)} s is too many steps of {float(step):g} s away to count exactly; "
                "stop earlier or take longer steps"
            )
        return ticks


def make_plan(diagram: Diagram, record: Sequence[str] = ("*",), thin: int = 1) -> Plan:
    """Lay out the values and the schedule of a diagram that has passed the check.

    Outputs that match a pattern of `record` (``vehicle.*``, ``*.steer``) are recorded, at every `thin`-th step of
    their part. `UsageError` if a pattern matches nothing.
    """
    if thin < 1:
        raise UsageError(f"recording every {thin} steps: give a positive whole number")
    periods = {name: part.interface.period or diagram.step for name, part in diagram.parts.items()}
    tick = common_tick([diagram.step, *periods.values()])
    if diagram.step / tick > MOST_TICKS_A_STEP:
        shown = ", ".join(sorted({f"{p} s" for p in [diagram.step, *periods.values()]}))
        raise UsageError(
            f"the periods {shown} have no useful common tick; choose periods that divide each other better"
        )
    for name, part in diagram.parts.items():
        model = part.block.model() if part.block is not None else None
        if model is not None and model.x and periods[name] / model.step > MOST_TICKS_A_STEP:
            raise UsageError(
                f"part '{name}' takes micro-steps of {float(model.step):g} s, and a step of {_text(periods[name])} s "
                "has too many of them; take shorter steps"
            )
    lines = wires(diagram)
    chosen = _chosen(diagram, record)
    # outputs, and what else is to be recorded
    read = {
        name: [p for p in part.interface.ports if p.causality == "output" or f"{name}.{p.name}" in chosen]
        for name, part in diagram.parts.items()
    }
    outputs = {name: _by_type(ports) for name, ports in read.items()}
    value_names = [f"{part}.{scalar}" for part, scalars in outputs.items() for scalar, _ in scalars]
    position = {name: i for i, name in enumerate(value_names)}
    arriving: dict[str, dict[str, Wire]] = {name: {} for name in diagram.parts}
    for line in lines:
        arriving[line.end_part][line.end] = line

    parts: list[PartPlan] = []
    n_outputs = n_inputs = 0
    for name, part in diagram.parts.items():
        inputs = [(s, kind) for s, kind in _by_type(part.interface.of("input")) if s in arriving[name]]
        lines_here = [arriving[name][scalar] for scalar, _ in inputs]
        parts.append(
            PartPlan(
                name=name,
                outputs=tuple(s for s, _ in outputs[name]),
                inputs=tuple(s for s, _ in inputs),
                output_counts=_counts(kind for _, kind in outputs[name]),
                input_counts=_counts(kind for _, kind in inputs),
                output_begin=n_outputs,
                input_begin=n_inputs,
                arrivals=tuple(Arrival(position[f"{w.start_part}.{w.start}"], w.gain, w.offset) for w in lines_here),
                every=int(periods[name] / tick),
            )
        )
        n_outputs += len(outputs[name])
        n_inputs += len(inputs)
    return Plan(
        tick=tick,
        macro=int(diagram.step / tick),
        parts=tuple(parts),
        rates=_rates(read, periods, tick, position, chosen, thin),
        value_names=tuple(value_names),
        n_inputs=n_inputs,
        initial=_sweeps(lines, {name: part.interface for name, part in diagram.parts.items()}),
    )


def _text(seconds: Fraction) -> str:
    """A time for people, whatever its size."""
    try:
        return f"{float(seconds):g}"
    except OverflowError:
        return f"1e{len(str(int(seconds))) - 1}"


def common_tick(periods: Iterable[Fraction]) -> Fraction:
    """The greatest common divisor of periods."""
    chosen = list(periods)
    denominator = math.lcm(*(p.denominator for p in chosen))
    return Fraction(math.gcd(*(int(p * denominator) for p in chosen)), denominator)


def _by_type(ports: Iterable[Port]) -> list[tuple[str, str]]:
    """Scalars that the master can carry, with their type, in the order of `TYPES`."""
    scalars = [(name, port.type) for port in ports for name in port.scalar_names() if port.type in TYPES]
    return sorted(scalars, key=lambda s: TYPES.index(s[1]))  # stable: declared order within a type


def _counts(kinds: Iterable[str]) -> tuple[int, ...]:
    found = list(kinds)
    return tuple(found.count(kind) for kind in TYPES)


def _chosen(diagram: Diagram, patterns: Sequence[str]) -> set[str]:
    """The outputs and locals, as ``part.port``, that any of the patterns names; ``*`` alone means the outputs."""
    ports = [(f"{name}.{p.name}", p) for name, part in diagram.parts.items() for p in part.interface.ports]
    outputs = [name for name, p in ports if p.causality == "output"]
    names = [name for name, p in ports if p.causality in ("output", "local")]
    chosen: set[str] = set()
    for pattern in patterns:
        # brackets belong to names of FMI, they are no sets of letters
        found = outputs if pattern == "*" else fnmatch.filter(names, pattern.replace("[", "[[]"))
        if not found and pattern != "*":
            raise UsageError(f"nothing to record matches '{pattern}'" + did_you_mean(pattern, names))
        chosen.update(found)
    return chosen


def _rates(
    read: Mapping[str, Sequence[Port]],
    periods: Mapping[str, Fraction],
    tick: Fraction,
    position: Mapping[str, int],
    chosen: set[str],
    thin: int,
) -> tuple[RatePlan, ...]:
    """Group the outputs of all parts by the period at which their part steps."""
    plans: list[RatePlan] = []
    for period in sorted(set(periods.values())):
        columns: list[Column] = []
        for name, ports in read.items():
            if periods[name] != period:
                continue
            for port in ports:
                if port.type in TYPES and f"{name}.{port.name}" in chosen:
                    columns += [
                        Column(f"{name}.{s}", port.unit, port.type, port.description) for s in port.scalar_names()
                    ]
        if columns:
            index = tuple(position[c.name] for c in columns)
            plans.append(RatePlan(int(period / tick) * thin, Rate(period * thin, tuple(columns)), index))
    return tuple(plans)


def _sweeps(lines: list[Wire], interfaces: Mapping[str, Interface]) -> tuple[tuple[Wire, ...], ...]:
    """Order the wires so that an output is read only when the inputs it depends on have arrived.

    An output with unknown dependencies is taken to depend on all inputs of its part; around a loop the order is that
    of the diagram, which leaves one pass of the exchange.
    """
    into: dict[str, list[Wire]] = {}
    for line in lines:
        into.setdefault(line.end_part, []).append(line)
    depth: dict[tuple[str, str], int] = {}

    def before(node: tuple[str, str]) -> list[tuple[str, str]]:
        part, scalar = node
        known = interfaces[part].initial_feedthrough.get(scalar)
        arriving = into.get(part, [])
        return [(w.start_part, w.start) for w in arriving if known is None or w.end in known]

    # depth-first without recursion: a chain may have thousands of parts
    for root in dict.fromkeys((w.start_part, w.start) for w in lines):
        stack = [(root, iter(before(root)))]
        active = {root}
        while stack:
            node, rest = stack[-1]
            following = next((n for n in rest if n not in depth and n not in active), None)
            if following is not None:
                active.add(following)
                stack.append((following, iter(before(following))))
                continue
            stack.pop()
            active.discard(node)
            depth.setdefault(node, 1 + max((depth.get(n, -1) for n in before(node)), default=-1))
    levels: dict[int, list[Wire]] = {}
    for w in lines:
        levels.setdefault(depth[(w.start_part, w.start)], []).append(w)
    return tuple(tuple(levels[k]) for k in sorted(levels))
