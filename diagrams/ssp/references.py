"""The files of components that are descriptions or packages themselves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from drawbar.blocks.core.errors import DiagramError
from drawbar.diagrams.ssp.ssp_archive import open_package
from drawbar.diagrams.xml.tags import SSP_TYPE
from drawbar.diagrams.xml.uris import path_of

DEEPEST = 32  # the longest chain of files that refer to each other
MOST = 500  # references in all; two in each of thirty files would give a thousand million systems


@dataclass(frozen=True)
class Trail:
    """The chain of files that led here, and all references that were followed."""

    places: tuple[Path, ...] = ()
    followed: list[Path] = field(default_factory=list)

    def to(self, place: Path, shown: str) -> Trail:
        """Return the trail with one more place; ``DiagramError`` if it is circular or too long."""
        if place in self.places:
            raise DiagramError(f"{shown} holds what refers to it")
        if len(self.places) >= DEEPEST:
            raise DiagramError(f"{shown} is one too many in a row of references; {DEEPEST - 1} are the most")
        if len(self.followed) >= MOST:
            raise DiagramError(f"{shown}: the diagram refers to others more than {MOST} times")
        self.followed.append(place)
        return replace(self, places=(*self.places, place))


def open_reference(file: Path, source: str, kind: str) -> Path:
    """Return the ``.ssd`` file that a component of `file` refers to; a package is opened in the cache.

    ``package.ssp#Variant.ssd`` means another description of a package. ``DiagramError`` if there is no such file.
    """
    place, _, variant = source.partition("#")
    path = file.parent / path_of(place)
    try:
        there = path.is_file()
    except (OSError, ValueError):  # a name too long, or one that no file can have
        there = False
    if not there:
        raise DiagramError(f"there is no file at {place}")
    return open_package(path, variant or None) if kind == SSP_TYPE else path
