"""How late a signal is that has gone around a loop of parts, by the coupling alone.

A signal that enters a part and leaves it again is late by

================================================  ==================================================================
way through the part                              lateness
================================================  ==================================================================
direct feed-through, read afresh                  0
direct feed-through, read right after the step    a step of the part; half of one if its input was foreseen for the
                                                  middle of the step, 0 if it was newest or ran along with the step
its states                                        half a step if the input is held (its mean age), 0 if it is foreseen
                                                  or runs along, half a step early if it is newest
a sample                                          a period: what is made of it is seen after the step
================================================  ==================================================================

and where the source steps more slowly and its value is held, by half the difference of the two steps. The dynamics of
the parts are not counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from drawbar.diagrams.diagram import Diagram
from drawbar.diagrams.loops import dependencies, strong_components
from drawbar.diagrams.wiring import Wire, wires
from drawbar.orchestrator.coupling import EXTRAPOLATE, HOLD, INTERPOLATE, NEWEST, STALE, couple
from drawbar.orchestrator.plan import make_plan

MOST = 50  # loops told


@dataclass(frozen=True)
class Path:
    """A loop of parts, how late a signal is after it in s and macro steps, and what adds most."""

    parts: tuple[str, ...]
    seconds: Fraction
    steps: Fraction
    worst: str


def latencies(diagram: Diagram) -> list[Path]:
    """The shortest loop through each wire between two parts, each loop once, in the order of the diagram."""
    lines = wires(diagram)
    late = _Lateness(diagram, lines)
    between: dict[tuple[str, str], list[Wire]] = {}
    for w in lines:
        between.setdefault((w.start_part, w.end_part), []).append(w)
    found: dict[tuple[str, ...], Path] = {}
    for loop in _loops(list(diagram.parts), between):
        if len(found) == MOST:
            break
        if loop not in found and (path := late.around(loop, between)) is not None:
            found[loop] = path
    return list(found.values())


class _Lateness:
    """The facts that lateness follows from."""

    def __init__(self, diagram: Diagram, lines: Sequence[Wire]) -> None:
        self.plan = make_plan(diagram)
        self.parts = diagram.parts
        self.coupling = couple(diagram, lines)
        self.every = {p.name: p.every for p in self.plan.parts}
        self.place = {p.name: i for i, p in enumerate(self.plan.parts)}
        self.looped = {(e.part, e.name) for group in strong_components(dependencies(diagram)) for e in group}
        self.with_slope = {(p.name, p.inputs[i]) for p in self.plan.parts for i in p.derivatives}

    def around(self, loop: tuple[str, ...], between: dict[tuple[str, str], list[Wire]]) -> Path | None:
        """The lateness around a loop; None if it is broken inside a part."""
        ticks, worst, most = Fraction(0), "", Fraction(-1)
        for i, part in enumerate(loop):
            incoming, outgoing = between[(loop[i - 1], part)], between[(part, loop[(i + 1) % len(loop)])]
            ways = self._ways(part, incoming, {w.start for w in outgoing})
            if not ways:
                return None
            late, how = max(ways, key=lambda way: way[0])
            ticks += late
            if late > most:
                most, worst = late, how
        return Path(loop, ticks * self.plan.tick, ticks / self.plan.macro, worst if most > 0 else "nothing")

    def _ways(self, part: str, incoming: Iterable[Wire], outputs: set[str]) -> list[tuple[Fraction, str]]:
        """Each wire into the part that can be felt at the outputs: ticks late, and what makes it so."""
        interface = self.parts[part].interface
        step = Fraction(self.every[part])
        known = interface.feedthrough
        direct = {i for o in outputs for i in known.get(o, ())}
        unknown = not interface.sampled and any(o not in known for o in outputs)
        found = []
        for w in incoming:
            kind = self.coupling.kinds[(part, w.end)]
            if interface.sampled:
                late, how = step, f"the sample of {part}"
            elif w.end in direct or unknown:
                late, how = self._direct(w, kind, step, outputs), f"{w.start_part}.{w.start} -> {part}.{w.end}"
            elif interface.integrates:
                late, how = self._state(w, kind, step), f"{w.start_part}.{w.start} -> {part}.{w.end}"
            else:
                continue
            if kind in (HOLD, NEWEST):
                late += max(Fraction(0), (self.every[w.start_part] - step) / 2)
            found.append((late, how))
        return found

    def _direct(self, w: Wire, kind: int, step: Fraction, outputs: set[str]) -> Fraction:
        in_loop = (w.end_part, w.end) in self.looped and any((w.end_part, o) in self.looped for o in outputs)
        if (self.coupling.fresh[w.end_part] != STALE and not in_loop) or (w.end_part, w.end) in self.with_slope:
            return Fraction(0)
        if kind == NEWEST and self._is_ahead(w):
            return Fraction(0)
        return step / 2 if kind in (EXTRAPOLATE, INTERPOLATE) else step

    def _state(self, w: Wire, kind: int, step: Fraction) -> Fraction:
        if kind in (EXTRAPOLATE, INTERPOLATE):
            return Fraction(0)
        return -step / 2 if kind == NEWEST and self._is_ahead(w) else step / 2

    def _is_ahead(self, w: Wire) -> bool:
        return self.place[w.start_part] < self.place[w.end_part]


def _loops(parts: Sequence[str], between: Iterable[tuple[str, str]]) -> Iterable[tuple[str, ...]]:
    """Around each edge the shortest way back, beginning with the part that comes first."""
    following: dict[str, list[str]] = {name: [] for name in parts}
    for a, b in between:
        following[a].append(b)
    place = {name: i for i, name in enumerate(parts)}
    for a in parts:
        for b in sorted(following[a], key=place.__getitem__):
            way = _shortest(following, b, a)
            if way is not None:
                first = min(range(len(way)), key=lambda i: place[way[i]])
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


def table(paths: Sequence[Path]) -> str:
    """For people."""
    lines = []
    for p in paths:
        way = " -> ".join((*p.parts, p.parts[0]))
        lines.append(f"  {way}\n      {float(p.steps):g} steps, {float(p.seconds):g} s; most by {p.worst}")
    return "\n".join(lines)


def to_json(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """For programs."""
    return [
        {"parts": list(p.parts), "seconds": float(p.seconds), "steps": float(p.steps), "worst": p.worst} for p in paths
    ]
