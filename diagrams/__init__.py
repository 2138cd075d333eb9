"""Parts wired on a diagram, and SSP 1.0 files that hold it.

`Diagram` builds one in Python; `read` and `write` are the ``.ssd`` file; `faults` lists all that is wrong with it.
"""

from drawbar.diagrams.checks.check import faults
from drawbar.diagrams.model.diagram import Connection, Diagram
from drawbar.diagrams.model.ends import End
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.scalar_connections import Wire, wires
from drawbar.diagrams.model.system import System
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
