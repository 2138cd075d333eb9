"""Models of a ground vehicle and its autonomy, each written once as equations.

This is what an author of blocks imports: the kinds of block, the words for variables, and the functions of equations.
"""

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

from drawbar.blocks.authoring.block import Block, Model
from drawbar.blocks.authoring.bus import Bus, Member
from drawbar.blocks.authoring.continuous import Continuous
from drawbar.blocks.authoring.errors import (
    BuildError,
    DefinitionError,
    DiagramError,
    DrawbarError,
    FmuError,
    RunError,
    UsageError,
)
from drawbar.blocks.authoring.interface import Interface, Port
from drawbar.blocks.authoring.kernel import Kernel
from drawbar.blocks.authoring.resource import Resource
from drawbar.blocks.authoring.sampled import Sampled
from drawbar.blocks.authoring.script import Script
from drawbar.blocks.authoring.variables import Derived, Input, Local, Output, Parameter, State

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
