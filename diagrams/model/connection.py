"""A connection of a diagram and its two ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from drawbar.blocks.core.arrays import natural
from drawbar.diagrams.xml.markup import Preserved


@dataclass(frozen=True)
class End:
    """One end of a connection. `part` is None for a connector of the diagram itself; `name` may have an index.

    `owner` is the part or diagram that it was taken from; an end without one means what has its names.
    """

    part: str | None
    name: str
    owner: object = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.name if self.part is None else f"{self.part}.{self.name}"


@dataclass(eq=False)
class Connection:
    """A connection from one end to another: of a scalar, a whole array, or one element of an array.

    ``value at end = factor * (value at start, in the unit of the end) + offset``; factor and offset are the user's own.
    The conversion of units is not part of them and is left out if `suppress_unit_conversion` is set.
    """

    start: End
    end: End
    factor: float = 1.0
    offset: float = 0.0
    suppress_unit_conversion: bool = False
    algorithm: str | None = None  # one of `algorithms`; None: that of the receiving part
    geometry: tuple[tuple[float, float], ...] = ()
    reversed: bool = False  # the file names its ends in the other order, which SSP allows
    preserved: Preserved = field(default_factory=Preserved)

    def __str__(self) -> str:
        return f"{self.start} -> {self.end}"


def canonical_order(connection: Connection) -> tuple[object, ...]:
    """Return a sort key: by start, then by end.

    Elements come in the order of their indices, and the diagram's own ends first.
    """
    return (*_key(connection.start), *_key(connection.end))


def _key(end: End) -> tuple[str, tuple[str, tuple[int, ...]]]:
    return end.part or "", natural(end.name)
