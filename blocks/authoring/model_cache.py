"""Models of the library's blocks in the cache, because tracing a vehicle takes more than a second."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from drawbar.blocks.authoring.model import Equations, Model
from drawbar.blocks.core.cache import fingerprint, is_unchanged, read_record, write_record
from drawbar.blocks.core.errors import DefinitionError

if TYPE_CHECKING:
    from drawbar.blocks.authoring.block import Block

LIBRARY = "drawbar.blocks"
# read when blocks are imported: a file that changes later must not be taken for the one that this process traces
FINGERPRINT = fingerprint(LIBRARY)


def is_of_library(block: type[Block]) -> bool:
    """Return whether the block follows from the files of `LIBRARY` alone.

    It is a class at the top of one of the library's modules, and all its methods are functions of the library: a
    program that replaces one gets a block of its own. Constants of a module that a program replaces are not noticed.
    """
    module = block.__module__
    if not module.startswith(f"{LIBRARY}.") or vars(sys.modules[module]).get(block.__name__) is not block:
        return False
    functions = [value for base in block.__mro__ for value in vars(base).values() if inspect.isfunction(value)]
    return all(function.__module__.startswith(f"{LIBRARY}.") for function in functions)


def cached_model(block: type[Block], trace: Callable[[], Model]) -> Model:
    """Return the model of a block: of the cache, whose equations are traced at their first use, else of `trace`.

    Only blocks of the library are in the cache. The equations of others may depend on anything that Python can read,
    so these are traced in each process.
    """
    if not is_of_library(block):
        return trace()
    name = f"{block.__module__}.{block.__name__}"
    known = read_record("models", name, FINGERPRINT)
    if isinstance(known, Model):
        return replace(known, trace=lambda: _equations(known, trace()))
    model = trace()
    if is_unchanged(LIBRARY):
        write_record("models", name, FINGERPRINT, replace(model, trace=Equations))
    return model


def _equations(known: Model, traced: Model) -> Equations:
    """Return the equations of the traced model, if it has the ports of the known one."""
    if (traced.interface, traced.ports) != (known.interface, known.ports):
        raise DefinitionError(f"{known.name} has changed since its ports were read; start the program again")
    return traced.equations
