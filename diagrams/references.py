"""Components that are descriptions or packages themselves: the file that is meant."""

from __future__ import annotations

from pathlib import Path

from drawbar.blocks.authoring.errors import DiagramError
from drawbar.diagrams.opening import open_package
from drawbar.diagrams.tags import SSP_TYPE
from drawbar.diagrams.uris import path_of

DEEPEST = 32  # files that refer to each other in a row


def open_reference(file: Path, source: str, kind: str, above: tuple[Path, ...]) -> Path:
    """The ``.ssd`` file that a component of `file` refers to; a package is opened in the cache.

    ``package.ssp#Variant.ssd`` means another description of a package. ``DiagramError`` if there is none, or if it is
    one of the files `above`, which would have no end.
    """
    place, _, variant = source.partition("#")
    path = file.parent / path_of(place)
    try:
        there = path.is_file()
    except (OSError, ValueError):  # a name too long, or one that no file can have
        there = False
    if not there:
        raise DiagramError(f"there is no file at {place}")
    found = open_package(path, variant or None) if kind == SSP_TYPE else path
    if found.resolve() in above:
        raise DiagramError(f"{source} holds the file that refers to it")
    if len(above) >= DEEPEST:
        raise DiagramError(f"{source} is the {len(above)}th file that refers to another; {DEEPEST - 1} are the most")
    return found
