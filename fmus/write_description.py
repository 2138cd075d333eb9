"""The modelDescription.xml of a block, written."""

from __future__ import annotations

from importlib.metadata import version

from lxml import etree

from drawbar.blocks.authoring.block import Model
from drawbar.blocks.authoring.interface import Port, Value
from drawbar.blocks.authoring.quantities import BASE, Quantity

TOOL, NAMESPACE = "org.drawbar", "urn:drawbar:unit"


def write_description(model: Model, guid: str) -> str:
    """The model description of a block as text: same block, same bytes (no date).

    Dependencies come from sparsity. A sampled output holds its last sample, so it depends on nothing at a
    communication point, but during initialization on what its equation reads.
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
    unit = etree.SubElement(root, "CoSimulation", _capabilities(model))
    if not model.is_script:
        files = etree.SubElement(unit, "SourceFiles")
        for file in ["all.c", *([model.c.paths[0].name] if model.c else [])]:
            etree.SubElement(files, "File", name=file)
    _units(root, model)
    variables = etree.SubElement(root, "ModelVariables")
    index: dict[str, int] = {}
    reference = 0
    for port in model.ports:
        for i, name in enumerate(port.scalar_names()):
            index[name] = len(index) + 1
            _variable(variables, port, name, reference, port.start[i] if port.start else None)
            reference += 1
    # an importer that chooses its own step should not undersample the block
    if model.period or model.x:
        step = model.period or model.step
        default = etree.Element("DefaultExperiment", startTime="0", stepSize=repr(float(step)))
        root.insert(root.index(variables), default)
    root.insert(root.index(variables), _notes(model))
    _structure(root, model, index)
    etree.indent(root, "  ")
    text: str = etree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _capabilities(model: Model) -> dict[str, str]:
    said = {
        "modelIdentifier": model.name,
        "needsExecutionTool": "true",  # Python
        "canHandleVariableCommunicationStepSize": "true",
        "canInterpolateInputs": write_value(model.interface.interpolates, "Boolean"),
        "canBeInstantiatedOnlyOncePerProcess": "false",
        "canNotUseMemoryManagementFunctions": "true",
        "canGetAndSetFMUstate": "true",
        "canSerializeFMUstate": "true",
    }
    # what a script remembers is known to the script alone
    left_out = ("canGetAndSetFMUstate", "canSerializeFMUstate") if model.is_script else ("needsExecutionTool",)
    return {name: value for name, value in said.items() if name not in left_out}


def _notes(model: Model) -> etree._Element:
    """What FMI 2.0 has no word for and a master must know: exact period, outputs that may be read afresh, no states."""
    said = {"freshRead": write_value(model.interface.fresh_read, "Boolean")}
    if model.period:
        said["period"] = str(model.period)
    elif not model.interface.integrates:
        said["integrates"] = "false"
    notes = etree.Element("VendorAnnotations")
    tool = etree.SubElement(notes, "Tool", name=TOOL)
    etree.SubElement(tool, f"{{{NAMESPACE}}}Unit", said, nsmap={"drawbar": NAMESPACE})
    return notes


def _units(root: etree._Element, model: Model) -> None:
    used: dict[str, Quantity] = {p.unit: p.quantity for p in model.ports if p.type == "Real" and p.quantity}
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
        as_text = repr if port.type == "Real" else (lambda v: str(int(v)))
        for attribute, limit in (("min", port.minimum), ("max", port.maximum)):
            if limit is not None:
                kind.set(attribute, as_text(float(limit)))
    if port.type == "Real" and port.nominal is not None:
        kind.set("nominal", repr(float(port.nominal)))
    if start is not None:
        kind.set("start", write_value(start, port.type))


def write_value(value: Value, kind: str) -> str:
    """A value as FMI and SSP write it."""
    if kind == "Boolean":
        return "true" if value else "false"
    return repr(float(value)) if kind == "Real" else str(value)


def _structure(root: etree._Element, model: Model, index: dict[str, int]) -> None:
    structure = etree.SubElement(root, "ModelStructure")
    outputs = [port for port in model.ports if port.causality == "output"]
    lists = []
    if outputs:
        lists.append(("Outputs", outputs, model.interface.feedthrough))
    # a state that is no output is an unknown only of an FMU that lists its derivative
    unknowns = [port for port in outputs if port.initial != "exact"]
    unknowns += [port for port in model.p if port.causality == "calculatedParameter"]
    if unknowns:
        lists.append(("InitialUnknowns", unknowns, model.interface.initial_feedthrough))
    for tag, ports, dependencies in lists:
        element = etree.SubElement(structure, tag)
        for name in (n for port in ports for n in port.scalar_names()):
            known = sorted(index[d] for d in dependencies[name])
            etree.SubElement(element, "Unknown", index=str(index[name]), dependencies=" ".join(map(str, known)))
