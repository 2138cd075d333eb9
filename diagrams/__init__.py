"""Parts wired on a diagram, and SSP 1.0 files that hold it.

`Diagram` builds one in Python; `read` and `write` are the ``.ssd`` file; `faults` lists all that is wrong with it.
"""

from drawbar.diagrams.check import faults
from drawbar.diagrams.diagram import Connection, Diagram
from drawbar.diagrams.ends import End
from drawbar.diagrams.parameter_mapping import ParameterMapping, read_mapping, write_mapping
from drawbar.diagrams.parameter_set import ParameterSet, read_set, write_set
from drawbar.diagrams.part import Part
from drawbar.diagrams.ssp import read, to_text, write
from drawbar.diagrams.system import System
from drawbar.diagrams.wiring import Wire, wires

__all__ = [
    "Connection",
    "Diagram",
    "End",
    "ParameterMapping",
    "ParameterSet",
    "Part",
    "System",
    "Wire",
    "faults",
    "read",
    "read_mapping",
    "read_set",
    "to_text",
    "wires",
    "write",
    "write_mapping",
    "write_set",
]
