"""Components that are descriptions or packages themselves: the file that is meant."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from drawbar.blocks.core.errors import DiagramError
from drawbar.diagrams.ssp.ssp_archive import open_package
from drawbar.diagrams.xml.tags import SSP_TYPE
from drawbar.diagrams.xml.uris import path_of

DEEPEST = 32  # files that refer to each other in a row
MOST = 500  # references in all: twice in each of thirty files would be a thousand million systems


@dataclass(frozen=True)
class Trail:
    """The places that led here, one through the other, and how many references were followed in all."""

    places: tuple[Path, ...] = ()
    followed: list[Path] = field(default_factory=list)

    def to(self, place: Path, shown: str) -> Trail:
        """The trail one further; ``DiagramError`` where it has no end or is too long."""
        if place in self.places:
            raise DiagramError(f"{shown} holds what refers to it")
        if len(self.places) >= DEEPEST:
            raise DiagramError(f"{shown} is one too many in a row of references; {DEEPEST - 1} are the most")
        if len(self.followed) >= MOST:
            raise DiagramError(f"{shown}: the diagram refers to others more than {MOST} times")
        self.followed.append(place)
        return replace(self, places=(*self.places, place))


def open_reference(file: Path, source: str, kind: str) -> Path:
    """The ``.ssd`` file that a component of `file` refers to; a package is opened in the cache.

    ``package.ssp#Variant.ssd`` means another description of a package. ``DiagramError`` if there is none.
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
