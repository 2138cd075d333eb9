"""The end of a connection: a port, or one element of an array port."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class End:
    """One end of a connection. `part` is None for a connector of the diagram itself; `name` may have an index."""

    part: str | None
    name: str

    def __str__(self) -> str:
        return self.name if self.part is None else f"{self.part}.{self.name}"
