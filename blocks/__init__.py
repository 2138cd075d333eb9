"""Models of a ground vehicle and its autonomy, each written once as equations.

This is what an author of blocks imports: the kinds of block, the words for variables, and the functions of equations.
"""

from typing import TYPE_CHECKING

from drawbar.blocks.core.lazy import lazy_names

if TYPE_CHECKING:
    from casadi import (
        acos,
        asin,
        atan,
        atan2,
        cos,
        cosh,
        cross,
        dot,
        exp,
        fabs,
        floor,
        fmax,
        fmin,
        fmod,
        horzcat,
        if_else,
        log,
        logic_and,
        logic_not,
        logic_or,
        mtimes,
        norm_2,
        sign,
        sin,
        sinh,
        sqrt,
        sum1,
        tan,
        tanh,
        vertcat,
    )

    from drawbar.blocks.authoring.block import Block
    from drawbar.blocks.authoring.bus import Bus, Member
    from drawbar.blocks.authoring.continuous import Continuous
    from drawbar.blocks.authoring.kernel import Kernel
    from drawbar.blocks.authoring.model import Model
    from drawbar.blocks.authoring.resource import Resource
    from drawbar.blocks.authoring.sampled import Sampled
    from drawbar.blocks.authoring.script import Script
    from drawbar.blocks.authoring.variables import Derived, Input, Local, Output, Parameter, State
    from drawbar.blocks.core.errors import (
        BuildError,
        DefinitionError,
        DiagramError,
        DrawbarError,
        FmuError,
        RunError,
        TerrainError,
        UsageError,
    )
    from drawbar.blocks.core.interface import Interface, Port

__all__ = [
    "Block",
    "BuildError",
    "Bus",
    "Continuous",
    "DefinitionError",
    "Derived",
    "DiagramError",
    "DrawbarError",
    "FmuError",
    "Input",
    "Interface",
    "Kernel",
    "Local",
    "Member",
    "Model",
    "Output",
    "Parameter",
    "Port",
    "Resource",
    "RunError",
    "Sampled",
    "Script",
    "State",
    "TerrainError",
    "UsageError",
    "acos",
    "asin",
    "atan",
    "atan2",
    "cos",
    "cosh",
    "cross",
    "dot",
    "exp",
    "fabs",
    "floor",
    "fmax",
    "fmin",
    "fmod",
    "horzcat",
    "if_else",
    "log",
    "logic_and",
    "logic_not",
    "logic_or",
    "mtimes",
    "norm_2",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "sum1",
    "tan",
    "tanh",
    "vertcat",
]

# CasADi takes longer to import than the rest together, and most verbs of the command line need none of it
_HOMES = {
    "drawbar.blocks.authoring.block": ("Block",),
    "drawbar.blocks.authoring.model": ("Model",),
    "drawbar.blocks.authoring.bus": ("Bus", "Member"),
    "drawbar.blocks.authoring.continuous": ("Continuous",),
    "drawbar.blocks.authoring.kernel": ("Kernel",),
    "drawbar.blocks.authoring.resource": ("Resource",),
    "drawbar.blocks.authoring.sampled": ("Sampled",),
    "drawbar.blocks.authoring.script": ("Script",),
    "drawbar.blocks.authoring.variables": ("Derived", "Input", "Local", "Output", "Parameter", "State"),
    "drawbar.blocks.core.interface": ("Interface", "Port"),
    "drawbar.blocks.core.errors": (
        "BuildError",
        "DefinitionError",
        "DiagramError",
        "DrawbarError",
        "FmuError",
        "RunError",
        "TerrainError",
        "UsageError",
    ),
}
_OWN = {name: module for module, names in _HOMES.items() for name in names}
__getattr__, __dir__ = lazy_names(__name__, {name: _OWN.get(name, "casadi") for name in __all__})
