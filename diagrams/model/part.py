"""A part of a diagram: a block or an FMU under a name, and the handles by which its ports are connected."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.renamed import did_you_mean_variable
from drawbar.blocks.core.arrays import element, fold_ports
from drawbar.blocks.core.errors import DiagramError, DrawbarError, did_you_mean
from drawbar.blocks.core.interface import Interface, Port, Value
from drawbar.blocks.core.units import Quantity
from drawbar.diagrams.model.connection import End
from drawbar.diagrams.model.start_values import BoundValue, bound_values, values_of
from drawbar.diagrams.xml.markup import Preserved

Geometry = tuple[float, float, float, float]
ATTRIBUTES = (
    "name",
    "block",
    "source",
    "starts",
    "start_units",
    "overrides",
    "geometry",
    "algorithm",
    "fresh_read",
    "origin",
)


@dataclass(frozen=True)
class BusEnd:
    """The ports of a part that share a prefix: one end of a bus. Its members are attributes."""

    part: Part
    prefix: str

    def members(self) -> dict[str, Port]:
        """Return the ports of the bus by their names without the prefix."""
        start = self.prefix + "."
        ports = self.part.interface.ports
        return {p.name.removeprefix(start): p for p in ports if p.name.startswith(start)}

    def __getattr__(self, name: str) -> End | BusEnd:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.part[f"{self.prefix}.{name}"]

    def __str__(self) -> str:
        return f"{self.part.name}.{self.prefix}"


@dataclass
class DeclaredConnector:
    """A connector as a file declares it."""

    kind: str
    type: str
    unit: str
    quantity: Quantity | None = None
    preserved: Preserved = field(default_factory=Preserved)
    written: str = ""  # its type as written in the file


@dataclass
class Origin:
    """What a file holds about a part beyond what a `Part` holds; it is written back."""

    preserved: Preserved = field(default_factory=Preserved)
    folder: Path | None = None
    source: str = ""
    connectors: dict[str, DeclaredConnector] = field(default_factory=dict)
    block: str = ""
    unresolved: str = ""  # why the block was not found
    # for each binding other than Drawbar's own, the comments before it and its XML; Drawbar's own is written after them
    bindings: list[tuple[list[Any], Any]] = field(default_factory=list)
    binding: Preserved = field(default_factory=Preserved)
    binding_values: list[BoundValue] = field(default_factory=list)  # of these bindings
    outer_binding_values: list[BoundValue] = field(default_factory=list)  # of bindings of enclosing systems
    units: dict[str, Quantity] = field(default_factory=dict)


class Part:
    """A block or an FMU on a diagram. Its ports are attributes: ``body.force``, ``body.hub``, ``body["load[1]"]``.

    A port with the name of an attribute of this class (``name``, ``source``, ...) is reached as ``part["name"]``.
    `starts` holds the values that the user gave, by port or element; `start_values` completes them for a run.
    `overrides` win over all other values, also over parameter sets of the diagram, and are not written to a file.
    `algorithm` decides how its inputs arrive (None: as for the diagram). `fresh_read` decides whether its outputs may
    be read after its inputs were set, without a step between, which FMI 2.0 does not guarantee (None: what the FMU
    declares about itself).
    """

    _attributes: ClassVar[tuple[str, ...]] = ATTRIBUTES

    def __init__(
        self,
        name: str,
        *,
        block: type[Block] | None = None,
        source: str = "",
        origin: Origin | None = None,
    ) -> None:
        self.name = name
        self.block = block
        self.source = source
        self.starts: dict[str, Any] = {}
        self.start_units: dict[str, str] = {}
        self.overrides: dict[str, Any] = {}
        self.geometry: Geometry | None = None
        self.algorithm: str | None = None
        self.fresh_read: bool | None = None
        self.origin = origin or Origin()
        self._folder = self.origin.folder or Path.cwd()
        self._interface: Interface | None = None
        self._fault = ""

    @property
    def fmu(self) -> Path:
        """Where the FMU file lies, or would lie."""
        return self._folder / self.source

    @property
    def kind(self) -> str:
        """The name of the block or FMU, for messages."""
        return self.block.__name__ if self.block is not None else self.interface.name

    @property
    def interface(self) -> Interface:
        """The ports. If the block or FMU is missing, those that the file declares; `fault` then gives the reason."""
        if self._interface is None:
            self._interface, self._fault = self._resolve()
        return self._interface

    @property
    def fault(self) -> str:
        """Why the part cannot run; empty if it can."""
        _ = self.interface
        return self._fault

    def _resolve(self) -> tuple[Interface, str]:
        if self.block is not None:
            return self.block.interface(), ""
        try:
            there = self.fmu.is_file()
        except (OSError, ValueError):  # a name too long, or one that no file can have
            there = False
        if not there:
            advice = "put the file there, or name its block in an org.drawbar annotation so that it is built"
            unresolved = f"part '{self.name}': {self.origin.unresolved}" if self.origin.unresolved else ""
            reason = unresolved or f"part '{self.name}' has no FMU at {self.source}; {advice}"
            return self._from_connectors(), reason
        # imported late: the FMU reader is heavy, and a diagram of blocks does not need it
        from drawbar.fmus.loading.description import read_interface

        try:
            return self._with_declared_units(read_interface(self.fmu)), ""
        except DrawbarError as error:
            return self._from_connectors(), f"part '{self.name}': {error}"

    def _from_connectors(self) -> Interface:
        ports = [
            Port(name, d.kind, "continuous" if d.type == "Real" else "discrete", d.type, d.unit, d.quantity)
            for name, d in self.origin.connectors.items()
        ]
        return Interface(Path(self.source).stem, fold_ports(ports))

    def _with_declared_units(self, interface: Interface) -> Interface:
        """Return the interface with the units of the file's connectors where the FMU declares none."""

        def better(port: Port) -> Port:
            declared = self.origin.connectors.get(port.scalar_names()[0])
            if port.unit or declared is None or not declared.unit:
                return port
            return replace(port, unit=declared.unit, quantity=declared.quantity)

        return replace(interface, ports=tuple(better(port) for port in interface.ports))

    def port(self, name: str) -> Port | None:
        """Return the port of that name, or the element of an array port as a scalar port."""
        found = self.interface.port(name)
        if found is None and name.endswith("]"):
            whole = self.interface.port(name.rpartition("[")[0])
            return None if whole is None else element(whole, name)
        return found

    def variable(self, name: str) -> Port | None:
        """Return the variable that a start value may name: any port or element."""
        return self.port(name)

    def __getitem__(self, name: str) -> End | BusEnd:
        if self.port(name) is not None:
            return End(self.name, name, self)
        group = BusEnd(self, name)
        if group.members():
            return group
        raise DiagramError(self.unknown(name))

    def __getattr__(self, name: str) -> End | BusEnd:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute that a part has; any other is refused, because a start value is given by `set`."""
        if not hasattr(type(self), name) and name not in self._attributes and not name.startswith("_"):
            if self.port(name) is not None:
                raise DiagramError(f"part '{self.name}': write part.set('{name}', {value!r}) for a start value")
            raise DiagramError(f"part '{self.name}' has no attribute '{name}'" + did_you_mean(name, self._attributes))
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(p.name.partition(".")[0] for p in self.interface.ports)})

    def unknown(self, name: str) -> str:
        """Return the message that there is no such variable."""
        names = [p.name for p in self.interface.ports]
        whole = self.interface.port(name.rpartition("[")[0])
        if whole is not None and whole.shape:
            elements = whole.scalar_names()
            return f"{self.name} ({self.kind}) has no variable '{name}'; it goes from {elements[0]} to {elements[-1]}"
        text = f"{self.name} ({self.kind}) has no variable '{name}'"
        if name in ("method", "step") and self.block is not None and self.block.model().x:
            value = {"method": "'rosenbrock'", "step": "1e-3"}[name]
            own = f"class Mine({self.kind}, {name}={value})"
            return f"{text}: it is fixed in the class; derive one, {own}, and use it with --use {self.name}=Mine"
        return text + did_you_mean_variable(name, names)

    def set(self, name: str, value: Any) -> None:
        """Give a start value to a port or an element, in its own unit; raise ``DiagramError`` if it does not fit."""
        values_of(self, name, value)
        for name_of_element in [key for key in self.starts if key.startswith(f"{name}[") and key.endswith("]")]:
            del self.starts[name_of_element]  # which was set before its array
            self.start_units.pop(name_of_element, None)
        self.starts[name] = value
        self.start_units.pop(name, None)

    def given(self) -> list[BoundValue]:
        """Return all values that the part or system was given; later ones win over earlier ones.

        First come its own parameter sets, then `starts`, then the sets of enclosing systems, and `overrides` last.
        """
        starts = [
            BoundValue(name, value, unit := self.start_units.get(name, ""), self.origin.units.get(unit), "")
            for name, value in self.starts.items()
        ]
        last = [BoundValue(name, value, "", None, "") for name, value in self.overrides.items()]
        return [*self.origin.binding_values, *starts, *self.origin.outer_binding_values, *last]

    def start_values(self) -> dict[str, Value]:
        """Return the start value of each element that the diagram sets, in the unit of its port.

        Bindings of an enclosing system win over the component's own.
        """
        found: dict[str, Value] = {}
        for bound in self.given():
            found.update(bound_values(self, bound))
        return found

    def __repr__(self) -> str:
        return f"<part {self.name} ({self.kind})>"


def not_a_port(given: Any) -> str:
    """Return the message for something that was given as an end of a connection and is no port."""
    part, name = getattr(given, "__self__", None), getattr(given, "__name__", "")
    if isinstance(part, Part) and part.port(name) is not None:
        return f"{part.name}.{name}: this is a method of every part, the port is {part.name}['{name}']"
    return f"{given!r}; give ports, as in connect(a.y, b.u), or a['name'] where a part has an attribute of that name"
