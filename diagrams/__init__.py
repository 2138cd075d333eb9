"""Parts connected on a diagram, and the SSP 1.0 files that hold it.

`Diagram` builds one in Python; `read` and `write` handle the ``.ssd`` file; `faults` lists all that is wrong with it.
"""

from typing import TYPE_CHECKING

from drawbar.blocks.core.lazy import later as _later
from drawbar.blocks.core.lazy import lazy_names
from drawbar.diagrams.model import rendering

if TYPE_CHECKING:
    from drawbar.diagrams.checks.check import faults
    from drawbar.diagrams.model.connection import Connection, End
    from drawbar.diagrams.model.diagram import Diagram
    from drawbar.diagrams.model.part import Part
    from drawbar.diagrams.model.scalar_connections import ScalarConnection, scalar_connections
    from drawbar.diagrams.model.structure import System
    from drawbar.diagrams.parameters.parameter_mapping import ParameterMapping, read_mapping, write_mapping
    from drawbar.diagrams.parameters.parameter_set import ParameterSet, read_set, write_set
    from drawbar.diagrams.ssp.ssp import read, to_text, write

__all__ = [
    "Connection",
    "Diagram",
    "End",
    "ParameterMapping",
    "ParameterSet",
    "Part",
    "ScalarConnection",
    "System",
    "faults",
    "read",
    "read_mapping",
    "read_set",
    "scalar_connections",
    "to_text",
    "write",
    "write_mapping",
    "write_set",
]

_HOMES = {
    "drawbar.diagrams.checks.check": ("faults",),
    "drawbar.diagrams.model.connection": ("Connection", "End"),
    "drawbar.diagrams.model.diagram": ("Diagram",),
    "drawbar.diagrams.model.part": ("Part",),
    "drawbar.diagrams.model.scalar_connections": ("ScalarConnection", "scalar_connections"),
    "drawbar.diagrams.model.structure": ("System",),
    "drawbar.diagrams.parameters.parameter_mapping": ("ParameterMapping", "read_mapping", "write_mapping"),
    "drawbar.diagrams.parameters.parameter_set": ("ParameterSet", "read_set", "write_set"),
    "drawbar.diagrams.ssp.ssp": ("read", "to_text", "write"),
}
__getattr__, __dir__ = lazy_names(__name__, {name: module for module, names in _HOMES.items() for name in names})
rendering.svg = _later("drawbar.diagrams.drawing.picture:svg")
