"""Another block in the place of a part, with the same wires."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.errors import DiagramError, DrawbarError, did_you_mean
from drawbar.diagrams.part import Origin, Part
from drawbar.diagrams.starts import bound_values
from drawbar.diagrams.system import System
from drawbar.diagrams.why_not import refusal

if TYPE_CHECKING:
    from drawbar.diagrams.diagram import Diagram

SHOWN = 3  # wires that a message names


def swap(diagram: Diagram, name: str, what: type[Block] | str | os.PathLike[str]) -> Part:
    """Put a block, or the FMU of a path, in the place of a part; of a part in a system, ``system.part``.

    It keeps the part's wires, and every start value that it has as well; a remark of the diagram names those that it
    has not. ``DiagramError``, and the diagram as it was, where a wire finds no port of its name, type, size and unit.
    """
    first, dot, rest = name.partition(".")
    if dot and first in diagram.systems:
        return swap(diagram.systems[first].diagram, rest, what)
    old = diagram.parts.get(name)
    if old is None:
        raise DiagramError(f"there is no part '{name}'" + did_you_mean(name, diagram.parts))
    if isinstance(old, System):
        raise DiagramError(f"'{name}' is a system; name a part in it, such as {name}.{next(iter(old.diagram.parts))}")
    new = _part(old, what)
    if new.fault:
        raise DiagramError(new.fault)
    _replace(diagram, old, new)
    wires = [c for c in diagram.connections if name in (c.start.part, c.end.part)]
    refused = [
        reason
        for c in wires
        if (
            reason := refusal(
                diagram, c.start, c.end, factor=c.factor, offset=c.offset, convert=not c.suppress_unit_conversion
            )
        )
    ]
    if refused:
        _replace(diagram, new, old)
        more = f"; and {len(refused) - SHOWN} more" if len(refused) > SHOWN else ""
        raise DiagramError(
            f"part '{name}' cannot be {new.kind}: {len(refused)} of its {len(wires)} wires do not fit: "
            + "; ".join(refused[:SHOWN])
            + more
        )
    lost = _hand_over(old, new)
    few = ", ".join(lost[:6]) + (", ..." if len(lost) > 6 else "")
    without = f", which has no {few}: these values are left out" if lost else ""
    diagram.file.remarks.append(f"part '{name}' is now {new.kind}, in place of {old.kind}{without}")
    return new


def _part(old: Part, what: type[Block] | str | os.PathLike[str]) -> Part:
    origin = Origin(folder=old.origin.folder, units=old.origin.units)
    if isinstance(what, type) and issubclass(what, Block):
        what.model()  # an abstract block says so here
        made = Part(old.name, block=what, source=f"resources/{what.__name__}.fmu", origin=origin)
    elif isinstance(what, str | os.PathLike):
        made = Part(old.name, source=Path(what).resolve().as_posix(), origin=origin)
        if not made.fmu.is_file():
            raise DiagramError(f"part '{old.name}': there is no FMU at {os.fspath(what)}")
    else:
        raise DiagramError(f"part '{old.name}' cannot be {what!r}; give a block class or the path of an FMU")
    made.geometry, made.algorithm, made.fresh_read = old.geometry, old.algorithm, old.fresh_read
    return made


def _replace(diagram: Diagram, old: Part, new: Part) -> None:
    diagram.elements[diagram.elements.index(old)] = new
    diagram.parts[old.name] = new


def _hand_over(old: Part, new: Part) -> list[str]:
    """Give the new part the values of the old one; those that it does not take."""
    lost = []
    for bound in old.origin.bound:
        try:
            new.starts.update(bound_values(new, bound))
        except DrawbarError:
            lost.append(bound.name)
    for name, value in old.starts.items():
        if new.variable(name) is None:
            lost.append(name)
            continue
        new.starts[name] = value
        if name in old.start_units:
            new.start_units[name] = old.start_units[name]
    new.overrides = {name: value for name, value in old.overrides.items() if new.variable(name) is not None}
    new.origin.bound_above = [bound for bound in old.origin.bound_above if new.variable(bound.name) is not None]
    lost += [bound.name for bound in old.origin.bound_above if new.variable(bound.name) is None]
    lost += [name for name in old.overrides if name not in new.overrides]
    return list(dict.fromkeys(lost))
