"""From an SSP 1.0 system structure description (``.ssd``) to a diagram; `system_read` reads the systems in it.

What is wrong in the file but does not hinder reading is noted in ``diagram.file.faults`` for `check`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from drawbar.blocks.core.errors import DiagramError
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.ssp.system_read import Context, ReferenceChain, own_annotation, read_system, real
from drawbar.diagrams.xml.markup import first_children, is_element, local_name, parse_as, preserve
from drawbar.diagrams.xml.schema import is_newer
from drawbar.diagrams.xml.tags import OWN, OWN_ATTRIBUTES, SSC, SSD, ssc, ssd
from drawbar.diagrams.xml.values import read_units

# the element in an annotation of the tool that holds a fixed step, and its attribute
_STEPS = {"FixedStepMaster": "stepSize", "FixedStepAlgorithm": "baseStepSize"}


def read_ssd(path: Path, chain: ReferenceChain | None = None) -> Diagram:
    """Return the diagram of an ``.ssd`` file; `chain` is the chain of files that refer to it, with itself."""
    root = parse_as(path, ssd("SystemStructureDescription"))
    diagram = Diagram(root.get("name") or path.parent.name or path.stem)
    file = diagram.file
    file.path = path
    file.root = preserve(
        root, ["name", "version"], first_children(root, map(ssd, ("System", "Units", "DefaultExperiment")))
    )
    file.after = list(root.itersiblings())
    file.version = root.get("version") or "1.0"
    file.namespaces = {p: u for p, u in root.nsmap.items() if p and u not in (SSD, SSC, OWN) and p != "xml"}
    if (container := root.find(ssd("Units"))) is not None:
        table = read_units(container)
        file.root.inner["Units"] = preserve(container, (), [ssc("Unit")])
        file.units, file.preserved_units = table.units, table.preserved
        file.faults += table.faults
    _experiment(diagram, root.find(ssd("DefaultExperiment")))
    system = root.find(ssd("System"))
    if system is None:
        file.faults.append((root.sourceline, "there is no System in the file"))
    else:
        read_system(Context(path, chain or ReferenceChain((path.resolve(),)), read_ssd), diagram, system)
    if "Annotation" not in file.experiment.inner:
        read_foreign_step(diagram, root)
    if is_newer(root):
        file.remarks.append(
            f"{path.name} is of SSP {file.version}; what SSP 1.0 does not have is preserved, but not validated"
        )
    return diagram


def _experiment(diagram: Diagram, item: Any) -> None:
    if item is None:
        return
    file = diagram.file
    preserved = file.experiment = preserve(item, ["stopTime"], [ssd("Annotations")])
    if real(item, "startTime", 0.0) != 0.0:
        file.faults.append((item.sourceline, f"startTime is {item.get('startTime')}; a run of Drawbar begins at 0"))
    stop = real(item, "stopTime", diagram.stop)
    master = own_annotation(diagram, item, preserved, "Master")
    given: dict[str, Any] = {"stop": stop}
    if master is not None:
        file.master = preserve(master, OWN_ATTRIBUTES["Master"])
        given |= {key: master.get(key) for key in ("step", "loops") if key in master.attrib}
        diagram.algorithm = master.get("algorithm", diagram.algorithm)  # `check` judges the name
    where = item if master is None else master
    for key, value in given.items():
        try:
            setattr(diagram, key, getattr(Diagram(diagram.name, **{key: value}), key))
        except DiagramError as error:
            file.faults.append(((where if key != "stop" else item).sourceline, str(error)))


def read_foreign_step(diagram: Diagram, root: Any) -> None:
    """Take the macro step from the annotations of libcosim or OMSimulator, and add a remark."""
    places = [root.find(ssd("DefaultExperiment")), root.find(ssd("System"))]
    for place in places:
        annotations = None if place is None else place.find(ssd("Annotations"))
        for annotation in [] if annotations is None else annotations.iterfind(ssc("Annotation")):
            for item in annotation.iter():
                if is_element(item) and (attribute := _STEPS.get(local_name(item))) and item.get(attribute):
                    _take(diagram, annotation.get("type"), item, item.get(attribute))
                    return


def _take(diagram: Diagram, tool: str | None, item: Any, text: str) -> None:
    try:
        diagram.step = Diagram(diagram.name, step=float(text)).step
    except (ValueError, DiagramError):
        diagram.file.remarks.append(f"the step '{text}' of {local_name(item)} cannot be read, and is ignored")
    else:
        diagram.file.remarks.append(
            f"the macro step of {float(diagram.step):g} s is the one that the file gives for {tool}"
        )
