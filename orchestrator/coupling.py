"""How each input arrives, which outputs are read afresh, and what that leaves first order.

=============  ==========================================================================================
kind           what is sent to an input for the step of its part from t to t + h
=============  ==========================================================================================
HOLD           u(t), the value exchanged at t
EXTRAPOLATE    u(t) + (u(t) - u(t - h))/2, the value foreseen for the middle of the step
NEWEST         what the source has shown last, u(t + h) if it has stepped that far already (Gauss-Seidel)
INTERPOLATE    the line from u(t) to u(t + h), as value and derivative, or its mean where a part takes no derivative;
               foreseen where the source has not stepped yet
=============  ==========================================================================================

Degree-0 holds are first order in h, the others second (Busch 2016; Arnold, Clauss, Schierz 2013). Only continuous
Reals between parts with dynamics are foreseen; a sampled part always gets u(t), for its sample is taken at t.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from drawbar.blocks.authoring.interface import Port
from drawbar.diagrams.diagram import Diagram
from drawbar.diagrams.loops import dependencies, strong_components
from drawbar.diagrams.part import Part
from drawbar.diagrams.wiring import Wire

HOLD, EXTRAPOLATE, NEWEST, INTERPOLATE = range(4)
KINDS = ("hold", "extrapolate", "newest", "interpolate")
# how feed-through outputs are brought up to date after the exchange
STALE, SET_AND_READ, BY_DERIVATIVE = range(3)


@dataclass(frozen=True)
class Coupling:
    """What the algorithms of a diagram, its parts and connections come down to."""

    kinds: Mapping[tuple[str, str], int]  # by receiving part and input
    fresh: Mapping[str, int]  # by part
    feedthrough: Mapping[str, Mapping[str, tuple[str, ...]]]  # by part: output to wired inputs, loops left out
    remarks: tuple[str, ...] = ()
    order: int = 2  # of the error in the step, as far as is known


def couple(diagram: Diagram, lines: Sequence[Wire], fed: Collection[tuple[str, str]] = ()) -> Coupling:
    """Decide for every wire and part; `fed` are inputs that an input file drives."""
    looped = {(e.part, e.name) for group in strong_components(dependencies(diagram)) for e in group}
    ports = {name: _scalars(part) for name, part in diagram.parts.items()}
    kinds = {
        (w.end_part, w.end): _kind(
            w.algorithm or algorithm_of(diagram, diagram.parts[w.end_part]),
            ports[w.start_part].get(w.start),
            ports[w.end_part].get(w.end),
            diagram.parts[w.end_part],
            (w.start_part, w.start) in looped and (w.end_part, w.end) in looped,
        )
        for w in lines
    }
    wired: dict[str, set[str]] = {}
    for part_name, scalar in [*((w.end_part, w.end) for w in lines), *fed]:
        wired.setdefault(part_name, set()).add(scalar)
    through = {
        name: _feedthrough(part, wired.get(name, set()), {s for p, s in looped if p == name})
        for name, part in diagram.parts.items()
    }
    fresh = {name: _fresh(diagram, part) for name, part in diagram.parts.items()}
    for w in lines:
        # what such a part shows right after its step follows from the mean of its inputs: it is right once exchanged
        shows_late = fresh[w.start_part] != STALE and not diagram.parts[w.start_part].interface.interpolates
        if kinds[(w.end_part, w.end)] == INTERPOLATE and w.start in through[w.start_part] and shows_late:
            kinds[(w.end_part, w.end)] = EXTRAPOLATE
    heard = {(w.start_part, w.start) for w in lines}
    remarks = tuple(
        text
        for name, part in diagram.parts.items()
        if (text := _remark(diagram, part, [o for o in through[name] if (name, o) in heard], fresh[name]))
    )
    held = any(_is_first_order(diagram, w, kinds[(w.end_part, w.end)], ports) for w in lines)
    return Coupling(kinds, fresh, through, remarks, 1 if remarks or looped or held else 2)


def _is_first_order(diagram: Diagram, w: Wire, kind: int, ports: Mapping[str, Mapping[str, Port]]) -> bool:
    """Whether a wire makes the error first order: it holds a signal that moves, or samples fall within steps."""
    source, receiver = diagram.parts[w.start_part].interface, diagram.parts[w.end_part].interface
    every, step = source.period or diagram.step, receiver.period or diagram.step
    moves = _is_smooth(ports[w.start_part].get(w.start))
    if receiver.sampled:
        return moves and (step / every).denominator != 1
    if source.sampled:
        return receiver.integrates and (every / step).denominator != 1
    return kind in (HOLD, NEWEST) and receiver.integrates and moves and _is_smooth(ports[w.end_part].get(w.end))


def algorithm_of(diagram: Diagram, part: Part) -> str:
    """The algorithm by which the inputs of a part arrive, unless a connection says otherwise."""
    return part.algorithm or diagram.algorithm


def _scalars(part: Part) -> dict[str, Port]:
    return {scalar: port for port in part.interface.ports for scalar in port.scalar_names()}


def _is_smooth(port: Port | None) -> bool:
    return port is not None and port.type == "Real" and port.variability == "continuous"


def _kind(algorithm: str, start: Port | None, end: Port | None, receiver: Part, in_loop: bool) -> int:
    smooth = _is_smooth(start) and _is_smooth(end) and not in_loop
    if receiver.interface.sampled or algorithm == "jacobi":
        return HOLD
    if algorithm == "gauss-seidel":
        return NEWEST
    if algorithm == "interpolated":
        return INTERPOLATE if smooth else NEWEST
    return EXTRAPOLATE if smooth and receiver.interface.integrates else HOLD


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


def _fresh(diagram: Diagram, part: Part) -> int:
    algorithm = algorithm_of(diagram, part)
    # with derivatives an interpolated input ends where the exchange is
    if algorithm != "second-order" and (algorithm != "interpolated" or part.interface.interpolates):
        return STALE
    if part.interface.fresh_read if part.fresh_read is None else part.fresh_read:
        return SET_AND_READ
    return BY_DERIVATIVE if part.interface.directional else STALE


def _remark(diagram: Diagram, part: Part, outputs: Sequence[str], fresh: int) -> str:
    """Why a part leaves the run first order although its algorithm is second order, or nothing."""
    algorithm = algorithm_of(diagram, part)
    if fresh != STALE or not outputs or algorithm not in ("second-order", "interpolated"):
        return ""
    if algorithm == "interpolated" and part.interface.interpolates:
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
