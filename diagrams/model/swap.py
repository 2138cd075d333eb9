"""Another block in the place of a part, with the same connections."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.core.arrays import split
from drawbar.blocks.core.errors import DiagramError, DrawbarError, did_you_mean
from drawbar.diagrams.model.connection import Connection
from drawbar.diagrams.model.connection_rules import connection_fault
from drawbar.diagrams.model.part import Origin, Part
from drawbar.diagrams.model.start_values import bound_values
from drawbar.diagrams.model.structure import System, SystemStructure

MAX_SHOWN = 3  # the most ports that a message names


def swap(diagram: SystemStructure, name: str, what: type[Block] | str | os.PathLike[str]) -> Part:
    """Put a block, or the FMU at a path, in the place of a part, or of a part in a system (``system.part``).

    The new part keeps the connections, and every start value whose variable it has; a remark of the diagram names the
    values that are lost. ``DiagramError`` if a connection finds no port of its name, type, size and unit; the diagram
    is then as it was.
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
    connections = [c for c in diagram.connections if name in (c.start.part, c.end.part)]
    refused = {c: reason for c in connections if (reason := _fault(diagram, c)) is not None}
    if refused:
        _replace(diagram, new, old)
        subject = what.__name__ if isinstance(what, type) else os.fspath(what)
        raise DiagramError(
            f"{new.kind} does not fit {len(refused)} of the {len(connections)} connections of part '{name}': "
            f"{_mismatches(new, refused)}; take a block with the ports of {old.kind}, or change the connections "
            f"(drawbar info {subject} lists its ports)"
        )
    lost = _transfer_values(old, new)
    few = ", ".join(lost[:6]) + (", ..." if len(lost) > 6 else "")
    without = f"; {new.kind} has no {few}, so these values are left out" if lost else ""
    diagram.file.remarks.append(f"part '{name}' is now {new.kind}, in place of {old.kind}{without}")
    return new


def _fault(diagram: SystemStructure, c: Connection) -> str | None:
    convert = not c.suppress_unit_conversion
    return connection_fault(diagram, c.start, c.end, factor=c.factor, offset=c.offset, convert=convert)


def _mismatches(new: Part, refused: Mapping[Connection, str]) -> str:
    """Return the ports that a part does not have, and those that differ with the reason; some, and how many more."""
    absent: dict[str, None] = {}
    different: dict[str, str] = {}
    for c, reason in refused.items():
        for end in (e for e in (c.start, c.end) if e.part == new.name):
            if new.port(end.name) is None:
                absent[_missing_port(new, end.name)] = None
            else:
                different.setdefault(end.name, reason)
    names = list(absent)[:MAX_SHOWN]
    reasons = [f"{name} does not fit ({reason})" for name, reason in different.items()][: MAX_SHOWN - len(names)]
    more = len(absent) + len(different) - len(names) - len(reasons)
    text = ", ".join([*([f"it has no {', '.join(names)}"] if names else []), *reasons])
    return text + (f", and {more} more" if more else "")


def _missing_port(new: Part, name: str) -> str:
    """Return the whole bus of a port, or the whole array of an element, if the part has nothing of it."""
    names = [port.name for port in new.interface.ports]
    levels = split(name)[0].split(".")
    prefixes = [".".join(levels[: i + 1]) for i in range(len(levels))]
    return next((p for p in prefixes if not any(n == p or n.startswith(f"{p}.") for n in names)), name)


def _part(old: Part, what: type[Block] | str | os.PathLike[str]) -> Part:
    origin = Origin(folder=old.origin.folder, units=old.origin.units)
    if isinstance(what, type) and issubclass(what, Block):
        what.model()  # raises an error for an abstract block
        made = Part(old.name, block=what, source=f"resources/{what.__name__}.fmu", origin=origin)
    elif isinstance(what, str | os.PathLike):
        made = Part(old.name, source=Path(what).resolve().as_posix(), origin=origin)
        if not made.fmu.is_file():
            raise DiagramError(f"part '{old.name}': there is no FMU at {os.fspath(what)}")
    else:
        raise DiagramError(f"part '{old.name}' cannot be {what!r}; give a block class or the path of an FMU")
    made.geometry, made.algorithm, made.fresh_read = old.geometry, old.algorithm, old.fresh_read
    return made


def _replace(diagram: SystemStructure, old: Part, new: Part) -> None:
    diagram.elements[diagram.elements.index(old)] = new
    diagram.parts[old.name] = new


def _transfer_values(old: Part, new: Part) -> list[str]:
    """Give the new part the values of the old one; return the names of those that it does not take."""
    lost = []
    for bound in old.origin.binding_values:
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
    new.origin.outer_binding_values = [
        bound for bound in old.origin.outer_binding_values if new.variable(bound.name) is not None
    ]
    lost += [bound.name for bound in old.origin.outer_binding_values if new.variable(bound.name) is None]
    lost += [name for name in old.overrides if name not in new.overrides]
    return list(dict.fromkeys(lost))
