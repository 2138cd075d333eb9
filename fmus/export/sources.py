"""The C files of a block; those of the library's blocks are in the cache, because a vehicle's take seconds to write."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.model_cache import FINGERPRINT, LIBRARY, is_of_library
from drawbar.blocks.core.cache import fingerprint, is_unchanged, read_record, write_record
from drawbar.fmus.export.codegen import Sources, generate
from drawbar.fmus.export.write_description import write_description

_EXPORT = FINGERPRINT + fingerprint("drawbar.fmus")
_known: WeakKeyDictionary[type[Block], Sources] = WeakKeyDictionary()


def sources_of(block: type[Block]) -> Sources:
    """Return the C files of a block, written for its present equations, C text and resources.

    The files of a kernel block are written at each call, because its C text and its resources may have changed.
    """
    model = block.model()
    if model.c is not None:
        return generate(model, write_description(model, guid=""))
    if (sources := _known.get(block)) is None:
        sources = _known[block] = _cached(block)
    return sources


def _cached(block: type[Block]) -> Sources:
    model, name = block.model(), f"{block.__module__}.{block.__name__}"
    if is_of_library(block) and isinstance(known := read_record("sources", name, _EXPORT), Sources):
        return known
    sources = generate(model, write_description(model, guid=""))
    if is_of_library(block) and is_unchanged(LIBRARY, "drawbar.fmus"):
        write_record("sources", name, _EXPORT, sources)
    return sources
