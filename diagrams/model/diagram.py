"""A diagram: parts, the connections between their ports, and the connectors that it exposes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.core.errors import DiagramError, did_you_mean
from drawbar.blocks.core.interface import Port, exact_period
from drawbar.blocks.core.units import Quantity
from drawbar.diagrams.model.algorithms import DEFAULT, algorithm_fault
from drawbar.diagrams.model.connection_rules import refusal
from drawbar.diagrams.model.ends import End
from drawbar.diagrams.model.part import Declared, Group, Part, element, no_port
from drawbar.diagrams.model.start_values import values_of
from drawbar.diagrams.model.system import System
from drawbar.diagrams.parameters.parameter_mapping import ParameterMapping
from drawbar.diagrams.parameters.parameter_set import ParameterSet
from drawbar.diagrams.xml.markup import Kept

LOOPS = ("report", "delay")
DEFAULT_STEP = Fraction(1, 1000)
_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


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
    backwards: bool = False  # the file names its ends in the other order, which SSP allows
    kept: Kept = field(default_factory=Kept)

    def __str__(self) -> str:
        return f"{self.start} -> {self.end}"


@dataclass
class Other:
    """An element of a file that is no part, such as a signal dictionary. It is preserved, and cannot run yet."""

    name: str
    kind: str
    xml: Any
    kept: Kept
    is_idle: bool = False  # a run misses nothing unless something is connected to it


@dataclass
class FileFacts:
    """What a file holds about the diagram beyond what a `Diagram` holds; it is written back."""

    path: Path | None = None
    version: str = "1.0"
    root: Kept = field(default_factory=Kept)
    after: list[Any] = field(default_factory=list)  # comments after the root element
    system: Kept = field(default_factory=Kept)
    system_name: str | None = None
    experiment: Kept = field(default_factory=Kept)
    master: Kept = field(default_factory=Kept)
    namespaces: dict[str, str] = field(default_factory=dict)
    connectors: dict[str, Declared] = field(default_factory=dict)
    units: dict[str, Quantity] = field(default_factory=dict)
    kept_units: dict[str, Kept] = field(default_factory=dict)
    # for each parameter binding of the system itself, the comments before it and its XML
    bindings: list[tuple[list[Any], Any]] = field(default_factory=list)
    faults: list[tuple[int | None, str]] = field(default_factory=list)  # found while reading, by line
    remarks: list[str] = field(default_factory=list)  # notes for the user, which are no faults


class Diagram:
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
        algorithm: str = DEFAULT,
    ) -> None:
        self.name = name
        try:
            self.step = exact_period(step)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
            reason = str(error) if isinstance(error, ValueError) else f"{step!r} is no number of seconds"
            advice = "give seconds such as 0.001 or '1/30'"
            raise DiagramError(f"diagram {name}: step = {step}: {reason}; {advice}") from None
        try:
            seconds = float(Fraction(stop))
        except (ValueError, ZeroDivisionError, OverflowError, TypeError):
            raise DiagramError(
                f"diagram {name}: stop = {stop!r} is no number of seconds; it must be positive"
            ) from None
        if not seconds > 0.0:
            raise DiagramError(f"diagram {name}: stop = {seconds:g} s; it must be positive")
        if loops not in LOOPS:
            raise DiagramError(f"diagram {name}: loops = '{loops}'" + did_you_mean(loops, LOOPS))
        self.stop = seconds
        self.loops = loops
        if (fault := algorithm_fault(f"diagram {name}", algorithm)) is not None:
            raise DiagramError(fault)
        self.algorithm = algorithm
        self.elements: list[Part | Other] = []  # in order; change the list through the methods only
        self.parts: dict[str, Part] = {}
        self.others: dict[str, Other] = {}
        self.connections: list[Connection] = []
        self.connectors: dict[str, Port] = {}
        self.file = FileFacts()
        self._drivers: dict[tuple[str | None, str], Connection] = {}
        self._driven = 0  # the number of connections that `_drivers` covers, and the last of them
        self._last_driven: Connection | None = None

    def put(self, element: Part | Other) -> None:
        """Append an element as it is; if a name comes twice, it means the first one."""
        self.elements.append(element)
        if isinstance(element, Part):
            self.parts.setdefault(element.name, element)
        else:
            self.others.setdefault(element.name, element)

    @property
    def systems(self) -> dict[str, System]:
        """The parts that are diagrams themselves."""
        return {name: part for name, part in self.parts.items() if isinstance(part, System)}

    def locate(self, path: str) -> tuple[Part, str] | None:
        """Return the part and the rest of a name such as ``wheel.radius``.

        Names of parts of a flat diagram may contain dots.
        """
        dots = [i for i, letter in enumerate(path) if letter == "."]
        return next(((self.parts[path[:i]], path[i + 1 :]) for i in reversed(dots) if path[:i] in self.parts), None)

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
                raise DiagramError(f"diagram {self.name}: '{name}' would hold the diagram it is added to")
            mine, theirs = self.file.units, what.file.units
            if odd := [unit for unit in theirs if unit in mine and mine[unit] != theirs[unit]]:
                text = f"unit '{odd[0]}' has another meaning in the file of '{name}'; a file has one for each"
                raise DiagramError(f"diagram {self.name}: {text}")
            part = System(name, what)
            part.algorithm = what.algorithm if what.algorithm != DEFAULT else None
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
        start: End | Group,
        end: End | Group,
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
            if not isinstance(given, End | Group):
                raise DiagramError(f"diagram {self.name}: cannot connect {no_port(given)}")
        if isinstance(start, Group) and isinstance(end, Group):
            pairs = _members(start, end)
            if factor != 1.0 or offset != 0.0:
                raise DiagramError(
                    f"cannot connect {start} to {end}: factor and offset apply to one port, not to a bus"
                )
        elif isinstance(start, Group) or isinstance(end, Group):
            bus, port = (start, end) if isinstance(start, Group) else (end, start)
            raise DiagramError(f"cannot connect {start} to {end}: {bus} is a bus of several ports, {port} is one port")
        else:
            pairs = [(start, end)]
        made = [Connection(a, b, float(factor), float(offset), suppress_unit_conversion, algorithm) for a, b in pairs]
        faults = [fault for c in made if (fault := self._refuse(c)) is not None]
        if faults:
            raise DiagramError(faults)
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

    def expose(self, port: End | Group, name: str | None = None) -> None:
        """Expose a port of a part, or all members of a bus, as a connector of the diagram itself."""
        if isinstance(port, Group):
            for member in port.members():
                self.expose(End(port.part.name, f"{port.prefix}.{member}"), f"{name or port.prefix}.{member}")
            return
        inner = self.port(port)
        if inner is None:
            raise DiagramError(f"cannot expose {port}: there is no such port")
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
        # imported late, because parameter bindings import diagrams
        from drawbar.diagrams.model.parameter_bindings import bind

        bind(self, values, mapping, prefix)

    def use(self, name: str, what: type[Block] | str | os.PathLike[str]) -> Part:
        """Put another block or FMU in the place of a part or of ``system.part``, with its connections and values."""
        # imported late, because swap imports diagrams
        from drawbar.diagrams.model.swap import swap

        return swap(self, name, what)

    def __getitem__(self, name: str) -> End:
        """Return a connector of the diagram itself, as an end to connect."""
        if self.port(End(None, name)) is None:
            raise DiagramError(f"diagram {self.name} has no connector '{name}'" + did_you_mean(name, self.connectors))
        return End(None, name)

    def port(self, end: End) -> Port | None:
        """Return the port at an end, for an element of an array as a scalar port; None if there is none."""
        if end.part is not None:
            part = self.parts.get(end.part)
            return None if part is None else part.port(end.name)
        found = self.connectors.get(end.name)
        if found is None and end.name.endswith("]"):
            whole = self.connectors.get(end.name.rpartition("[")[0])
            if whole is not None and end.name in (names := whole.scalar_names()):
                return element(whole, names.index(end.name))
        return found

    def scalars(self, end: End) -> list[str]:
        """Return the names of the elements at an end."""
        port = self.port(end)
        return [end.name] if port is None else port.scalar_names()

    def driver(self, part: str | None, scalar: str) -> Connection | None:
        """Return the first connection that ends at this element, or None."""
        known = self._driven
        if known > len(self.connections) or (known and self.connections[known - 1] is not self._last_driven):
            self._drivers.clear()
            known = 0
        for connection in self.connections[known:]:
            for name in self.scalars(connection.end):
                self._drivers.setdefault((connection.end.part, name), connection)
            self._last_driven = connection
        self._driven = len(self.connections)
        return self._drivers.get((part, scalar))

    def _repr_svg_(self) -> str:
        # shown by a notebook; imported late, because the picture imports diagrams
        from drawbar.diagrams.drawing.picture import svg

        return svg(self)

    def __repr__(self) -> str:
        return f"<diagram {self.name}: {len(self.parts)} parts, {len(self.connections)} connections>"


def all_systems(diagram: Diagram) -> Iterator[System]:
    """Yield the systems of a diagram at every depth, outer ones first."""
    for system in diagram.systems.values():
        yield system
        yield from all_systems(system.diagram)


def name_fault(name: str) -> str | None:
    """Return why a name cannot be that of a part, or None."""
    if _NAME.match(name):
        return None
    proposal = re.sub(r"\W", "_", name, flags=re.ASCII) or "part"
    proposal = proposal if _NAME.match(proposal) else f"_{proposal}"
    return f"part name '{name}': use letters, digits and underscores, as in '{proposal}'"


def _members(a: Group, b: Group) -> list[tuple[End, End]]:
    """Return the connections of two buses, each from output to input."""
    mine, theirs = a.members(), b.members()
    for bus, name in [(b, n) for n in mine if n not in theirs] + [(a, n) for n in theirs if n not in mine]:
        raise DiagramError(f"cannot connect {a} to {b}: {bus} has no member '{name}'")
    pairs = []
    for name, port in mine.items():
        ends = End(a.part.name, f"{a.prefix}.{name}"), End(b.part.name, f"{b.prefix}.{name}")
        if port.causality == theirs[name].causality:
            both = f"both ends have '{name}' as {port.causality}"
            raise DiagramError(f"cannot connect {a} to {b}: {both}; a bus runs from a source to a sink")
        pairs.append(ends if port.causality == "output" else ends[::-1])
    return pairs
