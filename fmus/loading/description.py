"""The model description of any FMI 2.0 co-simulation FMU."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from drawbar.blocks.core.arrays import fold_ports
from drawbar.blocks.core.errors import DefinitionError, FmuError
from drawbar.blocks.core.interface import Interface, Port, Value, exact_period
from drawbar.blocks.core.numbers import INTEGERS, are_integers
from drawbar.blocks.core.units import BASE, Quantity, parse_unit
from drawbar.fmus.loading.archive import parse_xml, unpack
from drawbar.fmus.loading.python_requirements import requirements_of
from drawbar.fmus.toolchain.compilers import host_platform, library_suffix

TOOL, NAMESPACE = "org.drawbar", "urn:drawbar:fmu"  # of the annotations that our FMUs carry
OLD_ANNOTATION = "{urn:drawbar:unit}Unit"  # its name before the first release


@dataclass(frozen=True)
class Scalar:
    """One scalar variable of an FMU."""

    name: str
    reference: int
    type: str


@dataclass(frozen=True)
class Description:
    """An FMU unpacked and read: identity, ports, and the value reference of each scalar."""

    folder: Path
    guid: str
    identifier: str
    interface: Interface
    scalars: dict[str, Scalar]
    only_one_per_process: bool = False
    needs_execution_tool: bool = False
    python_requirements: str = ""  # of an FMU that runs Python in the importing process

    @property
    def library(self) -> Path:
        """The path of the shared library for this machine, whether it exists or not.

        It is named by the model identifier. Where none is, and there is only one library, it is that one: its FMU was
        renamed, and fmi2Instantiate still checks the GUID.
        """
        path = self.folder / "binaries" / host_platform() / (self.identifier + library_suffix())
        others = [] if path.is_file() else list(path.parent.glob(f"*{path.suffix}"))
        return others[0] if len(others) == 1 else path


def read_interface(fmu: Path) -> Interface:
    """Return the ports of an FMU file; elements such as ``f[1]``, ``f[2]`` are folded into one array port."""
    return read_description(fmu).interface


def read_description(fmu: Path) -> Description:
    """Unpack an FMU file and read its description; the ``FmuError`` names the fault."""
    return _read_description(fmu, unpack(fmu))


@lru_cache(maxsize=64)  # the name of a folder is the hash of its content, and a run reads each FMU several times
def _read_description(fmu: Path, folder: Path) -> Description:
    import fmpy

    xml = folder / "modelDescription.xml"
    if not xml.is_file():
        elsewhere = sorted(folder.rglob("modelDescription.xml"))
        found = f"; found it at {elsewhere[0].relative_to(folder)}, it must lie at the top" if elsewhere else ""
        raise FmuError(f"{fmu}: no modelDescription.xml{found}")
    root = parse_xml(xml, f"{fmu}: modelDescription.xml")
    if root.tag != "fmiModelDescription":
        raise FmuError(f"{fmu}: modelDescription.xml holds <{root.tag}>, not <fmiModelDescription>")
    if root.get("fmiVersion") != "2.0":
        raise FmuError(f"{fmu}: FMI {root.get('fmiVersion')}; Drawbar takes FMI 2.0")
    if root.find("CoSimulation") is None and root.find("ModelExchange") is not None:  # before what may be long is read
        raise FmuError(f"{fmu}: for model exchange only; Drawbar takes co-simulation FMUs")
    try:
        md = fmpy.read_model_description(str(folder), validate=False)
    except Exception as error:  # FMPy raises many kinds for a description that breaks its expectations
        raise FmuError(f"{fmu}: modelDescription.xml cannot be read: {first_line(error)}") from None
    if md.coSimulation is None:
        raise FmuError(f"{fmu}: it is neither for co-simulation nor for model exchange; export it for co-simulation")
    # the standard says a C identifier, but FMUs called tank-2 or tank.2 are common; it names a file
    if not re.fullmatch(r"[^/\\:\0-\x1f]+", md.coSimulation.modelIdentifier or ""):
        raise FmuError(f"{fmu}: modelIdentifier '{md.coSimulation.modelIdentifier}' cannot name a library")
    try:
        return _describe(fmu, folder, md, root)
    except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError, DefinitionError) as error:
        raise FmuError(f"{fmu}: modelDescription.xml cannot be read: {first_line(error)}") from None


def first_line(error: BaseException) -> str:
    """Return the message of an exception of others, in one line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _describe(fmu: Path, folder: Path, md: Any, root: Any) -> Description:
    relative = _relative(root)
    units = {unit.name: _quantity(unit) for unit in md.unitDefinitions}
    tool = f"VendorAnnotations/Tool[@name='{TOOL}']"
    annotation = root.find(f"{tool}/{{{NAMESPACE}}}Fmu")
    if annotation is None and root.find(f"{tool}/{OLD_ANNOTATION}") is not None:
        # without the annotation it would be stepped less accurately than it was
        raise FmuError(
            f"{fmu}: an older Drawbar made it, with the annotation drawbar:Unit, now drawbar:Fmu; build it again"
        )
    scalars: dict[str, Scalar] = {}
    ports: list[Port] = []
    for variable in md.modelVariables:
        if variable.name in scalars:
            raise FmuError(f"{fmu}: two variables are called '{variable.name}'")
        if not 0 <= variable.valueReference < 2**32:
            raise FmuError(f"{fmu}: '{variable.name}' has the value reference {variable.valueReference}")
        kind = "Integer" if variable.type == "Enumeration" else variable.type
        scalars[variable.name] = Scalar(variable.name, variable.valueReference, kind)
        if annotation is not None and variable.derivative is not None:
            continue  # the derivatives of a block's states are for model exchange, not ports
        ports.append(_port(variable, kind, units, variable.name in relative))
    shown = {port.name for port in ports}
    cs = md.coSimulation
    sampled = _period(annotation) is not None
    interface = Interface(
        name=md.modelName,
        ports=fold_ports(ports),
        feedthrough=_on_inputs(_dependencies(md.outputs), ports),
        # an output with an exact start value depends on nothing during initialization
        initial_feedthrough={
            **{u.variable.name: () for u in md.outputs if u.variable.initial == "exact"},
            **_dependencies([u for u in md.initialUnknowns if u.variable.name in shown]),
        },
        period=_period(annotation) if sampled else _fixed_step(root, cs),
        description=md.description or "",
        sampled=sampled,
        integrates=not sampled and _annotated(annotation, "integrates") != "false",
        fresh_read=_annotated(annotation, "freshRead") == "true",
        interpolates=bool(cs.canInterpolateInputs),
        directional=bool(cs.providesDirectionalDerivative),
    )
    return Description(
        folder=folder,
        guid=md.guid,
        identifier=cs.modelIdentifier,
        interface=interface,
        scalars=scalars,
        only_one_per_process=bool(cs.canBeInstantiatedOnlyOncePerProcess),
        needs_execution_tool=bool(cs.needsExecutionTool),
        python_requirements=requirements_of(folder),
    )


def _relative(root: Any) -> set[str]:
    """Return the variables that are differences, by their own attribute or that of their type."""
    types = {t.get("name") for t in root.iterfind("TypeDefinitions/SimpleType") if _is_relative(t.find("Real"))}
    variables = [(v.get("name"), v.find("Real")) for v in root.iterfind("ModelVariables/ScalarVariable")]
    return {n for n, r in variables if _is_relative(r) or (r is not None and r.get("declaredType") in types)}


def _is_relative(real: Any) -> bool:
    return real is not None and real.get("relativeQuantity") in ("true", "1")


def _annotated(annotation: Any, attribute: str) -> str | None:
    """Return an attribute of our annotation for a master; FMUs of others have no such annotation."""
    return None if annotation is None else annotation.get(attribute)


def _period(annotation: Any) -> Fraction | None:
    """Return the period that a sampled FMU of ours declares, None if the annotation is damaged."""
    try:
        return exact_period(_annotated(annotation, "period") or "")
    except ValueError:
        return None


def _fixed_step(root: Any, unit: Any) -> Fraction | None:
    """Return the only communication step that an FMU takes, None if it takes any or does not state which.

    The standard has no word for it; tools that export such FMUs write it as the step of the default experiment.
    """
    experiment = root.find("DefaultExperiment")
    if unit.canHandleVariableCommunicationStepSize or experiment is None:
        return None
    text = experiment.get("stepSize") or ""
    # 0.3333333333333333 means a third, which no decimal fraction equals; 0.0333333333 is meant literally
    for kind in (float, str):
        with contextlib.suppress(ValueError):
            return exact_period(kind(text))
    return None


def _port(variable: Any, kind: str, units: dict[str, Quantity | None], relative: bool) -> Port:
    unit = variable.unit or (variable.declaredType.unit if variable.declaredType is not None else None) or ""
    quantity = units.get(unit)
    if quantity is None and unit and unit not in units:
        quantity = _common_unit(unit)
    if quantity is not None and relative:
        # a difference of temperatures has no offset (FMI 2.0.4, section 2.2.3)
        quantity = replace(quantity, offset=0.0)
    start = () if variable.start is None else (_value(variable.start, kind, variable.name),)
    return Port(
        name=variable.name,
        causality=variable.causality or "local",
        variability=variable.variability or ("continuous" if kind == "Real" else "discrete"),
        type=kind,
        unit=unit,
        quantity=quantity,
        start=start,
        minimum=_limit(variable, "min"),
        maximum=_limit(variable, "max"),
        initial=variable.initial,
        description=variable.description or "",
        items=_items(variable),
    )


def _items(variable: Any) -> tuple[tuple[str, int], ...]:
    """Return the names of the values of an enumeration."""
    if variable.type != "Enumeration" or variable.declaredType is None:
        return ()
    return tuple((item.name, int(item.value)) for item in variable.declaredType.items or ())


def _limit(variable: Any, which: str) -> float | None:
    """Return the `min` or `max` of a variable, else that of its type."""
    text = getattr(variable, which)
    if text is None and variable.declaredType is not None:
        text = getattr(variable.declaredType, which)
    return None if text is None else float(text)


def _value(text: Any, kind: str, name: str) -> Value:
    if kind == "Real":
        return float(text)
    if kind == "Integer":
        if not are_integers(value := int(text)):
            raise ValueError(f"'{name}' starts at {value}, beyond {INTEGERS}")
        return value
    if kind == "Boolean":
        return str(text).strip() in ("true", "1")
    return str(text)


def _quantity(unit: Any) -> Quantity | None:
    base = unit.baseUnit
    if base is None:
        return _common_unit(unit.name)
    factor = 1.0 if base.factor is None else float(base.factor)
    offset = 0.0 if base.offset is None else float(base.offset)
    return Quantity(tuple(int(getattr(base, name) or 0) for name in BASE), factor, offset)


def _common_unit(unit: str) -> Quantity | None:
    """Return the meaning of a unit of measure that the FMU names but does not define, if its name is a common one."""
    try:
        return parse_unit(unit)
    except DefinitionError:
        return None


def _on_inputs(dependencies: dict[str, tuple[str, ...]], ports: list[Port]) -> dict[str, tuple[str, ...]]:
    """Return the dependencies without the states: an FMU that is for model exchange too lists those as well."""
    inputs = {port.name for port in ports if port.causality == "input"}
    return {unknown: tuple(n for n in known if n in inputs) for unknown, known in dependencies.items()}


def _dependencies(unknowns: list[Any]) -> dict[str, tuple[str, ...]]:
    """Return for each unknown the names it depends on.

    An unknown without the attribute is left out, because it may depend on all.
    """
    return {u.variable.name: tuple(v.name for v in u.dependencies) for u in unknowns if u.dependencies is not None}
