"""Blocks written as plain Python, which is executed at exact periods."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any, ClassVar

from drawbar.blocks.authoring.assignment import (
    PYTHON_FORMS,
    AssignmentCheck,
    assignment_checks,
    nearest_output,
    why_not_assigned,
)
from drawbar.blocks.authoring.block import METHODS_OF_EQUATIONS, summary
from drawbar.blocks.authoring.bus import BusEnd
from drawbar.blocks.authoring.model import Model
from drawbar.blocks.authoring.periodic import Periodic
from drawbar.blocks.authoring.variables import Derived, State, Variable
from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.core.interface import Interface

_HOOKS = {"step": ("self", "t", "dt"), "start": ("self",)}
_OWN = frozenset(["_model", "_ports", "period"])  # attributes that Drawbar sets on a class, beside those of `Script`


class Script(Periodic):
    """A block with ``step(self, t, dt)``, called once per `period`, and an optional ``start(self)``, called before.

    ``step`` reads inputs and parameters (``self.u``: a number, or a numpy array that must not be changed) and assigns
    outputs and locals (``self.y = ...``); an output that it does not assign keeps its value. It remembers values
    in plain attributes of the instance. It is sampled like `Sampled`: first when initialization ends, later samples due
    at t at the start of the step that begins at t, visible after that step. Until the first sample, outputs have their
    start values.
    """

    _words: ClassVar[frozenset[str]] = frozenset(_HOOKS)
    _checks: ClassVar[dict[str, AssignmentCheck]] = {}
    _known: ClassVar[set[str]] = set()

    def __init_subclass__(cls, *, abstract: bool = False, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        cls._check_methods(abstract)
        if not abstract:
            cls._define()
            cls._model = cls._declare()
            cls._checks = {p.name: check for p, check in assignment_checks(cls._model.y)}
            cls._known = {name for base in cls.__mro__ for name in vars(base)} | set(cls.variables)

    @classmethod
    def _check_methods(cls, abstract: bool) -> None:
        name = cls.__name__
        if "__init__" in vars(cls):
            raise DefinitionError(f"{name}.__init__(): a script begins in start(self), with its parameters known")
        for method in METHODS_OF_EQUATIONS:
            if inspect.isfunction(vars(cls).get(method)):
                raise DefinitionError(f"{name}.{method}(): a script has step(self, t, dt) alone, which assigns outputs")
        if not abstract and cls.step is Script.step:
            raise DefinitionError(f"{name}: a script needs step(self, t, dt)")
        for hook, words in _HOOKS.items():
            function = vars(cls).get(hook)
            if function is None or isinstance(function, Variable):
                continue  # a variable of that name is refused together with other names
            try:
                inspect.signature(function).bind(*words)
            except (TypeError, ValueError):
                raise DefinitionError(f"{name}.{hook}() is called as {hook}({', '.join(words)})") from None

    @classmethod
    def _declare(cls) -> Model:
        ports = cls._ports
        if cls._resources:
            raise DefinitionError(
                f"{cls.__name__}.{min(cls._resources)}: a script reads no Resource; read its files in start(self)"
            )
        for port in ports:
            if isinstance(cls.variables[port.name], State | Derived):
                raise DefinitionError(
                    f"{cls.__name__}.{port.name}: what a script remembers or works out are plain attributes: "
                    f"self.{port.name} = ..."
                )
        parameters = tuple(p for p in ports if p.causality == "parameter")
        inputs = tuple(p for p in ports if p.causality == "input")
        results = tuple(
            replace(p, initial="exact", start=cls.variables[p.name].given_start(f"{cls.__name__}.{p.name}"))
            for p in ports
            if p.causality in ("output", "local")
        )
        held: dict[str, tuple[str, ...]] = {n: () for p in results if p.causality == "output" for n in p.scalar_names()}
        period = cls._chosen_period()
        interface = Interface(
            name=cls.__name__,
            ports=parameters + inputs + results,
            feedthrough=held,
            initial_feedthrough=dict(held),
            period=period,
            description=summary(cls),
            sampled=True,
            integrates=False,
        )
        return Model(
            name=cls.__name__,
            interface=interface,
            p=parameters,
            u=inputs,
            x=(),
            z=(),
            y=results,
            method="euler",
            step=period,
            period=period,
            is_script=True,
        )

    def __init__(self) -> None:
        model = self.model()
        values = {p.name: PYTHON_FORMS[p.type].read(p.start, p.shape) for p in model.ports}
        self.__dict__.update(time=0.0, _values=values, **_own_attributes(type(self)))

    def start(self) -> None:
        """Prepare the memory of the script; called once, immediately before the first step."""

    def step(self, t: float, dt: float) -> None:
        """Act at time t in seconds, `dt` = `period` after the previous sample."""
        raise DefinitionError(f"{type(self).__name__} has no step(self, t, dt)")

    def _symbol(self, name: str) -> Any:
        return self._values[name]

    def _assign(self, name: str, value: Any) -> None:
        check = self._checks.get(name)
        if check is None:
            raise DefinitionError(why_not_assigned(type(self).model(), name))
        self._values[name] = check(value)

    def __setattr__(self, name: str, value: Any) -> None:
        cls = type(self)
        if name not in cls._known:
            if near := nearest_output(name, cls._checks):
                raise DefinitionError(
                    f"'{name}' is not declared; did you mean the {near}? What a script only remembers is called "
                    "otherwise, or begins with an underscore"
                )
            cls._known.add(name)
        elif name in cls.buses:
            raise DefinitionError(f"'{name}' is a bus; assign its members, as in self.{_member(cls, name)} = ...")
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        cls = type(self)
        known = [*cls.variables, *(n for n in self.__dict__ if not n.startswith("_"))]
        raise AttributeError(f"{cls.__name__} has no '{name}'" + did_you_mean(name, known))


def _member(cls: type[Script], bus: str) -> str:
    """Return a member that may be assigned, if there is one, else the first member."""
    names = [v.name for v in cls.buses[bus].variables()]
    return next((n for n in names if n in cls._checks), names[0])


def _own_attributes(cls: type[Script]) -> dict[str, Any]:
    """Return copies of the class attributes beside declarations and methods, so that no two instances share a list."""
    import copy

    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__[: cls.__mro__.index(Script)]):
        for name, value in vars(base).items():
            if name in _OWN or name.startswith("__") or hasattr(Script, name) or isinstance(value, Variable | BusEnd):
                continue
            if hasattr(value, "__get__") or inspect.isclass(value) or inspect.ismodule(value):
                continue  # methods, properties and class attributes meant to be shared
            try:
                found[name] = copy.deepcopy(value)
            except Exception:  # copying may fail in any way
                raise DefinitionError(
                    f"{cls.__name__}.{name}: a {type(value).__name__} cannot be copied for each instance; make it in "
                    "start(self)"
                ) from None
    return found
