"""The changes between two diagrams, in words: one line for each change."""

from __future__ import annotations

import filecmp
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from lxml import etree

from drawbar.blocks.authoring.registry import reference_of
from drawbar.blocks.core.interface import Port
from drawbar.diagrams.model.connection import Connection, canonical_order
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.start_values import BoundValue
from drawbar.diagrams.model.structure import System, SystemStructure
from drawbar.diagrams.ssp.ssp_write import fraction_text, to_text
from drawbar.diagrams.xml.markup import number
from drawbar.diagrams.xml.tags import ssd, ssv


def changes(a: Diagram, b: Diagram) -> list[str]:
    """Return what must be done to `a` to get `b`, what matters for a run first; empty if the two are equal.

    Systems are compared at every depth; names in them begin with the name of the system.
    """
    found = [*_settings(a, b), *_level(a, b, ""), *_drawing(a, b)]
    if not found and _text(a) != _text(b):
        found.append("only comments or the content of other tools in the file changed")
    return found


def _level(a: SystemStructure, b: SystemStructure, where: str) -> Iterator[str]:
    """Yield what changed in a diagram and the systems in it; `where` opens the names."""
    yield from _elements(a, b, where)
    yield from _bindings(a, b, where)
    yield from _connectors(a, b, where)
    yield from _connections(a, b, where)
    for name, system in a.systems.items():
        if (other := b.systems.get(name)) is not None:
            yield from _level(system.diagram, other.diagram, f"{where}{name}.")


def _drawing(a: Diagram, b: Diagram) -> Iterator[str]:
    moved = [line for one, other, where in _pairs(a, b, "") if (line := _moved(one, other, where)) is not None]
    yield from moved


def _pairs(
    a: SystemStructure, b: SystemStructure, where: str
) -> Iterator[tuple[SystemStructure, SystemStructure, str]]:
    """Yield the two diagrams, and those in systems that both have."""
    yield a, b, where
    for name, system in a.systems.items():
        if (other := b.systems.get(name)) is not None:
            yield from _pairs(system.diagram, other.diagram, f"{where}{name}.")


def _text(diagram: Diagram) -> str:
    path = diagram.file.path
    return to_text(diagram, None if path is None else path.parent)


def _settings(a: Diagram, b: Diagram) -> Iterator[str]:
    settings = (
        ("name", a.name, b.name, ""),
        ("step", fraction_text(a.step), fraction_text(b.step), " s"),
        ("stop time", number(a.stop), number(b.stop), " s"),
        ("loops", a.loops, b.loops, ""),
        ("algorithm", a.algorithm, b.algorithm, ""),
    )
    for what, before, after, unit in settings:
        if before != after:
            yield f"{what}: {before}{unit} -> {after}{unit}"


def _elements(a: SystemStructure, b: SystemStructure, where: str) -> Iterator[str]:
    before = {**a.parts, **a.others}
    after = {**b.parts, **b.others}
    for name, item in before.items():
        if name not in after:
            yield f"part {where}{name} removed ({_description(item)})"
    for name, item in after.items():
        if name not in before:
            starts = _starts(item) if isinstance(item, Part) else {}
            values = ", ".join(f"{key} = {value}" for key, value in starts.items())
            yield f"part {where}{name} added ({_description(item)})" + (f" with {values}" if values else "")
    for name, item in before.items():
        other = after.get(name)
        if isinstance(item, Part) and isinstance(other, Part):
            yield from _part(item, other, where + name)
        elif other is not None and (_description(item) != _description(other) or _xml(item) != _xml(other)):
            same = _description(item) == _description(other)
            yield f"part {where}{name}: " + (
                "changed inside" if same else f"{_description(item)} -> {_description(other)}"
            )
    order = [list(dict.fromkeys(e.name for e in d.elements if e.name in before and e.name in after)) for d in (a, b)]
    if order[0] != order[1]:
        at = f" in {where[:-1]}" if where else ""
        yield f"the order of the parts{at} changed: {', '.join(order[1])}"


def _description(item: Any) -> str:
    if not isinstance(item, Part):
        return str(item.kind)
    if isinstance(item, System):
        return f"system of {item.origin.source}" if item.reference else "system"
    if item.block is not None:
        return f"block {reference_of(item.block)}"
    return f"block {item.origin.block}" if item.origin.block else f"FMU {item.source}"


def _xml(item: Any) -> str:
    if isinstance(item, Part):
        return ""
    # version 1 of canonical XML refuses relative namespace names, version 2 accepts them
    return str(etree.canonicalize(etree.tostring(item.xml, encoding="unicode", with_tail=False), with_comments=True))


def _part(a: Part, b: Part, name: str) -> Iterator[str]:
    what, then = _description(a), _description(b)
    if what != then:
        yield f"part {name}: {what} -> {then}"
    elif a.block is None and not isinstance(a, System) and not _same_content(a, b):
        yield f"part {name}: the file of {what} has different content"
    if a.algorithm != b.algorithm:
        yield f"part {name}: algorithm {_or_default(a.algorithm)} -> {_or_default(b.algorithm)}"
    if a.fresh_read != b.fresh_read:
        yield f"part {name}: fresh read {_or_default(a.fresh_read)} -> {_or_default(b.fresh_read)}"
    before, after = _starts(a), _starts(b)
    for key in dict.fromkeys([*before, *after]):
        if key not in after:
            yield f"{name}.{key}: no longer set (was {before[key]})"
        elif key not in before:
            yield f"{name}.{key}: set to {after[key]}"
        elif before[key] != after[key]:
            yield f"{name}.{key}: {before[key]} -> {after[key]}"


def _same_content(a: Part, b: Part) -> bool:
    """Return whether two FMU files agree, as far as both are there."""
    there = a.fmu != b.fmu and a.fmu.is_file() and b.fmu.is_file()
    return not there or filecmp.cmp(a.fmu, b.fmu, shallow=False)


def _or_default(value: Any) -> str:
    return "by default" if value is None else str(value)


def _starts(part: Part) -> dict[str, str]:
    """Return all start values of a part with their units; later bindings win, as they do in a run."""
    return {bound.name: _bound(part, bound) for bound in part.given()}


def _bound(part: Part, bound: BoundValue) -> str:
    text = _value(part.variable(bound.name), bound.value, bound.unit)
    if (bound.factor, bound.offset) == (1.0, 0.0):
        return text
    return f"{number(bound.factor)} times {text}" + (f" plus {number(bound.offset)}" if bound.offset else "")


def _bindings(a: SystemStructure, b: SystemStructure, where: str) -> Iterator[str]:
    """Yield changes of the parameter sets that a diagram itself names; their values are reported with the parts."""
    before, after = ([_binding(xml) for _, xml in d.file.bindings] for d in (a, b))
    at = f" in {where[:-1]}" if where else ""
    yield from (f"{text}{at} no longer applied" for text in before if text not in after)
    yield from (f"{text}{at} applied" for text in after if text not in before)
    shared = [[t for t in texts if t in before and t in after] for texts in (before, after)]
    if shared[0] != shared[1]:
        yield f"the order of the parameter sets{at} changed: {', '.join(shared[1])}"


def _binding(xml: Any) -> str:
    inline = xml.find(f"{ssd('ParameterValues')}/{ssv('ParameterSet')}")
    name = xml.get("source") or ("" if inline is None else inline.get("name")) or "without a name"
    mapping = xml.find(ssd("ParameterMapping"))
    how = [f"prefix '{xml.get('prefix')}'"] if xml.get("prefix") else []
    how += [] if mapping is None else [f"mapping {mapping.get('source') or 'in the file'}"]
    return f"parameter set {name}" + (f" ({', '.join(how)})" if how else "")


def _value(port: Port | None, value: Any, unit: str) -> str:
    unit = unit or (port.unit if port is not None and port.type == "Real" else "")
    if isinstance(value, str):
        return repr(value)
    if port is not None and port.type == "Boolean":
        words = [str(bool(v)).lower() for v in np.ravel(value)]
    else:
        words = [number(float(v)) for v in np.ravel(value)]
    text = words[0] if np.ndim(value) == 0 else f"[{', '.join(words)}]"
    return f"{text} {unit}" if unit not in ("", "1") else text


def _connectors(a: SystemStructure, b: SystemStructure, where: str) -> Iterator[str]:
    what = f"system {where[:-1]}" if where else "diagram"
    before, after = ({n: _connector(p) for n, p in d.connectors.items()} for d in (a, b))
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            yield f"connector {name} of the {what} removed ({before[name]})"
        elif name not in before:
            yield f"connector {name} of the {what} added ({after[name]})"
        elif before[name] != after[name]:
            yield f"connector {name} of the {what}: {before[name]} -> {after[name]}"


def _connector(port: Port) -> str:
    size = "".join(f"[{n}]" for n in port.shape)
    return f"{port.causality} {port.type}{size}" + (f" in {port.unit}" if port.unit else "")


def _connections(a: SystemStructure, b: SystemStructure, where: str) -> Iterator[str]:
    before, after = _by_ends(a, where), _by_ends(b, where)
    removed = [key for key in before if key not in after]
    new = [key for key in after if key not in before]
    for start, end in removed:
        if (now := next((key for key in new if key[1] == end), None)) is not None:
            new.remove(now)
            how = _settings_of(after[now])
            yield f"connection to {end}: from {start} -> from {now[0]}" + (f" ({how})" if how else "")
        else:
            yield f"connection removed: {start} -> {end}"
    for key in new:
        how = _settings_of(after[key])
        yield f"connection added: {key[0]} -> {key[1]}" + (f" ({how})" if how else "")
    for key, connection in before.items():
        if key in after and (was := _settings_of(connection)) != (now_is := _settings_of(after[key])):
            yield f"connection {key[0]} -> {key[1]}: {was or 'default'} -> {now_is or 'default'}"


def _by_ends(diagram: SystemStructure, where: str = "") -> Mapping[tuple[str, str], Connection]:
    return {(f"{where}{c.start}", f"{where}{c.end}"): c for c in sorted(diagram.connections, key=canonical_order)}


def _settings_of(connection: Connection) -> str:
    """Return what a connection does beside joining its ends."""
    settings = [f"factor {number(connection.factor)}"] if connection.factor != 1.0 else []
    settings += [f"offset {number(connection.offset)}"] if connection.offset != 0.0 else []
    settings += ["units not converted"] if connection.suppress_unit_conversion else []
    settings += [f"algorithm {connection.algorithm}"] if connection.algorithm is not None else []
    return ", ".join(settings)


def _moved(a: SystemStructure, b: SystemStructure, where: str) -> str | None:
    """Return all that changed of the drawing, in one line."""
    boxes = [n for n, part in a.parts.items() if n in b.parts and part.geometry != b.parts[n].geometry]
    before, after = _by_ends(a), _by_ends(b)
    redrawn = [key for key, connection in before.items() if key in after and connection.geometry != after[key].geometry]
    if not boxes and not redrawn:
        return None
    at = f" in {where[:-1]}" if where else ""
    changed = (
        [f"{len(boxes)} box{'es' if len(boxes) > 1 else ''} moved: {', '.join(where + n for n in boxes)}"]
        if boxes
        else []
    )
    changed += [f"{len(redrawn)} connection{'s' if len(redrawn) > 1 else ''} drawn differently{at}"] if redrawn else []
    return "; ".join(changed)
