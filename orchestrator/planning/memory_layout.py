"""Where each value lies in the master's array, and which values are read together and when.

The values of a part lie side by side: by type (`TYPES`), then those read right after a step, then those read after the
exchange, by the depth of what they depend on. So every read is one contiguous range for each type.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from drawbar.blocks.core.errors import UsageError, did_you_mean
from drawbar.blocks.core.interface import Port
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.scalar_connections import ScalarConnection
from drawbar.fmus.backends.instance import TYPES
from drawbar.orchestrator.planning.coupling import INTERPOLATE, NEWEST, SET_AND_READ, STALE, Coupling
from drawbar.orchestrator.planning.schedule import FreshRead, RatePlan, ValueRange
from drawbar.orchestrator.planning.scheduling import depths, drivers
from drawbar.orchestrator.runs.recorder import Column, Rate
from drawbar.orchestrator.scenario.inputs import describe_variable

if TYPE_CHECKING:
    from drawbar.orchestrator.scenario.inputs import InputTable

Scalar = tuple[str, str]  # name, type


class Layout:
    """The values of all parts in calling order, the columns of the input file, and counters of the master."""

    def __init__(
        self,
        diagram: Diagram,
        coupling: Coupling,
        connections: Sequence[ScalarConnection],
        record: Sequence[str],
        watch: Sequence[str],
        table: InputTable | None,
    ) -> None:
        self._coupling = coupling
        self._recorded = _recorded(diagram, record)
        self.order = list(coupling.step_order)
        self.ports: dict[str, list[Port]] = {}
        for name in self.order:
            ports = diagram.parts[name].interface.ports
            watched = {w.removeprefix(f"{name}.") for w in watch if w.startswith(f"{name}.")}
            self.ports[name] = [
                p
                for p in ports
                if p.causality == "output"
                or f"{name}.{p.name}" in self._recorded
                or (watched and not watched.isdisjoint(p.scalar_names()))
            ]
        self._levels = self._find_levels(connections)
        # a part whose newest outputs are used by others is read in full after its step
        used_early = {w.start_part for w in connections if coupling.kinds[(w.end_part, w.end)] in (NEWEST, INTERPOLATE)}
        self.read_early = {name: name in used_early for name in self.order}
        self.scalars = {name: self._sort(name) for name in self.order}
        self.position: dict[str, int] = {}
        self.begin: dict[str, int] = {}
        for name in self.order:
            self.begin[name] = len(self.position)
            for scalar, _ in self.scalars[name]:
                self.position[f"{name}.{scalar}"] = len(self.position)
        columns = [] if table is None else [c.name for c in table.columns]
        self.table = ValueRange((len(self.position),), (len(columns),))
        for column in columns:
            self.position[f"input {column}"] = len(self.position)

    def add_counters(self, names: Iterable[str]) -> None:
        """Add values that the master counts itself, behind all others."""
        for name in names:
            self.position[name] = len(self.position)

    def _find_levels(self, connections: Sequence[ScalarConnection]) -> dict[tuple[str, str], int]:
        """Return the order of reads: 0 right after a step, then level by level after the exchange."""
        coupling = self._coupling
        waiting = [
            (name, scalar)
            for name in self.order
            if coupling.fresh[name] != STALE
            for scalar in coupling.feedthrough[name]
        ]
        late = set(waiting)
        before = drivers(
            connections, lambda part, scalar: coupling.feedthrough[part][scalar] if (part, scalar) in late else ()
        )
        depth = depths(waiting, before)
        levels = {node: 1 + depth[node] for node in waiting}
        # no part depends on locals, but they too belong to the inputs exchanged
        last = max(levels.values(), default=0) + 1
        driven = {part for part, _ in coupling.kinds}
        for name, ports in self.ports.items():
            if coupling.fresh[name] == SET_AND_READ and name in driven:
                levels.update({(name, s): last for p in ports if p.causality == "local" for s in p.scalar_names()})
        return levels

    def _sort(self, name: str) -> list[Scalar]:
        found = [(s, port.type) for port in self.ports[name] for s in port.scalar_names() if port.type in TYPES]
        return sorted(found, key=lambda s: (TYPES.index(s[1]), self._levels.get((name, s[0]), 0)))  # stable

    def _block(self, name: str, levels: set[int]) -> ValueRange:
        begin, count = [], []
        first = self.begin[name]
        for kind in TYPES:
            these = [s for s, k in self.scalars[name] if k == kind]
            inside = [i for i, s in enumerate(these) if self._levels.get((name, s), 0) in levels]
            begin.append(first + (inside[0] if inside else 0))
            count.append(len(inside))
            first += len(these)
        return ValueRange(tuple(begin), tuple(count))

    def after_step(self, name: str) -> ValueRange:
        """Return the values that are read right after a step of the part."""
        whole = self.read_early[name] or self._coupling.fresh[name] != SET_AND_READ
        return self._block(name, set(self._levels.values()) | {0} if whole else {0})

    def fresh_reads(self) -> tuple[FreshRead, ...]:
        """Return the reads after the exchange, in order."""
        index = {name: i for i, name in enumerate(self.order)}
        wanted = sorted({(level, index[name]) for (name, _), level in self._levels.items()})
        return tuple(
            FreshRead(i, self._coupling.fresh[self.order[i]], self._block(self.order[i], {level}))
            for level, i in wanted
        )

    def rates(self, periods: Mapping[str, Fraction], tick: Fraction, decimation: int) -> tuple[RatePlan, ...]:
        """Return the recorded ports by the period at which their part steps.

        Ports are in the order of the diagram.
        """
        plans: list[RatePlan] = []
        for period in sorted(set(periods.values())):
            columns = [
                Column(f"{name}.{s}", port.unit, port.type, port.description, port.variability)
                for name, part_period in periods.items()
                if part_period == period
                for port in self.ports[name]
                if port.type in TYPES and f"{name}.{port.name}" in self._recorded
                for s in port.scalar_names()
            ]
            if columns:
                index = tuple(self.position[c.name] for c in columns)
                plans.append(
                    RatePlan(int(period / tick) * decimation, Rate(period * decimation, tuple(columns)), index)
                )
        return tuple(plans)

    def watch(self, signals: Sequence[str] | None, period_ticks: Mapping[str, int], tick: Fraction) -> RatePlan | None:
        """Return the rows for a stop condition, at the rate of the fastest of its parts."""
        if signals is None:
            return None
        pace = min(
            [n for s in signals for name, n in period_ticks.items() if s.startswith(f"{name}.")]
            or period_ticks.values()
        )
        columns = tuple(Column(s, "") for s in signals)
        return RatePlan(pace, Rate(pace * tick, columns), tuple(self.position[s] for s in signals))


def count_types(kinds: Iterable[str]) -> tuple[int, ...]:
    """Return how many there are of each of `TYPES`."""
    found = list(kinds)
    return tuple(found.count(kind) for kind in TYPES)


def _recorded(diagram: Diagram, patterns: Sequence[str]) -> set[str]:
    """Return the outputs and locals, as ``part.port``, that match any of the patterns.

    The pattern ``*`` alone means the outputs.
    """
    ports = [(f"{name}.{p.name}", p) for name, part in diagram.parts.items() for p in part.interface.ports]
    outputs = [name for name, p in ports if p.causality == "output"]
    names = [name for name, p in ports if p.causality in ("output", "local")]
    chosen: set[str] = set()
    for pattern in patterns:
        # brackets are part of FMI names, not sets of characters
        found = outputs if pattern == "*" else fnmatch.filter(names, pattern.replace("[", "[[]"))
        if not found and pattern != "*":
            raise UsageError(f"nothing to record matches '{pattern}'" + _hint(pattern, ports, names))
        chosen.update(found)
    return chosen


def _hint(pattern: str, ports: Iterable[tuple[str, Port]], names: Sequence[str]) -> str:
    for name, port in ports:
        if name not in names and fnmatch.fnmatchcase(name, pattern.replace("[", "[[]")):
            return f"; {name} is {describe_variable(port)}, and outputs and locals are recorded"
    return did_you_mean(pattern, names)
