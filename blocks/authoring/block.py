"""What all kinds of block share: the collection of declarations, and the traced and checked block, a `Model`."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.bus import BusEnd
from drawbar.blocks.authoring.c_source import CSource
from drawbar.blocks.authoring.guards import Guards
from drawbar.blocks.authoring.initialization import Initialization
from drawbar.blocks.authoring.resource import Resource
from drawbar.blocks.authoring.stability_bounds import StabilityBounds
from drawbar.blocks.authoring.variables import Variable
from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.core.interface import Interface, Port

EXPLICIT = ("euler", "heun", "rk4")
METHODS = (*EXPLICIT, "rosenbrock")
METHODS_OF_EQUATIONS = (
    *("derivatives", "update", "outputs", "derived", "initial"),
    *("residuals", "guess", "initial_outputs", "guards", "stability_bounds"),
)
_CLASS_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")


@dataclass(frozen=True, eq=False)
class Model:
    """A traced block: its ports in the order of the flat value array, and its equations as CasADi functions.

    The value array of an instance is ``p | u | x | z | y``: parameters, inputs, continuous states, discrete states,
    then outputs and locals. The FMI value reference is the index in it. Functions take ``(t, x, z, u, p)``: `ode`
    returns dx/dt, `update` the next z, and `out` returns y. A function is None if its result would be empty. For a
    kernel block all three are None, and `c` holds its functions in C. The last ports of `p` are calculated from those
    before them, by `derive`.
    """

    name: str
    interface: Interface
    p: tuple[Port, ...]
    u: tuple[Port, ...]
    x: tuple[Port, ...]
    z: tuple[Port, ...]
    y: tuple[Port, ...]
    ode: ca.Function | None
    update: ca.Function | None
    out: ca.Function | None
    method: str
    step: Fraction
    period: Fraction | None
    c: CSource | None = None
    derive: ca.Function | None = None
    initialization: Initialization | None = None
    guards: Guards | None = None
    stability_bounds: StabilityBounds | None = None
    is_script: bool = False  # its law is Python, so there are no functions

    @property
    def ports(self) -> tuple[Port, ...]:
        """All ports in the order of the value array."""
        return self.p + self.u + self.x + self.z + self.y

    def saying(
        self, *, sampled: bool, integrates: bool, fresh_read: bool, interpolates: bool, directional: bool = False
    ) -> Model:
        """Return the same block with the capabilities that a master may use; the fields are those of `Interface`."""
        said = replace(
            self.interface,
            sampled=sampled,
            integrates=integrates,
            fresh_read=fresh_read,
            interpolates=interpolates,
            directional=directional,
        )
        return replace(self, interface=said)

    def sizes(self) -> tuple[int, int, int, int, int]:
        """Return the number of scalars in p, u, x, z and y."""
        counts = [sum(port.size for port in group) for group in (self.p, self.u, self.x, self.z, self.y)]
        return counts[0], counts[1], counts[2], counts[3], counts[4]

    def follows_solution(self) -> list[int]:
        """Return 1 for each value, then each dx/dt, whose initial value depends on solved states, else 0."""
        solved = () if self.initialization is None else self.initialization.solved
        np_, nu, nx, nz, ny = self.sizes()
        states, results, rates = [int(i in solved) for i in range(nx + nz)], [0] * ny, [0] * nx
        for function, found in ((self.out, results), (self.ode, rates)):
            if function is not None and solved:
                rows, columns = function.jac_sparsity(0, 1).get_triplet()
                for row, column in zip(rows, columns, strict=True):
                    found[row] |= states[column]
        for place in () if self.initialization is None else self.initialization.shown:
            results[place] = 0
        return [0] * (np_ + nu) + states + results + rates

    def nominals(self) -> list[float]:
        """Return the magnitude of the nominal value of each continuous state, 1 where none is declared."""
        return [abs(float(port.nominal or 0.0)) or 1.0 for port in self.x for _ in range(port.size)]

    def start(self) -> NDArray[np.float64]:
        """Return the value array with the start values; calculated elements are zero."""
        return np.concatenate([np.zeros(0)] + [np.asarray(p.start or (0.0,) * p.size, float) for p in self.ports])


class Block:
    """Base of all blocks. A block is a class; diagrams and FMUs hold instances of its `model`."""

    variables: ClassVar[dict[str, Variable]] = {}
    buses: ClassVar[dict[str, BusEnd]] = {}
    is_sampled: ClassVar[bool] = False
    warn_if_true: ClassVar[dict[str, str]] = {}  # outputs that the report warns of if they were true, and why
    warn_if_below: ClassVar[dict[str, tuple[float, str]]] = {}  # outputs that it warns of if they fell below a value
    _resources: ClassVar[dict[str, Resource]] = {}
    _words: ClassVar[frozenset[str]] = frozenset()  # names reserved by a kind of block
    _traced: ClassVar[Model]
    _symbols: dict[str, Any]
    _hidden: dict[str, str]  # names that the method being traced must not read, and why
    time: Any

    @classmethod
    def model(cls) -> Model:
        """Return the traced and checked block."""
        if "_traced" not in vars(cls):
            raise DefinitionError(f"{cls.__name__} is abstract; use a block derived from it")
        return cls._traced

    @classmethod
    def interface(cls) -> Interface:
        """Return the ports of the block and its direct feedthrough."""
        return cls.model().interface

    @classmethod
    def scene(cls, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        """Return what a map shows for this block: ``{"kind": "points", "name": ..., "x": [...], "y": [...]}``, ...

        Kinds are ``points`` and ``line``; coordinates are in metres in the world frame. By default the list is empty.
        """
        return []

    @classmethod
    def _collect(cls) -> list[Port]:
        """Collect the declarations of the class and its bases, and check each of them alone."""
        if not _CLASS_NAME.fullmatch(cls.__name__):
            raise DefinitionError(
                f"class {cls.__name__}: a block's name becomes a C name; use plain letters and digits with single "
                "underscores between, first a letter"
            )
        variables: dict[str, Variable] = {}
        buses: dict[str, BusEnd] = {}
        resources: dict[str, Resource] = {}
        for base in reversed(cls.__mro__):
            for name, word in vars(base).items():
                if isinstance(word, BusEnd):
                    buses[name] = word
                    variables.update({v.name: v for v in word.variables()})
                elif isinstance(word, Variable):
                    variables[name] = word
                elif isinstance(word, Resource):
                    resources[name] = word
        words = {*dir(Block), "period", *METHODS_OF_EQUATIONS, *cls._words}
        taken = words & {*variables, *buses, *resources}
        if taken:
            raise DefinitionError(f"{cls.__name__}.{min(taken)}: blocks have this word already; choose another name")
        cls.variables, cls.buses, cls._resources = variables, buses, resources
        folded: dict[str, str] = {}
        for name in variables:
            if (other := folded.setdefault(name.lower(), name)) != name:
                raise DefinitionError(f"{cls.__name__}: '{name}' and '{other}' differ only in case; rename one")
        return [v.port(cls.__name__, cls.is_sampled) for v in variables.values()]

    def _symbol(self, name: str) -> Any:
        try:
            return self._symbols[name]
        except KeyError:
            raise DefinitionError(
                self._hidden.get(name)
                or f"'{name}' is a result, equations cannot read it; put its expression in a method and call that"
            ) from None

    def _assign(self, name: str, value: Any) -> None:
        raise DefinitionError(
            f"{type(self).__name__}: '{name}' cannot be assigned; return it in a dict: {{'{name}': ...}}"
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._hidden:
            raise DefinitionError(self._hidden[name])
        raise DefinitionError(
            f"{type(self).__name__} has no variable or method '{name}'" + did_you_mean(name, type(self).variables)
        )


def summary(cls: type) -> str:
    """Return the first line of a class's docstring."""
    return (inspect.getdoc(cls) or "").partition("\n")[0] if cls.__doc__ else ""


def kind_of(cls: type[Block]) -> str:
    """Return the kind of a block as `drawbar new block --kind` names it: continuous, sampled, kernel, script."""
    words = (base for base in cls.__mro__ if base.__module__.startswith("drawbar.blocks.authoring."))
    return next(words).__name__.lower()
