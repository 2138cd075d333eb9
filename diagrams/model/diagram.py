"""A diagram: parts, the connections between their ports, and the connectors that it exposes."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.core.errors import DiagramError, did_you_mean
from drawbar.blocks.core.interface import exact_period
from drawbar.diagrams.model import rendering
from drawbar.diagrams.model.connection import Connection, End
from drawbar.diagrams.model.connection_rules import missing, refusal
from drawbar.diagrams.model.master_settings import DEFAULT_ALGORITHM, algorithm_fault
from drawbar.diagrams.model.parameter_bindings import bind
from drawbar.diagrams.model.part import BusEnd, Part, not_a_port
from drawbar.diagrams.model.start_values import values_of
from drawbar.diagrams.model.structure import System, SystemStructure, all_systems
from drawbar.diagrams.model.swap import swap
from drawbar.diagrams.parameters.parameter_mapping import ParameterMapping
from drawbar.diagrams.parameters.parameter_set import ParameterSet

LOOPS = ("report", "delay")
DEFAULT_STEP = Fraction(1, 1000)
_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


class Diagram(SystemStructure):
    """Parts under their names, connected.

    `step` is the macro step in seconds, exact as a fraction (``0.001``, ``"1/30"``). `stop` is the default end of a
    run. `loops` decides about loops of direct feedthrough: ``"report"`` refuses them, ``"delay"`` accepts that each
    goes around with one step of delay. `algorithm` is how the parts are coupled (see `algorithms`).
    """

    def __init__(
        self,
        name: str,
        *,
        step: Fraction | float | str = DEFAULT_STEP,
        stop: Fraction | float | str = 1.0,
        loops: str = "report",
        algorithm: str = DEFAULT_ALGORITHM,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise DiagramError(f"a diagram is called {name!r}; give it a name, as in Diagram('car')")
        super().__init__(name)
        self.step = step
        self.stop = stop
        if loops not in LOOPS:
            raise DiagramError(f"diagram {name}: loops = '{loops}'" + did_you_mean(loops, LOOPS))
        self.loops = loops
        if (fault := algorithm_fault(f"diagram {name}", algorithm)) is not None:
            raise DiagramError(fault)
        self.algorithm = algorithm

    @property
    def step(self) -> Fraction:
        """The macro step in seconds; a number or a text that is given is checked and made exact."""
        return self._step

    @step.setter
    def step(self, step: Fraction | float | str) -> None:
        try:
            self._step = exact_period(step)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
            reason = str(error) if isinstance(error, ValueError) else f"{step!r} is no number of seconds"
            advice = "give seconds such as 0.001 or '1/30'"
            raise DiagramError(f"diagram {self.name}: step = {step}: {reason}; {advice}") from None

    @property
    def stop(self) -> float:
        """The default end of a run in seconds."""
        return self._stop

    @stop.setter
    def stop(self, stop: Fraction | float | str) -> None:
        try:
            seconds = float(Fraction(stop))
        except (ValueError, ZeroDivisionError, OverflowError, TypeError):
            raise DiagramError(
                f"diagram {self.name}: stop = {stop!r} is no number of seconds; it must be positive"
            ) from None
        if not seconds > 0.0:
            raise DiagramError(f"diagram {self.name}: stop = {seconds:g} s; it must be positive")
        self._stop = seconds

    def add(self, name: str, what: type[Block] | str | os.PathLike[str] | Diagram, **starts: Any) -> Part:
        """Add a part: a block class, the path of an FMU, or a diagram, which becomes a system of this one.

        `starts` are its start values by variable. A system shares the diagram that it is made of: the same diagram may
        be added twice, and a later change of it changes both.
        """
        if (fault := name_fault(name)) is not None:
            raise DiagramError(f"diagram {self.name}: {fault}")
        if name in self.parts or name in self.others:
            raise DiagramError(f"diagram {self.name}: there is already a part '{name}'; names are unique")
        if isinstance(what, type) and issubclass(what, Block):
            what.model()  # raises an error for an abstract block
            part = Part(name, block=what, source=f"resources/{what.__name__}.fmu")
        elif isinstance(what, Diagram):
            if what is self or any(system.diagram is self for system in all_systems(what)):
                raise DiagramError(f"diagram {self.name}: '{name}' would contain the diagram that it is added to")
            mine, theirs = self.file.units, what.file.units
            if differing := [unit for unit in theirs if unit in mine and mine[unit] != theirs[unit]]:
                text = f"unit '{differing[0]}' is defined differently in the file of '{name}'; a file defines it once"
                raise DiagramError(f"diagram {self.name}: {text}")
            part = System(name, what)
            part.algorithm = what.algorithm if what.algorithm != DEFAULT_ALGORITHM else None
        elif isinstance(what, str | os.PathLike):
            part = Part(name, source=Path(what).resolve().as_posix())
            if not part.fmu.is_file():
                raise DiagramError(f"part '{name}': there is no FMU at {os.fspath(what)}")
            if part.fault:
                raise DiagramError(part.fault)
        else:
            raise DiagramError(f"part '{name}' is {what!r}; give a block class or the path of an FMU, or a diagram")
        for key, value in starts.items():
            values_of(part, key, value)
        part.starts.update(starts)
        self.put(part)
        return part

    def connect(
        self,
        start: End | BusEnd,
        end: End | BusEnd,
        factor: float = 1.0,
        offset: float = 0.0,
        *,
        suppress_unit_conversion: bool = False,
        algorithm: str | None = None,
    ) -> list[Connection]:
        """Connect two ports, or all members of two buses; ``DiagramError`` gives the reason if that is impossible.

        The two ends of a bus may come in either order: each member runs from its output to its input.
        """
        if algorithm is not None and (fault := algorithm_fault(f"connection {start} -> {end}", algorithm)) is not None:
            raise DiagramError(fault)
        for given in (start, end):
            if not isinstance(given, End | BusEnd):
                raise DiagramError(f"diagram {self.name}: cannot connect {not_a_port(given)}")
        if isinstance(start, BusEnd) and isinstance(end, BusEnd):
            pairs = _members(start, end)
            if factor != 1.0 or offset != 0.0:
                raise DiagramError(
                    f"cannot connect {start} to {end}: factor and offset apply to one port, not to a bus"
                )
        elif isinstance(start, BusEnd) or isinstance(end, BusEnd):
            bus, port = (start, end) if isinstance(start, BusEnd) else (end, start)
            raise DiagramError(f"cannot connect {start} to {end}: {bus} is a bus of several ports, {port} is one port")
        else:
            pairs = [(start, end)]
        made = [Connection(a, b, float(factor), float(offset), suppress_unit_conversion, algorithm) for a, b in pairs]
        faults = [fault for c in made if (fault := self._refuse(c)) is not None]
        if faults:
            raise DiagramError(list(dict.fromkeys(faults)))
        for c in made:  # a stored end has names only, so that it means the part that has them
            c.start, c.end = replace(c.start, owner=None), replace(c.end, owner=None)
        self.connections += made
        return made

    def _refuse(self, connection: Connection) -> str | None:
        a, b = connection.start, connection.end
        if any((c.start, c.end) == (a, b) for c in [self.driver(b.part, self.scalars(b)[0])] if c is not None):
            return f"cannot connect {a} to {b}: they are connected already"
        return refusal(
            self,
            a,
            b,
            factor=connection.factor,
            offset=connection.offset,
            convert=not connection.suppress_unit_conversion,
        )

    def expose(self, port: End | BusEnd, name: str | None = None) -> None:
        """Expose a port of a part, or all members of a bus, as a connector of the diagram itself."""
        if isinstance(port, BusEnd):
            for member in port.members():
                end = End(port.part.name, f"{port.prefix}.{member}", port.part)
                self.expose(end, f"{name or port.prefix}.{member}")
            return
        inner = self.port(port)
        if inner is None:
            raise DiagramError(f"cannot expose {port}: {missing(self, port)}")
        if inner.causality not in ("input", "output"):
            raise DiagramError(f"cannot expose {port}: it is a {inner.causality} variable, neither input nor output")
        outer = name or inner.name
        if outer in self.connectors:
            raise DiagramError(f"cannot expose {port}: there is already a connector '{outer}'; give another name")
        self.connectors[outer] = replace(inner, name=outer)
        ends = (port, End(None, outer)) if inner.causality == "output" else (End(None, outer), port)
        try:
            self.connect(*ends)
        except DiagramError:
            del self.connectors[outer]
            raise

    def bind(
        self,
        values: ParameterSet | str | os.PathLike[str],
        mapping: ParameterMapping | str | os.PathLike[str] | None = None,
        *,
        prefix: str = "",
    ) -> None:
        """Give the values of a parameter set (or of an ``.ssv`` file) to the parts, by names ``part.variable``.

        They win over the values that the parts had before. `prefix` is put before every name (``"wheel."`` for the set
        of one part); `mapping` (or an ``.ssm`` file) renames and transforms. Call it when all parts have been added.
        """
        bind(self, values, mapping, prefix)

    def use(self, name: str, what: type[Block] | str | os.PathLike[str]) -> Part:
        """Put another block or FMU in the place of a part or of ``system.part``, with its connections and values."""
        return swap(self, name, what)

    def _repr_svg_(self) -> str:
        return rendering.svg(self)  # shown by a notebook

    def __repr__(self) -> str:
        return f"<diagram {self.name}: {len(self.parts)} parts, {len(self.connections)} connections>"


def name_fault(name: str) -> str | None:
    """Return why a name cannot be that of a part, or None."""
    if _NAME.match(name):
        return None
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.replace("ß", "ss")) if not unicodedata.combining(c))
    proposal = re.sub(r"\W", "_", plain, flags=re.ASCII)
    proposal = proposal if proposal.strip("_") else "part"
    proposal = proposal if _NAME.match(proposal) else f"_{proposal}"
    return f"part name '{name}': use letters, digits and underscores, as in '{proposal}'"


def _members(a: BusEnd, b: BusEnd) -> list[tuple[End, End]]:
    """Return the connections of two buses, each from output to input."""
    mine, theirs = a.members(), b.members()
    for bus, name in [(b, n) for n in mine if n not in theirs] + [(a, n) for n in theirs if n not in mine]:
        raise DiagramError(f"cannot connect {a} to {b}: {bus} has no member '{name}'")
    pairs = []
    for name, port in mine.items():
        ends = End(a.part.name, f"{a.prefix}.{name}", a.part), End(b.part.name, f"{b.prefix}.{name}", b.part)
        if port.causality == theirs[name].causality:
            both = f"'{name}' is {port.causality} at both ends"
            raise DiagramError(f"cannot connect {a} to {b}: {both}; it must be an output at one of them")
        pairs.append(ends if port.causality == "output" else ends[::-1])
    return pairs
