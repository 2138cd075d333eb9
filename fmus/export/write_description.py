"""The modelDescription.xml of a block."""

from __future__ import annotations

from importlib.metadata import version

from lxml import etree

from drawbar.blocks.authoring.model import Model
from drawbar.blocks.core.interface import Port, Value
from drawbar.blocks.core.units import BASE, Quantity, parse_unit
from drawbar.fmus.export.derivatives import StateDerivative, dependencies, state_derivatives
from drawbar.fmus.loading.description import NAMESPACE, TOOL

_Dependencies = dict[str, tuple[str, ...] | None]


def write_description(model: Model, guid: str) -> str:
    """Return the model description of a block as text: the same block gives the same bytes (no date).

    Dependencies come from sparsity. A sampled output holds its last sample, so it depends on nothing at a
    communication point or event, but during initialization on what its equation reads.
    """
    interface = model.interface
    root = etree.Element(
        "fmiModelDescription",
        fmiVersion="2.0",
        modelName=model.name,
        guid=guid,
        description=interface.description,
        generationTool=f"Drawbar {version('drawbar')}",
        variableNamingConvention="structured",
        numberOfEventIndicators="0",
    )
    if not interface.description:
        del root.attrib["description"]
    _kinds(root, model)
    rates = state_derivatives(model)
    _units(root, model, rates)
    variables = etree.SubElement(root, "ModelVariables")
    index: dict[str, int] = {}
    reference = 0
    for port in model.ports:
        for i, name in enumerate(port.scalar_names()):
            index[name] = len(index) + 1
            _variable(variables, port, name, reference, port.start[i] if port.start else None)
            reference += 1
    for rate in rates:
        index[rate.name] = len(index) + 1
        _rate(variables, rate, index[rate.state])
    # an importer that chooses its own step should not undersample the block
    if model.period or model.x:
        step = model.period or model.step
        default = etree.Element("DefaultExperiment", startTime="0", stepSize=repr(float(step)))
        root.insert(root.index(variables), default)
    root.insert(root.index(variables), _annotations(model))
    _structure(root, model, index, rates)
    etree.indent(root, "  ")
    text: str = etree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _kinds(root: etree._Element, model: Model) -> None:
    """Write the kinds of FMU that it is, and its capabilities in each; a script is for co-simulation only."""
    # the guards of a sampled block are checked at its samples; integers and Booleans of others change at events only
    not_needed = model.interface.sampled or (model.guards is None and all(port.type == "Real" for port in model.y))
    exchange = {"completedIntegratorStepNotNeeded": write_value(not_needed, "Boolean")}
    stepping = {
        "canHandleVariableCommunicationStepSize": "true",
        "canInterpolateInputs": write_value(model.interface.interpolates, "Boolean"),
    }
    both = {"canBeInstantiatedOnlyOncePerProcess": "false", "canNotUseMemoryManagementFunctions": "true"}
    if model.is_script:
        # the state of a script is known to the script alone; the tool is Python
        attributes = {"modelIdentifier": model.name, "needsExecutionTool": "true", **stepping, **both}
        etree.SubElement(root, "CoSimulation", attributes)
        return
    both |= {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true"}
    both |= {"providesDirectionalDerivative": write_value(model.interface.directional, "Boolean")}
    for kind, attributes in (("ModelExchange", exchange), ("CoSimulation", stepping)):
        unit = etree.SubElement(root, kind, {"modelIdentifier": model.name, **attributes, **both})
        files = etree.SubElement(unit, "SourceFiles")
        for file in ["all.c", *([model.c.paths[0].name] if model.c else [])]:
            etree.SubElement(files, "File", name=file)


def _annotations(model: Model) -> etree._Element:
    """Return the annotations for a master that FMI 2.0 cannot express.

    They are the exact period, whether outputs may be read afresh after a set, and whether there are continuous states.
    """
    attributes = {"freshRead": write_value(model.interface.fresh_read, "Boolean")}
    if model.period:
        attributes["period"] = str(model.period)
    elif not model.interface.integrates:
        attributes["integrates"] = "false"
    notes = etree.Element("VendorAnnotations")
    tool = etree.SubElement(notes, "Tool", name=TOOL)
    etree.SubElement(tool, f"{{{NAMESPACE}}}Fmu", attributes, nsmap={"drawbar": NAMESPACE})
    return notes


def _units(root: etree._Element, model: Model, rates: list[StateDerivative]) -> None:
    used: dict[str, Quantity] = {p.unit: p.quantity for p in model.ports if p.type == "Real" and p.quantity}
    used.update({rate.unit: parse_unit(rate.unit) for rate in rates})
    if not used:
        return
    definitions = etree.SubElement(root, "UnitDefinitions")
    for name in sorted(used):
        quantity = used[name]
        powers = {n: str(e) for n, e in zip(BASE, quantity.exponents, strict=True) if e}
        base = etree.SubElement(etree.SubElement(definitions, "Unit", name=name), "BaseUnit", powers)
        if quantity.factor != 1.0:
            base.set("factor", repr(quantity.factor))
        if quantity.offset:
            base.set("offset", repr(quantity.offset))


def _variable(parent: etree._Element, port: Port, name: str, reference: int, start: Value | None) -> None:
    variable = etree.SubElement(parent, "ScalarVariable", name=name, valueReference=str(reference))
    if port.description:
        variable.set("description", port.description)
    variable.set("causality", port.causality)
    variable.set("variability", port.variability)
    if port.initial:
        variable.set("initial", port.initial)
    kind = etree.SubElement(variable, port.type)
    if port.type == "Real":
        kind.set("unit", port.unit)
    if port.type in ("Real", "Integer"):
        as_text = repr if port.type == "Real" else (lambda v: str(int(v)))  # limits of an Integer are whole
        for attribute, limit in (("min", port.minimum), ("max", port.maximum)):
            if limit is not None:
                kind.set(attribute, as_text(float(limit)))
    if port.type == "Real" and port.nominal is not None:
        kind.set("nominal", repr(float(port.nominal)))
    if start is not None:
        kind.set("start", write_value(start, port.type))


def _rate(parent: etree._Element, rate: StateDerivative, state: int) -> None:
    attributes = {
        "name": rate.name,
        "valueReference": str(rate.reference),
        "description": f"rate of change of {rate.state}",
    }
    kinds = {"causality": "local", "variability": "continuous", "initial": "calculated"}
    variable = etree.SubElement(parent, "ScalarVariable", {**attributes, **kinds})
    etree.SubElement(variable, "Real", unit=rate.unit, derivative=str(state))


def write_value(value: Value, kind: str) -> str:
    """Return a value as FMI and SSP write it."""
    if kind == "Boolean":
        return "true" if value else "false"
    return repr(float(value)) if kind == "Real" else str(value)


def _structure(root: etree._Element, model: Model, index: dict[str, int], rates: list[StateDerivative]) -> None:
    """Write the model structure.

    It lists the dependencies of outputs and of state derivatives on inputs and continuous states, and of what is
    calculated initially.
    """
    structure = etree.SubElement(root, "ModelStructure")
    outputs = {name: port for port in model.ports if port.causality == "output" for name in port.scalar_names()}
    on_states = _on_states(model)
    running: _Dependencies = {n: (*model.interface.feedthrough[n], *on_states[n]) for n in outputs}
    _unknowns(structure, "Outputs", running, index)

    names = [rate.name for rate in rates]
    _unknowns(structure, "Derivatives", _of_rates(model, names, ((1, model.x), (3, model.u))), index)

    initial = model.interface.initial_feedthrough
    ports = dict.fromkeys([*outputs.values(), *model.p, *model.x])
    calculated = [p for p in ports if p.initial != "exact"]
    follow = {n: initial[n] for p in calculated for n in p.scalar_names()}
    direct = _of_rates(model, names, ((1, model.x), (3, model.u), (4, model.p)))
    # a known that is itself calculated is replaced by what it depends on
    knowns = {
        n: None if d is None else tuple({k for name in d for k in follow.get(name, (name,))}) for n, d in direct.items()
    }
    _unknowns(structure, "InitialUnknowns", {**follow, **knowns}, index)


def _of_rates(model: Model, names: list[str], arguments: tuple[tuple[int, tuple[Port, ...]], ...]) -> _Dependencies:
    """Return for each rate the scalars of some arguments that it depends on; None where the law is C text."""
    if model.ode is None:
        return dict.fromkeys(names)
    found = [dependencies(model.ode, i, ports) for i, ports in arguments]
    return {n: tuple(k for known in row for k in known) for n, *row in zip(names, *found, strict=True)}


def _on_states(model: Model) -> dict[str, tuple[str, ...]]:
    """Return for each output the continuous states that it depends on; one that is a state depends on itself.

    Outputs that are C text depend on all states.
    """
    states = [name for port in model.x for name in port.scalar_names()]
    results = [name for port in model.y for name in port.scalar_names()]
    patterns = [tuple(states)] * len(results) if model.out is None else dependencies(model.out, 1, model.x)
    return {**{name: (name,) for name in states}, **dict(zip(results, patterns, strict=True))}


def _unknowns(structure: etree._Element, tag: str, found: _Dependencies, index: dict[str, int]) -> None:
    """Write one list of the model structure; without dependencies where these are not known."""
    if not found:
        return
    element = etree.SubElement(structure, tag)
    for name, known in found.items():
        unknown = etree.SubElement(element, "Unknown", index=str(index[name]))
        if known is not None:
            unknown.set("dependencies", " ".join(map(str, sorted(index[d] for d in known))))
