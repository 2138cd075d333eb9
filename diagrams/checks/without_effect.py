"""Requested values that do not last: of an input that is driven, or a start value that is solved for."""

from __future__ import annotations

from collections.abc import Iterator

from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.parameter_bindings import named_few
from drawbar.diagrams.model.part import Part


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
            return f"it does not last, for {named_few(list(sources))} {verb} this input from the start on"
    elif port.initial == "approx":
        return f"it is only where the search for the start value begins; {part.kind} solves for it"
    return ""
