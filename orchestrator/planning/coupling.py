"""What each input is sent, which outputs are read again after the exchange, and what remains first order.

=============  ==========================================================================================
kind           what is sent to an input for the step of its part from t to t + h
=============  ==========================================================================================
HOLD           u(t), the value exchanged at t
EXTRAPOLATE    u(t) + (u(t) - u(t - h))/2, the value extrapolated to the middle of the step
NEWEST         the newest value of the source, u(t + h) if it has stepped that far already (Gauss-Seidel)
INTERPOLATE    the line from u(t) to u(t + h), as value and derivative, or its mean where a part takes no derivative;
               extrapolated where the source has not stepped yet, and NEWEST where the source jumps. Values of a part
               that steps more often are EXTRAPOLATE instead, and discrete values are HOLD
=============  ==========================================================================================

Holds of degree 0 are first order in h, the others second (Busch 2016; Arnold, Clauss, Schierz 2013). Only continuous
Reals between parts with dynamics are extrapolated; a sampled part always gets u(t), because its sample is taken at t.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from drawbar.blocks.core.interface import Port
from drawbar.diagrams.checks.loops import dependencies, strong_components
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.scalar_connections import ScalarConnection
from drawbar.orchestrator.planning.scheduling import order_of_steps

HOLD, EXTRAPOLATE, NEWEST, INTERPOLATE = range(4)
# how outputs with direct feedthrough are updated after the exchange
STALE, SET_AND_READ, BY_DERIVATIVE = range(3)


Input = tuple[str, str]  # part and scalar


@dataclass(frozen=True)
class Coupling:
    """The coupling that follows from the algorithms of a diagram, its parts and its connections."""

    kinds: Mapping[Input, int]
    fresh: Mapping[str, int]  # by part
    feedthrough: Mapping[str, Mapping[str, tuple[str, ...]]]  # by part: output to connected inputs, without loops
    step_order: tuple[str, ...]  # the parts in the order in which they step
    accuracy_notes: tuple[str, ...] = ()
    order: int = 2  # of the error in the macro step, as far as is known


def couple(
    diagram: Diagram,
    connections: Sequence[ScalarConnection],
    file_inputs: Mapping[Input, bool] | None = None,
    jumps: Mapping[str, float] | None = None,
) -> Coupling:
    """Return the coupling of every connection and part.

    `file_inputs` maps the inputs that an input file drives to whether they are linear between its rows; `jumps` maps
    the columns that jump within a step to the time of that jump in s.
    """
    file_inputs = file_inputs or {}
    looped = {(e.part, e.name) for group in strong_components(dependencies(diagram)) for e in group}
    ports = {name: _scalars(part) for name, part in diagram.parts.items()}
    kinds = {
        (w.end_part, w.end): _kind(
            diagram, w, ports, (w.start_part, w.start) in looped and (w.end_part, w.end) in looped
        )
        for w in connections
    }
    kinds |= {
        (name, i): _kind_of_column(diagram, diagram.parts[name], linear) for (name, i), linear in file_inputs.items()
    }
    driven: dict[str, list[str]] = {name: [] for name in diagram.parts}
    for part_name, scalar in kinds:
        driven[part_name].append(scalar)
    feedthrough = {
        name: _feedthrough(part, set(driven[name]), {s for p, s in looped if p == name})
        for name, part in diagram.parts.items()
    }
    step_order, exact_at_end = _settle(diagram, connections, kinds, driven, feedthrough)
    # a column ends a step at its left limit, and so do outputs that depend on it: where it jumps, the exchange differs
    exact_at_end = _without_late_sources(exact_at_end - set(file_inputs), connections, feedthrough)
    fresh = {name: _fresh(diagram, part, driven[name], exact_at_end) for name, part in diagram.parts.items()}
    accuracy_notes = [
        text
        for name, part in diagram.parts.items()
        if (text := _accuracy_note(diagram, part, _not_final(feedthrough[name], name, exact_at_end), fresh[name]))
    ]
    accuracy_notes += [
        f"the input file: {column} jumps at {time:g} s, within a step, and the run is first order there; let it jump "
        "between steps"
        for column, time in (jumps or {}).items()
    ]
    smooth = {(w.end_part, w.end) for w in connections if _is_smooth(ports[w.start_part].get(w.start))}
    smooth |= {end for end, linear in file_inputs.items() if linear}
    first = any(
        _is_held(diagram.parts[end[0]], kind, fresh[end[0]])
        for end, kind in kinds.items()
        if end in smooth and _is_smooth(ports[end[0]].get(end[1]))
    )
    first |= any(fresh[name] == STALE and _not_final(feedthrough[name], name, exact_at_end) for name in feedthrough)
    first |= any(_samples_within_steps(diagram, w, (w.end_part, w.end) in smooth) for w in connections)
    first |= any(_is_sampled_too_often(diagram, w, kinds, feedthrough) for w in connections)
    order = 1 if accuracy_notes or looped or first else 2
    return Coupling(kinds, fresh, feedthrough, tuple(step_order), tuple(accuracy_notes), order)


def _settle(
    diagram: Diagram,
    connections: Sequence[ScalarConnection],
    kinds: dict[Input, int],
    driven: Mapping[str, Sequence[str]],
    feedthrough: Mapping[str, Mapping[str, tuple[str, ...]]],
) -> tuple[list[str], set[Input]]:
    """Return the order in which parts step, and the inputs that end a step at the value of the next exchange.

    Such an input is set with a derivative, from a source that steps earlier. An output with direct feedthrough from
    other inputs is not final before the exchange, so an input cannot be interpolated towards it: its entry in `kinds`
    becomes EXTRAPOLATE, which may make outputs of that part late in turn.
    """
    while True:
        step_order = _step_order(diagram, connections, kinds, feedthrough)
        index = {name: i for i, name in enumerate(step_order)}
        not_yet_stepped = {(w.end_part, w.end) for w in connections if index[w.start_part] >= index[w.end_part]}
        exact_at_end = {
            (part, i)
            for (part, i), k in kinds.items()
            if k == INTERPOLATE and diagram.parts[part].interface.interpolates and (part, i) not in not_yet_stepped
        }
        fresh = {name: _fresh(diagram, part, driven[name], exact_at_end) for name, part in diagram.parts.items()}
        to_extrapolate = [
            (w.end_part, w.end)
            for w in connections
            if kinds[(w.end_part, w.end)] == INTERPOLATE
            and fresh[w.start_part] != STALE
            and w.start in _not_final(feedthrough[w.start_part], w.start_part, exact_at_end)
        ]
        if not to_extrapolate:
            return step_order, exact_at_end
        kinds.update(dict.fromkeys(to_extrapolate, EXTRAPOLATE))


def _step_order(
    diagram: Diagram,
    connections: Sequence[ScalarConnection],
    kinds: Mapping[Input, int],
    feedthrough: Mapping[str, Mapping[str, tuple[str, ...]]],
) -> list[str]:
    """Return the parts so that a part whose newest values are used steps before the parts that use them."""
    newest = [w for w in connections if kinds[(w.end_part, w.end)] in (NEWEST, INTERPOLATE)]
    direct_inputs = {(name, i) for name, outputs in feedthrough.items() for ins in outputs.values() for i in ins}
    edges = dict.fromkeys((w.start_part, w.end_part) for w in newest)
    direct = dict.fromkeys((w.start_part, w.end_part) for w in newest if (w.end_part, w.end) in direct_inputs)
    return order_of_steps(list(diagram.parts), edges, direct)


def _without_late_sources(
    exact_at_end: set[Input],
    connections: Sequence[ScalarConnection],
    feedthrough: Mapping[str, Mapping[str, tuple[str, ...]]],
) -> set[Input]:
    """Return `exact_at_end` without inputs whose source has direct feedthrough from an input that is not in it."""
    while True:
        late = {
            (w.end_part, w.end)
            for w in connections
            if (w.end_part, w.end) in exact_at_end
            and w.start in _not_final(feedthrough[w.start_part], w.start_part, exact_at_end)
        }
        if not late:
            return exact_at_end
        exact_at_end = exact_at_end - late


def _not_final(feedthrough: Mapping[str, tuple[str, ...]], part: str, exact_at_end: Collection[Input]) -> list[str]:
    """Return the outputs that are not final before the exchange: they depend on an input not in `exact_at_end`."""
    return [output for output, inputs in feedthrough.items() if any((part, i) not in exact_at_end for i in inputs)]


def _is_held(receiver: Part, kind: int, fresh: int) -> bool:
    """Return whether an input receives a varying signal with a first-order error.

    A part without states whose outputs are read again after the exchange may receive held values.
    """
    if receiver.interface.sampled or kind not in (HOLD, NEWEST):
        return False
    return receiver.interface.integrates or fresh == STALE


def _samples_within_steps(diagram: Diagram, w: ScalarConnection, varies: bool) -> bool:
    """Return whether samples fall within the steps of the other side, so that one side uses a held value."""
    source, receiver = diagram.parts[w.start_part].interface, diagram.parts[w.end_part].interface
    every, step = _period(diagram, w.start_part), _period(diagram, w.end_part)
    if receiver.sampled:
        return varies and (step / every).denominator != 1
    return source.sampled and receiver.integrates and (every / step).denominator != 1


def _is_sampled_too_often(
    diagram: Diagram,
    w: ScalarConnection,
    kinds: Mapping[Input, int],
    feedthrough: Mapping[str, Mapping[str, tuple[str, ...]]],
) -> bool:
    """Return whether a connection from a sampled part makes the run first order.

    Either its samples are too frequent for values with direct feedthrough to be extrapolated, or a sample is used
    before its time.
    """
    source, receiver = diagram.parts[w.start_part].interface, diagram.parts[w.end_part].interface
    if not source.sampled or receiver.sampled:
        return False
    if kinds[(w.end_part, w.end)] == NEWEST:
        return True
    direct_inputs = {i for inputs in feedthrough[w.end_part].values() for i in inputs}
    return w.end in direct_inputs and _period(diagram, w.start_part) <= _period(diagram, w.end_part)


def _period(diagram: Diagram, part: str) -> Fraction:
    return diagram.parts[part].interface.period or diagram.step


def algorithm_of(diagram: Diagram, part: Part) -> str:
    """Return the algorithm that applies to the inputs of a part, unless a connection has its own."""
    return part.algorithm or diagram.algorithm


def _scalars(part: Part) -> dict[str, Port]:
    return {scalar: port for port in part.interface.ports for scalar in port.scalar_names()}


def _is_smooth(port: Port | None) -> bool:
    return port is not None and port.type == "Real" and port.variability == "continuous"


def _kind(diagram: Diagram, w: ScalarConnection, ports: Mapping[str, Mapping[str, Port]], in_loop: bool) -> int:
    receiver = diagram.parts[w.end_part]
    algorithm = w.algorithm or algorithm_of(diagram, receiver)
    discrete = not (_is_smooth(ports[w.start_part].get(w.start)) and _is_smooth(ports[w.end_part].get(w.end)))
    if receiver.interface.sampled or algorithm == "jacobi":
        return HOLD
    if algorithm == "gauss-seidel":
        return NEWEST
    if algorithm == "interpolated":
        if discrete:  # a sample or a flag holds until the next one
            return HOLD
        source_is_faster = _period(diagram, w.start_part) < _period(diagram, w.end_part)
        # a source that steps more often has not reached the end of the step yet
        return NEWEST if in_loop else EXTRAPOLATE if source_is_faster else INTERPOLATE
    return EXTRAPOLATE if not (discrete or in_loop) and receiver.interface.integrates else HOLD


def _feedthrough(part: Part, connected: set[str], looped: set[str]) -> dict[str, tuple[str, ...]]:
    """Return the outputs with direct feedthrough from connected inputs, and these inputs.

    Outputs around a loop are left out, because they keep their delay.
    """
    found: dict[str, tuple[str, ...]] = {}
    if part.interface.sampled or not connected:
        return found
    for port in part.interface.of("output"):
        for scalar in port.scalar_names():
            known = part.interface.feedthrough.get(scalar)
            inputs = tuple(i for i in (sorted(connected) if known is None else known) if i in connected)
            if inputs and scalar not in looped:
                found[scalar] = inputs
    return found


def _kind_of_column(diagram: Diagram, part: Part, linear: bool) -> int:
    """Return the kind of a column of the input file, which is known at all times and so has no newest value."""
    algorithm = algorithm_of(diagram, part)
    if not linear or part.interface.sampled or algorithm in ("jacobi", "gauss-seidel"):
        return HOLD
    if algorithm == "interpolated":
        return INTERPOLATE
    return EXTRAPOLATE if part.interface.integrates else HOLD


def _fresh(diagram: Diagram, part: Part, driven: Sequence[str], exact_at_end: Collection[Input]) -> int:
    if algorithm_of(diagram, part) in ("jacobi", "gauss-seidel") or all((part.name, i) in exact_at_end for i in driven):
        return STALE
    if part.interface.fresh_read if part.fresh_read is None else part.fresh_read:
        return SET_AND_READ
    # an FMU that allows the fresh read, but for which it is switched off, is stepped without correction
    return BY_DERIVATIVE if part.interface.directional and not part.interface.fresh_read else STALE


def _accuracy_note(diagram: Diagram, part: Part, outputs: Sequence[str], fresh: int) -> str:
    """Return why a part makes the run first order although its algorithm is second order, or an empty text."""
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
    return f"part '{part.name}' {what} {late}; if it allows a read after its inputs are set, set part.fresh_read = True"
