"""The words with which a block declares its variables.

Each is a class attribute whose unit and meaning are compulsory and positional::

    road = Input("m", "height of the wheel centre")
    mass = Parameter(380.0, "kg", "sprung mass", min=1.0)

While a block is traced, ``self.mass`` is a CasADi symbol; on the class, ``Block.mass`` is the declaration.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.core.interface import Port, Value
from drawbar.blocks.core.numbers import INTEGERS, are_integers, limits_text
from drawbar.blocks.core.units import parse_unit

_NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_]*$")
# names that break an importer: keywords of Modelica, C and MATLAB, and the independent variable
RESERVED = frozenset(
    [
        "time",
        "der",
        "initial",
        "model",
        "block",
        "connector",
        "equation",
        "algorithm",
        "parameter",
        "input",
        "output",
        "end",
        "when",
        "annotation",
        "auto",
        "char",
        "const",
        "default",
        "do",
        "double",
        "enum",
        "extern",
        "float",
        "goto",
        "int",
        "long",
        "register",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "function",
        "otherwise",
        "persistent",
    ]
)
MAX_NAME_LENGTH = 55  # Simulink refuses longer parameter names
MAX_SCALARS = 100_000  # in one variable
_FMI_TYPES = {float: "Real", int: "Integer", bool: "Boolean"}


class Variable:
    """A declared variable; its subclasses are the words that a block uses."""

    causality = "local"

    def __init__(
        self,
        unit: str,
        description: str,
        *,
        start: ArrayLike | None = None,
        min: float | None = None,
        max: float | None = None,
        nominal: float | None = None,
        size: int | Sequence[int] | None = None,
        type: type[float] | type[int] | type[bool] = float,
    ) -> None:
        if not isinstance(unit, str) or not isinstance(description, str):
            raise DefinitionError(
                f"{self.__class__.__name__}({unit!r}, {description!r}): give a unit and a meaning, in this order, "
                'both as text; the unit of a plain number is "1"'
            )
        self.unit = unit
        self.description = description
        self.start = start
        self.minimum = min
        self.maximum = max
        self.nominal = nominal
        self.type = type
        self.shape = _dimensions(size)
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, block: Any, owner: type | None = None) -> Any:
        if block is None:
            return self
        return block._symbol(self.name)

    def __set__(self, block: Any, value: Any) -> None:
        block._assign(self.name, value)

    @property
    def initial(self) -> str | None:
        """The FMI attribute of the same name."""
        return None if self.causality == "input" else "calculated"

    def variability(self, sampled: bool) -> str:
        """Return the FMI attribute of the same name; `sampled` is true for a sampled block."""
        return "continuous" if self.type is float and (not sampled or self.causality == "input") else "discrete"

    def port(self, block: str, sampled: bool) -> Port:
        """Return the declaration as a port; raise `DefinitionError` if it is wrong."""
        where = f"{block}.{self.name}"
        base = self.name.rpartition(".")[2]
        if not _NAME.match(base) or base in RESERVED or keyword.iskeyword(base):
            raise DefinitionError(f"{where}: '{base}' cannot be a name in every importing tool; choose another")
        if len(self.name) > MAX_NAME_LENGTH:
            raise DefinitionError(f"{where}: {len(self.name)} characters; names end at {MAX_NAME_LENGTH}")
        if any(not isinstance(n, int) or isinstance(n, bool) or n < 1 for n in self.shape) or len(self.shape) > 2:
            raise DefinitionError(f"{where}: size={self.shape}; give one or two positive whole numbers")
        if math.prod(self.shape) > MAX_SCALARS:
            raise DefinitionError(
                f"{where}: size={self.shape} are {math.prod(self.shape)} scalars; at most {MAX_SCALARS} are taken, "
                "each of which is a variable of the FMU (a Kernel reads larger arrays as a Resource)"
            )
        try:
            quantity = parse_unit(self.unit)
        except DefinitionError as error:
            raise DefinitionError(f"{where}: {error}") from None
        for limit, value in (("min", self.minimum), ("max", self.maximum)):
            if value is not None and self.type is int:
                check_type(f"{where}: {limit}", float(value), "Integer")
        return Port(
            name=self.name,
            causality=self.causality,
            variability=self.variability(sampled),
            type=_FMI_TYPES[self.type],
            unit=self.unit,
            quantity=quantity,
            shape=self.shape,
            start=self._start_values(where),
            minimum=self.minimum,
            maximum=self.maximum,
            nominal=self.nominal,
            initial=self.initial,
            description=self.description,
        )

    def _start_values(self, where: str) -> tuple[Value, ...]:
        return () if self.initial == "calculated" else self.given_start(where)

    def given_start(self, where: str) -> tuple[Value, ...]:
        """Return the declared start value of each element, zero if none is declared."""
        given = np.asarray(0.0 if self.start is None else self.start, dtype=float)
        if given.shape not in ((), self.shape):
            raise DefinitionError(f"{where}: start has shape {given.shape}, the variable {self.shape}")
        values = np.broadcast_to(given, self.shape).ravel()
        for value in values:
            check_limits(where, float(value), self.minimum, self.maximum, self.unit)
            check_type(where, float(value), _FMI_TYPES[self.type])
        return tuple(self.type(v) for v in values)


def _dimensions(size: Any) -> tuple[int, ...]:
    """Return the declared shape, unchecked: `Variable.port` checks it once the variable has a name."""
    if size is None:
        return ()
    given = list(size) if isinstance(size, Sequence | np.ndarray) and not isinstance(size, str) else [size]
    return tuple(int(n) if isinstance(n, np.integer) else n for n in given)


def check_limits(where: str, value: float, minimum: float | None, maximum: float | None, unit: str = "1") -> None:
    """Raise `DefinitionError` if `value` is not finite or lies outside its limits."""
    low = -math.inf if minimum is None else minimum
    high = math.inf if maximum is None else maximum
    if not math.isfinite(value):
        raise DefinitionError(f"{where} = {value}: not a finite number")
    if low <= value <= high:
        return
    limits = limits_text(low, high, unit)
    if math.isfinite(low) and math.isfinite(high):
        raise DefinitionError(f"{where} = {value:g} lies outside its limits {limits}")
    raise DefinitionError(f"{where} = {value:g} is too {'small' if value < low else 'large'}; it must be {limits}")


def check_type(where: str, value: float, type: str) -> None:
    """Raise `DefinitionError` if a variable of an FMI type cannot hold the value."""
    if type == "Integer" and value.is_integer() and not are_integers(value):
        raise DefinitionError(f"{where} = {value:.15g} is beyond {INTEGERS}")
    if (type == "Integer" and not value.is_integer()) or (type == "Boolean" and value not in (0.0, 1.0)):
        raise DefinitionError(f"{where} = {value:g}, but it is of type {type}")


class Input(Variable):
    """A value that the block receives; `start` is its value while nothing is connected."""

    causality = "input"


class Output(Variable):
    """A value that the block provides; ``outputs()`` returns it."""

    causality = "output"


class Local(Variable):
    """An intermediate value that can be recorded but not connected; ``outputs()`` returns it."""


class Parameter(Variable):
    """A constant of a run; with ``tunable=True`` it may change during the run."""

    causality = "parameter"
    initial = "exact"

    def __init__(self, start: ArrayLike, unit: str, description: str, *, tunable: bool = False, **limits: Any) -> None:
        super().__init__(unit, description, start=start, **limits)
        self.tunable = tunable

    def variability(self, sampled: bool) -> str:
        """Return tunable or fixed."""
        return "tunable" if self.tunable else "fixed"


class Derived(Variable):
    """A constant of a run that is calculated from parameters; ``derived()`` returns it, and equations read it."""

    causality = "calculatedParameter"

    def __init__(self, unit: str, description: str, **limits: Any) -> None:
        super().__init__(unit, description, **limits)
        if self.start is not None:
            raise DefinitionError("a Derived has no start value; derived() gives it")

    def variability(self, sampled: bool) -> str:
        """Return fixed; tracing changes it if the variable depends on a tunable parameter."""
        return "fixed"


class State(Variable):
    """The memory of the block; ``derivatives()`` or ``update()`` returns how it changes.

    With ``output=True`` a continuous state is also an output port, under the same name. With ``solve=True`` its start
    value is a first guess, and ``residuals()`` determines the value at the start. A state that ``initial()`` returns
    does not use its start value.
    """

    initial = "exact"

    def __init__(
        self,
        start: ArrayLike,
        unit: str,
        description: str,
        *,
        output: bool = False,
        solve: bool = False,
        **limits: Any,
    ) -> None:
        super().__init__(unit, description, start=start, **limits)
        self.output = output
        if output:
            self.causality = "output"
        if solve and self.type is not float:
            raise DefinitionError(f'State({start!r}, "{unit}", ...): only real numbers are solved for; leave out solve')
        if solve:
            self.initial = "approx"


def check_names(
    block: str,
    method: str,
    given: dict[str, Any],
    wanted: list[str],
    declared: list[str],
    *,
    all_of_them: bool = True,
) -> None:
    """Compare the names that a method returned with those that it must, or may, return.

    Raise `DefinitionError` with the nearest variable for a wrong name, and with the first missing one.
    """
    for name in given:
        if name not in declared:
            raise DefinitionError(
                f"{block}.{method}() sets '{name}', which is not declared" + did_you_mean(name, declared)
            )
        if name not in wanted:
            raise DefinitionError(
                f"{block}.{method}() sets '{name}', which is not its to set" + did_you_mean(name, wanted)
            )
    missing = [name for name in wanted if name not in given and all_of_them]
    if missing:
        raise DefinitionError(f"{block}.{method}() does not return '{missing[0]}'" + ("" if given else "; it is empty"))
