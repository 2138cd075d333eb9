"""What all kinds of block share: the collection and check of declarations, and the model that follows from them."""

from __future__ import annotations

import inspect
import re
from abc import abstractmethod
from typing import Any, ClassVar

from drawbar.blocks.authoring.bus import BusEnd
from drawbar.blocks.authoring.model import Model
from drawbar.blocks.authoring.renamed import MEMBERS
from drawbar.blocks.authoring.resource import Resource
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


class Block:
    """Base of all blocks. A block is a class; diagrams and FMUs hold instances of its `model`."""

    variables: ClassVar[dict[str, Variable]] = {}
    buses: ClassVar[dict[str, BusEnd]] = {}
    is_sampled: ClassVar[bool] = False
    warn_if_true: ClassVar[dict[str, str]] = {}  # outputs that the report warns of if they were true, and why
    warn_if_below: ClassVar[dict[str, tuple[float, str]]] = {}  # outputs that it warns of if they fell below a value
    warn_if_multiple: ClassVar[dict[str, tuple[float, str]]] = {}  # or exceeded that multiple of their mean first value
    setpoints: ClassVar[dict[str, str]] = {}  # inputs with the desired value of another input, which is measured
    initial_values: ClassVar[dict[str, str]] = {}  # outputs that begin with the value of a parameter, and which
    _resources: ClassVar[dict[str, Resource]] = {}
    _words: ClassVar[frozenset[str]] = frozenset()  # names reserved by a kind of block
    _is_concrete: ClassVar[bool] = False
    _ports: ClassVar[list[Port]]
    _model: ClassVar[Model]
    _symbols: dict[str, Any]
    _hidden: dict[str, str]  # names that the method being traced must not read, and why
    time: Any

    @classmethod
    def model(cls) -> Model:
        """Return the checked block; raise `DefinitionError` if it is abstract or its equations are wrong.

        The equations are traced at the first call, so functions that they use may stand below the class.
        """
        if not cls.is_concrete():
            raise DefinitionError(f"{cls.__name__} is abstract; use a block derived from it")
        if "_model" not in vars(cls):
            cls._model = cls._make_model()
        return cls._model

    @classmethod
    def is_concrete(cls) -> bool:
        """Return whether this is a block, and not a base class that serves to define blocks."""
        return bool(vars(cls).get("_is_concrete"))

    @classmethod
    @abstractmethod
    def _make_model(cls) -> Model:
        """Return the model of a concrete block of equations; kernels and scripts have theirs from their definition."""

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
    def _define(cls) -> None:
        """Make the class a block: collect the declarations of it and its bases, and check each of them alone."""
        if not _CLASS_NAME.fullmatch(cls.__name__):
            raise DefinitionError(
                f"class {cls.__name__}: a block's name becomes a C name; use plain letters and digits with single "
                "underscores between, first a letter"
            )
        for old, new in MEMBERS.items():
            values = (vars(base).get(old) for base in cls.__mro__)
            if any(value is not None and not isinstance(value, Variable) for value in values):
                raise DefinitionError(f"{cls.__name__}.{old}: this is '{new}' now; rename it")
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
        cls._ports = [v.port(cls.__name__, cls.is_sampled) for v in variables.values()]
        cls._is_concrete = True

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
