"""How each input arrives, which outputs are read afresh, and what that leaves first order.

=============  ==========================================================================================
kind           what is sent to an input for the step of its part from t to t + h
=============  ==========================================================================================
HOLD           u(t), the value exchanged at t
EXTRAPOLATE    u(t) + (u(t) - u(t - h))/2, the value foreseen for the middle of the step
NEWEST         what the source has shown last, u(t + h) if it has stepped that far already (Gauss-Seidel)
INTERPOLATE    the line from u(t) to u(t + h), as value and derivative, or its mean where a part takes no derivative;
               foreseen where the source has not stepped yet, and where it jumps as NEWEST. What comes from a part that
               steps more often is EXTRAPOLATE, and discrete values are HOLD
=============  ==========================================================================================

Degree-0 holds are first order in h, the others second (Busch 2016; Arnold, Clauss, Schierz 2013). Only continuous
Reals between parts with dynamics are foreseen; a sampled part always gets u(t), for its sample is taken at t.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from drawbar.blocks.core.interface import Port
from drawbar.diagrams.checks.loops import dependencies, strong_components
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.scalar_connections import Wire
from drawbar.orchestrator.planning.scheduling import calling_order

HOLD, EXTRAPOLATE, NEWEST, INTERPOLATE = range(4)
# how feed-through outputs are brought up to date after the exchange
STALE, SET_AND_READ, BY_DERIVATIVE = range(3)


Input = tuple[str, str]  # part and scalar


@dataclass(frozen=True)
class Coupling:
    """What the algorithms of a diagram, its parts and connections come down to."""

    kinds: Mapping[Input, int]
    fresh: Mapping[str, int]  # by part
    feedthrough: Mapping[str, Mapping[str, tuple[str, ...]]]  # by part: output to wired inputs, loops left out
    calling: tuple[str, ...]  # the parts in the order in which they step
    accuracy_notes: tuple[str, ...] = ()
    order: int = 2  # of the error in the step, as far as is known


def couple(
    diagram: Diagram,
    lines: Sequence[Wire],
    fed: Mapping[Input, bool] | None = None,
    jumps: Mapping[str, float] | None = None,
) -> Coupling:
    """Decide for every wire and part.

    `fed` are the inputs of an input file, and whether they run between its rows; `jumps` its columns that jump within
    a step, and when in s.
    """
    fed = fed or {}
    looped = {(e.part, e.name) for group in strong_components(dependencies(diagram)) for e in group}
    ports = {name: _scalars(part) for name, part in diagram.parts.items()}
    kinds = {
        (w.end_part, w.end): _kind(
            diagram, w, ports, (w.start_part, w.start) in looped and (w.end_part, w.end) in looped
        )
        for w in lines
    }
    kinds |= {(name, i): _kind_of_column(diagram, diagram.parts[name], runs) for (name, i), runs in fed.items()}
    driven: dict[str, list[str]] = {name: [] for name in diagram.parts}
    for part_name, scalar in kinds:
        driven[part_name].append(scalar)
    through = {
        name: _feedthrough(part, set(driven[name]), {s for p, s in looped if p == name})
        for name, part in diagram.parts.items()
    }
    calling, along = _settle(diagram, lines, kinds, driven, through)
    # a column ends a step at its left limit, and what follows from it too: where it jumps the exchange differs
    along = _without(along - set(fed), lines, through)
    fresh = {name: _fresh(diagram, part, driven[name], along) for name, part in diagram.parts.items()}
    accuracy_notes = [
        text
        for name, part in diagram.parts.items()
        if (text := _accuracy_note(diagram, part, _late(through[name], name, along), fresh[name]))
    ]
    accuracy_notes += [
        f"the input file: {column} jumps at {time:g} s, within a step, and the run is first order there; let it jump "
        "between steps"
        for column, time in (jumps or {}).items()
    ]
    smooth = {(w.end_part, w.end) for w in lines if _is_smooth(ports[w.start_part].get(w.start))}
    smooth |= {end for end, runs in fed.items() if runs}
    first = any(
        _is_held(diagram.parts[end[0]], kind, fresh[end[0]])
        for end, kind in kinds.items()
        if end in smooth and _is_smooth(ports[end[0]].get(end[1]))
    )
    first |= any(fresh[name] == STALE and _late(through[name], name, along) for name in through)
    first |= any(_falls_within(diagram, w, (w.end_part, w.end) in smooth) for w in lines)
    first |= any(_is_too_quick(diagram, w, kinds, through) for w in lines)
    order = 1 if accuracy_notes or looped or first else 2
    return Coupling(kinds, fresh, through, tuple(calling), tuple(accuracy_notes), order)


def _settle(
    diagram: Diagram,
    lines: Sequence[Wire],
    kinds: dict[Input, int],
    driven: Mapping[str, Sequence[str]],
    through: Mapping[str, Mapping[str, tuple[str, ...]]],
) -> tuple[list[str], set[Input]]:
    """The order in which parts step, and the inputs that end a step where the exchange will be, by derivatives.

    That takes a source that steps before. What feeds through from other inputs is not right before the exchange: who
    wants it interpolated cannot take it as the end of a line, so `kinds` turns to EXTRAPOLATE there, which may make
    that part's outputs late in turn.
    """
    while True:
        calling = _calling(diagram, lines, kinds, through)
        place = {name: i for i, name in enumerate(calling)}
        foreseen = {(w.end_part, w.end) for w in lines if place[w.start_part] >= place[w.end_part]}
        along = {
            (part, i)
            for (part, i), k in kinds.items()
            if k == INTERPOLATE and diagram.parts[part].interface.interpolates and (part, i) not in foreseen
        }
        fresh = {name: _fresh(diagram, part, driven[name], along) for name, part in diagram.parts.items()}
        turned = [
            (w.end_part, w.end)
            for w in lines
            if kinds[(w.end_part, w.end)] == INTERPOLATE
            and fresh[w.start_part] != STALE
            and w.start in _late(through[w.start_part], w.start_part, along)
        ]
        if not turned:
            return calling, along
        kinds.update(dict.fromkeys(turned, EXTRAPOLATE))


def _calling(
    diagram: Diagram,
    lines: Sequence[Wire],
    kinds: Mapping[Input, int],
    through: Mapping[str, Mapping[str, tuple[str, ...]]],
) -> list[str]:
    """Who is heard at its newest steps before who hears it."""
    newest = [w for w in lines if kinds[(w.end_part, w.end)] in (NEWEST, INTERPOLATE)]
    felt = {(name, i) for name, outputs in through.items() for ins in outputs.values() for i in ins}
    edges = dict.fromkeys((w.start_part, w.end_part) for w in newest)
    direct = dict.fromkeys((w.start_part, w.end_part) for w in newest if (w.end_part, w.end) in felt)
    return calling_order(list(diagram.parts), edges, direct)


def _without(
    along: set[Input], lines: Sequence[Wire], through: Mapping[str, Mapping[str, tuple[str, ...]]]
) -> set[Input]:
    """Those whose sources do not feed through from others that were taken out."""
    while True:
        gone = {
            (w.end_part, w.end)
            for w in lines
            if (w.end_part, w.end) in along and w.start in _late(through[w.start_part], w.start_part, along)
        }
        if not gone:
            return along
        along = along - gone


def _late(through: Mapping[str, tuple[str, ...]], part: str, along: Collection[Input]) -> list[str]:
    """The outputs that are not right before the exchange: they feed through from an input that does not run along."""
    return [output for output, inputs in through.items() if any((part, i) not in along for i in inputs)]


def _is_held(receiver: Part, kind: int, fresh: int) -> bool:
    """Whether a signal that moves arrives in a first-order way; into what is read afresh and has no states it may."""
    if receiver.interface.sampled or kind not in (HOLD, NEWEST):
        return False
    return receiver.interface.integrates or fresh == STALE


def _falls_within(diagram: Diagram, w: Wire, moves: bool) -> bool:
    """Whether samples fall within the steps of the other side, which sees, or is seen as, what is held."""
    source, receiver = diagram.parts[w.start_part].interface, diagram.parts[w.end_part].interface
    every, step = _period(diagram, w.start_part), _period(diagram, w.end_part)
    if receiver.sampled:
        return moves and (step / every).denominator != 1
    return source.sampled and receiver.integrates and (every / step).denominator != 1


def _is_too_quick(
    diagram: Diagram,
    w: Wire,
    kinds: Mapping[Input, int],
    through: Mapping[str, Mapping[str, tuple[str, ...]]],
) -> bool:
    """Whether samples come too often to foresee what feeds through beside them, or are taken before their time."""
    source, receiver = diagram.parts[w.start_part].interface, diagram.parts[w.end_part].interface
    if not source.sampled or receiver.sampled:
        return False
    if kinds[(w.end_part, w.end)] == NEWEST:
        return True
    felt = {i for inputs in through[w.end_part].values() for i in inputs}
    return w.end in felt and _period(diagram, w.start_part) <= _period(diagram, w.end_part)


def _period(diagram: Diagram, part: str) -> Fraction:
    return diagram.parts[part].interface.period or diagram.step


def algorithm_of(diagram: Diagram, part: Part) -> str:
    """The algorithm by which the inputs of a part arrive, unless a connection says otherwise."""
    return part.algorithm or diagram.algorithm


def _scalars(part: Part) -> dict[str, Port]:
    return {scalar: port for port in part.interface.ports for scalar in port.scalar_names()}


def _is_smooth(port: Port | None) -> bool:
    return port is not None and port.type == "Real" and port.variability == "continuous"


def _kind(diagram: Diagram, w: Wire, ports: Mapping[str, Mapping[str, Port]], in_loop: bool) -> int:
    receiver = diagram.parts[w.end_part]
    algorithm = w.algorithm or algorithm_of(diagram, receiver)
    discrete = not (_is_smooth(ports[w.start_part].get(w.start)) and _is_smooth(ports[w.end_part].get(w.end)))
    if receiver.interface.sampled or algorithm == "jacobi":
        return HOLD
    if algorithm == "gauss-seidel":
        return NEWEST
    if algorithm == "interpolated":
        if discrete:  # a sample or a flag holds until the next
            return HOLD
        quicker = _period(diagram, w.start_part) < _period(diagram, w.end_part)
        # what steps more often will not have reached the end of the step
        return NEWEST if in_loop else EXTRAPOLATE if quicker else INTERPOLATE
    return EXTRAPOLATE if not (discrete or in_loop) and receiver.interface.integrates else HOLD


def _feedthrough(part: Part, wired: set[str], looped: set[str]) -> dict[str, tuple[str, ...]]:
    """Outputs that depend directly on wired inputs. Around a loop they keep their delay, so they are left out."""
    found: dict[str, tuple[str, ...]] = {}
    if part.interface.sampled or not wired:
        return found
    for port in part.interface.of("output"):
        for scalar in port.scalar_names():
            known = part.interface.feedthrough.get(scalar)
            inputs = tuple(i for i in (sorted(wired) if known is None else known) if i in wired)
            if inputs and scalar not in looped:
                found[scalar] = inputs
    return found


def _kind_of_column(diagram: Diagram, part: Part, runs: bool) -> int:
    """A column of the input file is known at all times, so there is no newest value of it."""
    algorithm = algorithm_of(diagram, part)
    if not runs or part.interface.sampled or algorithm in ("jacobi", "gauss-seidel"):
        return HOLD
    if algorithm == "interpolated":
        return INTERPOLATE
    return EXTRAPOLATE if part.interface.integrates else HOLD


def _fresh(diagram: Diagram, part: Part, driven: Sequence[str], along: Collection[Input]) -> int:
    if algorithm_of(diagram, part) in ("jacobi", "gauss-seidel") or all((part.name, i) in along for i in driven):
        return STALE
    if part.interface.fresh_read if part.fresh_read is None else part.fresh_read:
        return SET_AND_READ
    # a unit that allows the fresh read and is told to do without is stepped plainly
    return BY_DERIVATIVE if part.interface.directional and not part.interface.fresh_read else STALE


def _accuracy_note(diagram: Diagram, part: Part, outputs: Sequence[str], fresh: int) -> str:
    """Why a part leaves the run first order although its algorithm is second order, or nothing."""
    if fresh != STALE or not outputs or algorithm_of(diagram, part) in ("jacobi", "gauss-seidel"):
        return ""
    known = part.interface.feedthrough
    unknown = [o for o in outputs if o not in known]
    shown = ", ".join(outputs[:3]) + (", ..." if len(outputs) > 3 else "")
    if unknown:
        what = f"does not say whether {shown} depends directly on its inputs; if so,"
    else:
        what = f"feeds its inputs through to {shown}, and"
    late = "they are read late and the run is first order"
    return (
        f"part '{part.name}' {what} {late}; if it allows a read after its inputs were set, say part.fresh_read = True"
    )
