"""Notes: what a user may not expect of a diagram, though it is no fault."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction

from drawbar.diagrams.model.connection import Connection
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.model.parameter_bindings import abbreviated
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.structure import all_systems
from drawbar.diagrams.ssp.ssp_archive import variants
from drawbar.diagrams.xml.markup import is_element, local_name

# the most that a part may take between two exchanges: with 5 samples of its driver, `double_lane_change_planar` has a
# step error of 40 to 90 %
MAX_SAMPLES = 4
MAX_MICRO_STEPS = 100


def notes(diagram: Diagram, driven: Collection[tuple[str, str]] = ()) -> list[str]:
    """Return the notes on a diagram, one line each.

    They cover other diagrams of a package, values of a run that have no effect, FMUs in place of blocks, a macro step
    far too long, inputs that nothing drives, and connections with a unit on one side only.

    `driven` are inputs, by part and scalar name, that a run drives from elsewhere, such as from an input file.
    """
    found = [*diagram.file.remarks, *_variants(diagram), *_unused_content(diagram)]
    found += [remark for system in all_systems(diagram) for remark in system.diagram.file.remarks]
    whole, diagram = diagram, flatten(diagram)
    found += [*without_effect(whole, diagram), *_stand_ins(diagram)]
    if (step := long_step_note(diagram)) is not None:
        found.append(step)
    if free := list(_undriven_inputs(diagram, driven)):
        what = "1 input keeps its start value" if len(free) == 1 else f"{len(free)} inputs keep their start values"
        found.append(f"{what}, nothing drives {_pronoun(free)}: {abbreviated(free)}")
    if outer := list(_undriven_connectors(diagram, driven)):
        what = "1 input of the diagram itself" if len(outer) == 1 else f"{len(outer)} inputs of the diagram itself"
        rest = f"the inputs connected to {_pronoun(outer)} keep their start values"
        found.append(f"nothing drives {what}, and {rest}: {abbreviated(outer)}")
    if bare := [text for c in diagram.connections if (text := _one_sided_unit(diagram, c))]:
        what = "1 connection has" if len(bare) == 1 else f"{len(bare)} connections have"
        found.append(f"{what} a known unit on one side only, and values are not converted: {abbreviated(bare)}")
    return found


def _pronoun(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _variants(diagram: Diagram) -> Iterator[str]:
    file = diagram.file.path
    if file is not None and (others := variants(file)):
        how = f"name it as in PACKAGE.ssp:{others[0]}"
        yield f"{file.name} of the package is used; the package also holds {abbreviated(others)}; to use another, {how}"


def _unused_content(diagram: Diagram) -> Iterator[str]:
    """Yield what a file holds that a run does not use; it is written back as it was."""
    levels = [diagram, *(system.diagram for system in all_systems(diagram))]
    found = [f"{other.kind} '{other.name}'" for level in levels for other in level.others.values()]
    preserved = [child for level in levels for child in (*level.file.system.children, *level.file.root.children)]
    names = {"SignalDictionaries": "signal dictionaries", "Enumerations": "enumerations"}
    found += [names[n] for n in names if any(is_element(child) and local_name(child) == n for child in preserved)]
    if found:
        yield f"preserved in the file, but not used in a run: {abbreviated(list(dict.fromkeys(found)))}"


def _stand_ins(diagram: Diagram) -> Iterator[str]:
    for part in diagram.parts.values():
        if part.origin.unresolved and not part.fault:
            yield f"part '{part.name}' runs as its FMU {part.source}: {part.origin.unresolved}"


def _undriven_inputs(diagram: Diagram, driven: Collection[tuple[str, str]]) -> Iterator[str]:
    """Yield inputs with neither a connection nor a value of the diagram: whole ports, or the elements left out."""
    for part in diagram.parts.values():
        for port in [] if part.fault else part.interface.of("input"):
            scalars = port.scalar_names()
            given = {bound.name for bound in part.given()}
            free = [
                s
                for s in scalars
                if not {s, port.name} & given and (part.name, s) not in driven and diagram.driver(part.name, s) is None
            ]
            yield from (f"{part.name}.{name}" for name in ([port.name] if free == scalars else free))


def _undriven_connectors(diagram: Diagram, driven: Collection[tuple[str, str]]) -> Iterator[str]:
    """Yield the diagram's own inputs that lead to parts and get no value from elsewhere."""
    receivers: dict[str, set[tuple[str, str]]] = {}
    given = {(part.name, bound.name) for part in diagram.parts.values() for bound in part.given()}
    for c in diagram.connections:
        if c.start.part is None and c.end.part is not None:
            for start, end in zip(diagram.scalars(c.start), diagram.scalars(c.end), strict=False):
                if not {(c.end.part, end), (c.end.part, c.end.name)} & given:
                    receivers.setdefault(start, set()).add((c.end.part, end))
    for port in diagram.connectors.values():
        if port.causality == "input" and any(receivers.get(s, set()).difference(driven) for s in port.scalar_names()):
            yield port.name


def _one_sided_unit(diagram: Diagram, c: Connection) -> str:
    """Return the connection with its one known unit.

    Empty if both or neither are known, or if the user wants no conversion.
    """
    start, end = diagram.port(c.start), diagram.port(c.end)
    if None in (c.start.part, c.end.part) or start is None or end is None or c.suppress_unit_conversion:
        return ""
    if not start.type == end.type == "Real" or (start.quantity is None) == (end.quantity is None):
        return ""
    if start.quantity is None:
        return f"{c.start} -> {c.end} [{end.unit}]"
    return f"{c.start} [{start.unit}] -> {c.end}"


def without_effect(diagram: Diagram, flat: Diagram) -> Iterator[str]:
    """Yield what becomes of the values of one run, one line each; `flat` is the same diagram without systems.

    Values in the file itself are not reported: they are meant as an initial guess, or as the value of an undriven
    input.
    """
    for part in diagram.parts.values():
        for name, value in part.overrides.items():
            full = f"{part.name}.{name}"
            owner = next((p for n, p in flat.parts.items() if full.startswith(f"{n}.")), None)
            if owner is None or owner.fault:
                continue
            if reason := _reason(flat, owner, full.removeprefix(f"{owner.name}.")):
                yield f"{full} = {value}: {reason}"


def _reason(flat: Diagram, part: Part, name: str) -> str:
    port = part.variable(name)
    if port is None:
        return ""
    if port.causality == "input":
        scalars = port.scalar_names()
        drivers = [flat.driver(part.name, scalar) for scalar in ([name] if name in scalars else scalars)]
        sources = dict.fromkeys(str(c.start) for c in drivers if c is not None and c.start.part is not None)
        if sources and None not in drivers:
            verb = "drives" if len(sources) == 1 else "drive"
            return f"it has no effect, because {abbreviated(list(sources))} {verb} this input from the start"
    elif port.initial == "approx":
        return f"it is only the initial guess; {part.kind} solves for the start value"
    return ""


def long_step_note(diagram: Diagram) -> str | None:
    """Return a note on a macro step that is too long, or None if it suits the parts; of FMUs only periods are known."""
    diagram = flatten(diagram)
    neighbours: dict[str, set[str]] = {name: set() for name in diagram.parts}
    for c in diagram.connections:
        if c.start.part in neighbours and c.end.part in neighbours and c.start.part != c.end.part:
            neighbours[c.start.part].add(c.end.part)
            neighbours[c.end.part].add(c.start.part)
    found, better = [], diagram.step
    for name, part in diagram.parts.items():
        if part.fault or not neighbours[name]:
            continue
        if (period := part.interface.period) is not None:
            if all(diagram.parts[other].interface.period is not None for other in neighbours[name]):
                continue  # sampled parts exchange at their own steps
            times, limit, what, wanted = diagram.step / period, MAX_SAMPLES, "samples", period
        elif (micro := _micro_step(part)) is not None:
            times, limit, what, wanted = diagram.step / micro, MAX_MICRO_STEPS, "micro-steps", 10 * micro
        else:
            continue
        if times > limit:
            found.append(f"{name} takes {float(times):.4g} {what}")
            better = min(better, wanted)
    if not found:
        return None
    return (
        f"the macro step of {float(diagram.step):g} s is very long, and nothing is exchanged within it: "
        f"{abbreviated(found)}; use a shorter one, such as {float(better):g} s (a run with --check measures the error)"
    )


def _micro_step(part: Part) -> Fraction | None:
    """Return the step with which a block with states integrates; None for any other part."""
    model = part.block.model() if part.block is not None else None
    return model.step if model is not None and model.x else None
