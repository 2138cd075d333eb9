"""The latency of a signal around a loop of parts, caused by the coupling alone.

The latency of a signal that enters a part and leaves it again is

================================================  ==================================================================
way through the part                              latency
================================================  ==================================================================
direct feedthrough, read afresh                   the age of the exchanged value
direct feedthrough, read right after the step     a step of the part and the age; half a step if its input was
                                                  extrapolated to the middle of the step, 0 if it arrives with its
                                                  derivative
its states                                        half a step and the age; 0 if the input is extrapolated or
                                                  interpolated
a sample                                          a period, because its outputs are seen after the step, and the age
================================================  ==================================================================

The age is that of a value, on average, at the beginning of the step that it is sent for. With a source that steps every
S, a part that steps every R and their greatest common divisor g, a held value is (S - g)/2 old: zero if the source
steps as often as the part. A newest value is from (S + g)/2 later if the source steps before the part, from (S - g)/2
later if after it; of a slower source it is (S - g)/2 - R old, because a value is sent once it is reached within the
step. Ages are added as if they were independent: if a fast sampled part lies between slower parts, the sum may be off
by up to half a step of those.

Of several connections and outputs the slowest way counts. The dynamics of the parts are not counted.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.model.scalar_connections import ScalarConnection, scalar_connections
from drawbar.orchestrator.planning.coupling import EXTRAPOLATE, HOLD, INTERPOLATE, NEWEST, STALE, couple
from drawbar.orchestrator.planning.plan import make_plan

NOTHING = "nothing"  # what a loop without latency is late from
MAX_LOOPS = 50  # largest number of loops reported


@dataclass(frozen=True)
class LoopLatency:
    """A loop of parts, its latency in s and in macro steps, and the largest contribution."""

    parts: tuple[str, ...]
    seconds: Fraction
    steps: Fraction
    worst: str


def latencies(diagram: Diagram) -> list[LoopLatency]:
    """Return the shortest loop through each connection between two parts, each once, in the order of the diagram."""
    diagram = flatten(diagram)
    connections = scalar_connections(diagram)
    latency = _Latencies(diagram, connections)
    between: dict[tuple[str, str], list[ScalarConnection]] = {}
    for w in connections:
        between.setdefault((w.start_part, w.end_part), []).append(w)
    found: dict[tuple[str, ...], LoopLatency] = {}
    for loop in _loops(list(diagram.parts), between):
        if len(found) == MAX_LOOPS:
            break
        if loop not in found and (path := latency.around(loop, between)) is not None:
            found[loop] = path
    return list(found.values())


class _Latencies:
    """The plan and the coupling that latencies follow from."""

    def __init__(self, diagram: Diagram, connections: Sequence[ScalarConnection]) -> None:
        self.plan = make_plan(diagram)
        self.parts = diagram.parts
        self.coupling = couple(diagram, connections)
        self.period_ticks = {p.name: p.period_ticks for p in self.plan.parts}
        self.index = {p.name: i for i, p in enumerate(self.plan.parts)}
        self.with_derivative = {(p.name, p.inputs[i]) for p in self.plan.parts for i in p.derivatives}

    def around(
        self, loop: tuple[str, ...], between: dict[tuple[str, str], list[ScalarConnection]]
    ) -> LoopLatency | None:
        """Return the latency around a loop, or None if it is broken inside a part."""
        ticks, worst, largest = Fraction(0), "", Fraction(-1)
        for i, part in enumerate(loop):
            incoming, outgoing = between[(loop[i - 1], part)], between[(part, loop[(i + 1) % len(loop)])]
            ways = self._ways(part, incoming, outgoing)
            if not ways:
                return None
            latency, how = max(ways, key=lambda way: way[0])
            ticks += latency
            if latency > largest:
                largest, worst = latency, how
        return LoopLatency(
            loop, ticks * self.plan.tick, ticks / self.plan.macro_ticks, worst if largest > 0 else NOTHING
        )

    def _ways(
        self, part: str, incoming: Iterable[ScalarConnection], outgoing: Sequence[ScalarConnection]
    ) -> list[tuple[Fraction, str]]:
        """Return the latency in ticks, and its cause, for each way through the part.

        A way leads from a connection into the part to one out of it that depends on it.
        """
        interface = self.parts[part].interface
        found = []
        for w, out in itertools.product(incoming, outgoing):
            how = f"{w.start_part}.{w.start} -> {part}.{w.end}"
            if interface.sampled:
                found.append((self.period_ticks[part] + self._age(w), f"the sample of {part}"))
            elif w.end in interface.feedthrough.get(out.start, (w.end,)):  # unknown: it may feed through
                found.append((self._direct(w, out), how))
            elif interface.integrates:
                found.append((self._state(w), how))
        return found

    def _direct(self, w: ScalarConnection, out: ScalarConnection) -> Fraction:
        step, source = self.period_ticks[w.end_part], self.period_ticks[w.start_part]
        if not self._is_extrapolated(w):
            after_step = step + self._age(w)
        else:
            after_step = Fraction(0) if (w.end_part, w.end) in self.with_derivative else Fraction(step, 2)
        exchanged = Fraction(source - math.gcd(source, step), 2)
        share = self._share_after_step(out)
        return share * after_step + (1 - share) * exchanged

    def _share_after_step(self, out: ScalarConnection) -> Fraction:
        """Return the share of the outgoing value that is read right after the step, not afresh in the exchange."""
        part = out.start_part
        if self.coupling.fresh[part] == STALE or out.start not in self.coupling.feedthrough[part]:
            return Fraction(1)
        if not self._is_ahead(out):
            return Fraction(0)
        # a part that steps later takes the newest value, not exchanged yet; a line begins at an exchanged value
        return {NEWEST: Fraction(1), INTERPOLATE: Fraction(1, 2)}.get(self._kind(out), Fraction(0))

    def _state(self, w: ScalarConnection) -> Fraction:
        return Fraction(0) if self._is_extrapolated(w) else Fraction(self.period_ticks[w.end_part], 2) + self._age(w)

    def _age(self, w: ScalarConnection) -> Fraction:
        """Return the age of a held or newest value, on average, at the beginning of a step.

        It is negative if the value is from a later time.
        """
        source = self.period_ticks[w.start_part]
        common = math.gcd(source, self.period_ticks[w.end_part])
        if self._kind(w) == HOLD:
            return Fraction(source - common, 2)
        if source > self.period_ticks[w.end_part]:  # the part is sent the value reached at the end of its step
            return Fraction(source - common, 2) - self.period_ticks[w.end_part]
        return -Fraction(source + common, 2) if self._is_ahead(w) else -Fraction(source - common, 2)

    def _kind(self, w: ScalarConnection) -> int:
        return self.coupling.kinds[(w.end_part, w.end)]

    def _is_extrapolated(self, w: ScalarConnection) -> bool:
        return self._kind(w) in (EXTRAPOLATE, INTERPOLATE)

    def _is_ahead(self, w: ScalarConnection) -> bool:
        return self.index[w.start_part] < self.index[w.end_part]


def _loops(parts: Sequence[str], between: Iterable[tuple[str, str]]) -> Iterable[tuple[str, ...]]:
    """Yield the shortest loop through each edge, beginning with the part that comes first in the diagram."""
    following: dict[str, list[str]] = {name: [] for name in parts}
    for a, b in between:
        following[a].append(b)
    index = {name: i for i, name in enumerate(parts)}
    for a in parts:
        for b in sorted(following[a], key=index.__getitem__):
            way = _shortest(following, b, a)
            if way is not None:
                first = min(range(len(way)), key=lambda i: index[way[i]])
                yield (*way[first:], *way[:first])


def _shortest(following: dict[str, list[str]], start: str, end: str) -> list[str] | None:
    before: dict[str, str] = {start: start}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        if node == end:
            way = [node]
            while way[-1] != start:
                way.append(before[way[-1]])
            return way[::-1]
        for n in following[node]:
            if n not in before:
                before[n] = node
                queue.append(n)
    return None


def table(paths: Sequence[LoopLatency]) -> str:
    """Return the loops as text."""
    lines = []
    for p in paths:
        way = " -> ".join((*p.parts, p.parts[0]))
        found = f"{float(p.steps):g} steps, {float(p.seconds):g} s" if p.steps else "no latency"
        lines.append(f"  {way}\n      {found}" + (f"; mostly from {p.worst}" if p.worst != NOTHING else ""))
    return "\n".join(lines)


def to_json(paths: Sequence[LoopLatency]) -> list[dict[str, Any]]:
    """Return the loops for JSON."""
    return [
        {"parts": list(p.parts), "seconds": float(p.seconds), "steps": float(p.steps), "worst": p.worst} for p in paths
    ]
