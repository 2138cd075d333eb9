"""The check for a macro step far too long for the parts, which run without exchange within it."""

from __future__ import annotations

from fractions import Fraction

from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.model.parameter_bindings import named_few
from drawbar.diagrams.model.part import Part

# the most that a part may take between two exchanges: with 5 samples of its driver, `double_lane_change_planar` has a
# step error of 40 to 90 %
MOST_SAMPLES = 4
MOST_MICRO_STEPS = 100


def long_step(diagram: Diagram) -> str | None:
    """Return a note on a macro step that is too long, or None if it suits the parts; of FMUs only periods are known."""
    diagram = flatten(diagram)
    wired: dict[str, set[str]] = {name: set() for name in diagram.parts}
    for c in diagram.connections:
        if c.start.part in wired and c.end.part in wired and c.start.part != c.end.part:
            wired[c.start.part].add(c.end.part)
            wired[c.end.part].add(c.start.part)
    told, better = [], diagram.step
    for name, part in diagram.parts.items():
        if part.fault or not wired[name]:
            continue
        if (period := part.interface.period) is not None:
            if all(diagram.parts[other].interface.period is not None for other in wired[name]):
                continue  # sampled parts exchange at their own steps
            times, most, what, wanted = diagram.step / period, MOST_SAMPLES, "samples", period
        elif (micro := _micro_step(part)) is not None:
            times, most, what, wanted = diagram.step / micro, MOST_MICRO_STEPS, "micro-steps", 10 * micro
        else:
            continue
        if times > most:
            told.append(f"{name} takes {float(times):.4g} {what}")
            better = min(better, wanted)
    if not told:
        return None
    return (
        f"the macro step of {float(diagram.step):g} s is very long, and wires stand still within it: meanwhile "
        f"{named_few(told)}; take a shorter one, such as {float(better):g} s (with --check a run tells the error)"
    )


def _micro_step(part: Part) -> Fraction | None:
    """Return the step with which a block with states integrates; None for any other part."""
    model = part.block.model() if part.block is not None else None
    return model.step if model is not None and model.x else None
