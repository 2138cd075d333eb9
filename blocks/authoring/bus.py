"""Groups of variables that are declared once and connected together.

A bus has two ends. Members flow from its source to its sink, those marked ``back=True`` in the other direction::

    class Hub(Bus):
        velocity = Member("m/s", "velocity of the wheel centre", size=3)
        force = Member("N", "force on the upright", size=3, back=True)

    class Body(Continuous):
        hub = Hub.source("hub of the front left wheel")

Equations read ``self.hub.force`` and return ``{"hub.velocity": ...}``; the FMI names are ``hub.force[1]`` and so on.
"""

from __future__ import annotations

from typing import Any

from drawbar.blocks.authoring.variables import Input, Output, Variable
from drawbar.blocks.core.errors import DefinitionError, did_you_mean


class Member:
    """One variable of a bus; it accepts the arguments of `Input`."""

    def __init__(self, unit: str, description: str, *, back: bool = False, **options: Any) -> None:
        self.unit, self.description, self.back, self.options = unit, description, back, options


class Bus:
    """Base of all buses; `source` and `sink` return its two ends."""

    @classmethod
    def members(cls) -> dict[str, Member]:
        """Return the members by name, in order of declaration, inherited ones first."""
        found: dict[str, Member] = {}
        for base in reversed(cls.__mro__):
            found.update({k: v for k, v in vars(base).items() if isinstance(v, Member)})
        return found

    @classmethod
    def source(cls, description: str) -> BusEnd:
        """Return the end that sends the members and receives those marked ``back``."""
        return BusEnd(cls, description, source=True)

    @classmethod
    def sink(cls, description: str) -> BusEnd:
        """Return the end that receives the members and sends those marked ``back``."""
        return BusEnd(cls, description, source=False)


class BusEnd:
    """One end of a bus on a block."""

    def __init__(self, bus: type[Bus], description: str, *, source: bool) -> None:
        if not bus.members():
            raise DefinitionError(f"bus {bus.__name__} has no Member")
        self.bus, self.description, self.is_source = bus, description, source
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, block: Any, owner: type | None = None) -> Any:
        return self if block is None else _Reader(block, self)

    def variables(self) -> list[Variable]:
        """Return the members as inputs and outputs of the block, named ``bus.member``."""
        made: list[Variable] = []
        for name, member in self.bus.members().items():
            word = Output if self.is_source != member.back else Input
            variable = word(member.unit, f"{self.description}: {member.description}", **member.options)
            variable.name = f"{self.name}.{name}"
            made.append(variable)
        return made


class _Reader:
    """The members of a bus by name: ``self.hub`` in equations and scripts."""

    _block: Any
    _end: BusEnd

    def __init__(self, block: Any, end: BusEnd) -> None:
        self.__dict__.update(_block=block, _end=end)

    def _whole(self, name: str) -> str:
        members = self._end.bus.members()
        if name not in members:
            where = f"{type(self._block).__name__}.{self._end.name}"
            raise DefinitionError(f"{where} has no member '{name}'" + did_you_mean(name, members))
        return f"{self._end.name}.{name}"

    def __getattr__(self, name: str) -> Any:
        return self._block._symbol(self._whole(name))

    def __setattr__(self, name: str, value: Any) -> None:
        self._block._assign(self._whole(name), value)
