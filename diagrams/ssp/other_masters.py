"""The macro step that a file gives to the master of another tool; used if the file gives none to Drawbar."""

from __future__ import annotations

from typing import Any

from drawbar.blocks.core.errors import DiagramError
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.xml.markup import is_element, local
from drawbar.diagrams.xml.tags import ssc, ssd

# the element in an annotation of the tool that holds a fixed step, and its attribute
_STEPS = {"FixedStepMaster": "stepSize", "FixedStepAlgorithm": "baseStepSize"}


def step_of_others(diagram: Diagram, root: Any) -> None:
    """Take the macro step from the annotations of libcosim or OMSimulator, and add a remark."""
    places = [root.find(ssd("DefaultExperiment")), root.find(ssd("System"))]
    for place in places:
        annotations = None if place is None else place.find(ssd("Annotations"))
        for annotation in [] if annotations is None else annotations.iterfind(ssc("Annotation")):
            for item in annotation.iter():
                if is_element(item) and (attribute := _STEPS.get(local(item))) and item.get(attribute):
                    _take(diagram, annotation.get("type"), item, item.get(attribute))
                    return


def _take(diagram: Diagram, tool: str | None, item: Any, text: str) -> None:
    try:
        diagram.step = Diagram(diagram.name, step=float(text)).step
    except (ValueError, DiagramError):
        diagram.file.remarks.append(f"the step '{text}' of {local(item)} cannot be read, and is not taken")
    else:
        diagram.file.remarks.append(f"the step of {float(diagram.step):g} s is that of the file for {tool}")
