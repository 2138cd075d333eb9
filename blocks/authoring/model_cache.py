"""Models of the library's blocks in the cache, because tracing a vehicle takes more than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from drawbar.blocks.authoring.model import Equations, Model
from drawbar.blocks.core.cache import fingerprint, read_record, write_record

if TYPE_CHECKING:
    from drawbar.blocks.authoring.block import Block

LIBRARY = "drawbar.blocks"
# read when blocks are imported: a file that changes later must not be taken for the one that this process traces
FINGERPRINT = fingerprint(LIBRARY)


def is_of_library(block: type[Block]) -> bool:
    """Return whether the block follows from the files of `LIBRARY` alone: a class at the top of one of its modules."""
    module = block.__module__
    return module.startswith(f"{LIBRARY}.") and vars(sys.modules[module]).get(block.__name__) is block


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
        return replace(known, trace=lambda: trace().equations)
    model = trace()
    write_record("models", name, FINGERPRINT, replace(model, trace=Equations))
    return model
