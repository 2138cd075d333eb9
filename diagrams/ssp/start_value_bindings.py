"""Parameter bindings of an SSD: Drawbar's own start values, and parameter sets of others (inline or ``.ssv`` files).

Values that a diagram was given in Python or by Drawbar's editor are in one inline binding per component, the last one,
because of two bindings the later wins. All before it are preserved, and so is a last one of any other form; their
values apply by the rules of SSP 1.0: later over earlier, the enclosing system over the part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from drawbar.blocks.core.arrays import arrays_in
from drawbar.blocks.core.interface import Value, scalar_names
from drawbar.diagrams.model.parameter_bindings import SET_TYPE, read_binding, relocated
from drawbar.diagrams.xml.markup import Node, Preserved, is_element, local_name, node, number, preserve
from drawbar.diagrams.xml.tags import ssc, ssd, ssv
from drawbar.diagrams.xml.values import read_boolean, read_integer, read_real, type_of_value

if TYPE_CHECKING:
    from drawbar.diagrams.model.diagram import Diagram
    from drawbar.diagrams.model.part import Part

_TYPES: dict[str, Callable[[str], Value]] = {
    "Real": read_real,
    "Integer": read_integer,
    "Boolean": read_boolean,
    "String": str,
}


def read_part_bindings(diagram: Diagram, path: Path, part: Part, container: Any) -> None:
    """Read the bindings of a component: Drawbar's own into `starts`, others as preserved XML and bound values."""
    origin = part.origin
    origin.preserved.inner["ParameterBindings"] = preserve(container, (), [ssd("ParameterBinding")])
    bindings = container.findall(ssd("ParameterBinding"))
    last_is_ours = bool(bindings) and _read_ours(part, bindings[-1])
    for binding in bindings[:-1] if last_is_ours else bindings:
        origin.bindings.append((preserve(binding).before, binding))
        origin.binding_values += read_binding(diagram, path, binding, part)


def _read_ours(part: Part, binding: Any) -> bool:
    """Read a binding into `starts` if nothing is lost by that; return whether it was read."""
    values = binding.find(ssd("ParameterValues"))
    if values is None or set(binding.attrib) & {"source", "prefix"} or binding.get("type", SET_TYPE) != SET_TYPE:
        return False
    if binding.find(ssd("ParameterMapping")) is not None:
        return False
    sets = [c for c in values if is_element(c)]
    if [s.tag for s in sets] != [ssv("ParameterSet")] or sets[0].find(ssc("Units")) is not None:
        return False
    parameters = sets[0].find(ssv("Parameters"))
    if parameters is None or sets[0].find(ssv("Units")) is not None:
        return False
    read: dict[str, tuple[Value, str]] = {}
    preserved = Preserved()
    for item in parameters.iterfind(ssv("Parameter")):
        entry = _entry(part, item)
        name = item.get("name")
        if entry is None or not name or name in read:
            return False
        read[name] = entry[:2]
        preserved.inner[f"Parameter {name}"] = preserve(item, ["name"], [entry[2].tag])
        preserved.inner[f"type {name}"] = preserve(entry[2], ["value", "unit"])
    preserved.inner["ParameterBinding"] = preserve(binding, (), [ssd("ParameterValues")])
    preserved.inner["ParameterValues"] = preserve(values, (), [ssv("ParameterSet")])
    preserved.inner["ParameterSet"] = preserve(sets[0], ["version", "name"], [ssv("Parameters")])
    preserved.attributes = {"name": sets[0].get("name") or part.name}
    preserved.inner["Parameters"] = preserve(parameters, (), [ssv("Parameter")])
    part.origin.binding = preserved
    _fold(part, read)
    return True


def _entry(part: Part, item: Any) -> tuple[Value, str, Any] | None:
    """Return value, unit and typed element of a parameter; None if Drawbar has no value for its type."""
    typed = [c for c in item if is_element(c) and local_name(c) != "Annotations"]
    if len(typed) != 1:
        return None
    name = local_name(typed[0])
    if name == "Enumeration":  # its item can be written again if the variable is known to be an enumeration
        port = part.variable(item.get("name") or "")
        value = typed[0].get("value")
        return (value, "", typed[0]) if port is not None and port.items and value else None
    if name not in _TYPES:
        return None
    try:
        return _TYPES[name](typed[0].get("value")), typed[0].get("unit") or "", typed[0]
    except (ValueError, TypeError, AttributeError):
        return None


def _fold(part: Part, read: dict[str, tuple[Value, str]]) -> None:
    """Put the values into `starts`; the elements of a complete array under the name of the array."""
    whole: dict[str, str] = {}
    for base, (shape, first) in arrays_in(list(read)).items():
        names = scalar_names(base, shape, first)
        port = part.variable(base)
        if port is not None and (port.shape, port.first) == (shape, first) and len({read[n][1] for n in names}) == 1:
            whole |= dict.fromkeys(names, base)
    for name, (value, unit) in read.items():
        key = whole.get(name, name)
        if key in part.starts:
            continue
        if key != name:
            port = part.variable(key)
            assert port is not None
            value = np.reshape([read[n][0] for n in port.scalar_names()], port.shape).tolist()
        part.starts[key] = value
        if unit:
            part.start_units[key] = unit


def write_bindings(part: Part, units: set[str], folder: Path, inside: Sequence[Any] = ()) -> Node | None:
    """Return the bindings of an element in a file of `folder`, after those `inside` it.

    `units` are the units that the file defines.
    """
    origin = part.origin
    children: list[Any] = list(inside)
    for before, binding in origin.bindings:
        children += [*before, relocated(binding, origin.folder, folder)]
    if part.starts:  # after all others, because the last one wins
        preserved = origin.binding.inner.get("ParameterBinding", Preserved())
        children += [*preserved.before, _write_ours(part, units)]
    container = origin.preserved.inner.get("ParameterBindings", Preserved())
    return node(ssd("ParameterBindings"), {}, children, container) if children else None


def _write_ours(part: Part, units: set[str]) -> Node:
    inner = part.origin.binding.inner
    parameters: list[Any] = []
    # an element that was set after its array has the later value
    elements = {name: (key, v) for key, value in part.starts.items() for name, v in _elements(part, key, value)}
    for name, (key, element) in elements.items():
        port = part.variable(key)
        unit: str | None = part.start_units.get(key)
        if unit is None and port is not None and port.unit in units:
            unit = port.unit
        kind = type_of_value(element) if port is None or port.type not in _TYPES else port.type
        if port is not None and port.items and isinstance(element, str):
            kind = "Enumeration"
        text = number(element) if kind == "Real" else str(element).lower() if kind == "Boolean" else str(element)
        typed_preserved = inner.get(f"type {name}", Preserved())
        shown = unit if kind == "Real" else None
        typed = node(ssv(kind), {"value": text, "unit": shown}, (), typed_preserved)
        preserved = inner.get(f"Parameter {name}", Preserved())
        parameters += [
            *preserved.before,
            node(ssv("Parameter"), {"name": name}, [*typed_preserved.before, typed], preserved),
        ]
    table = node(ssv("Parameters"), {}, parameters, inner.get("Parameters"))
    name = part.origin.binding.attributes.get("name", part.name)
    root = node(ssv("ParameterSet"), {"version": "1.0", "name": name}, [table], inner.get("ParameterSet"))
    values = node(ssd("ParameterValues"), {}, [root], inner.get("ParameterValues"))
    return node(ssd("ParameterBinding"), {}, [values], inner.get("ParameterBinding"))


def _elements(part: Part, key: str, value: Any) -> list[tuple[str, Any]]:
    port = part.variable(key)
    if isinstance(value, str):
        return [(key, value)]
    array = np.asarray(value)
    shape = port.shape if port is not None else array.shape
    flat = np.broadcast_to(array, shape).ravel().tolist()
    if port is not None and port.type in ("Integer", "Boolean"):
        flat = [bool(v) if port.type == "Boolean" else int(v) for v in flat]
    first = port.first if port is not None else 1
    return list(zip(scalar_names(key, shape, first), flat, strict=True))
