"""Ports and direct feedthrough of a block or an FMU, in one form for both.

Blocks and FMUs of any origin are described by these classes, so a diagram treats them as equals.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from drawbar.blocks.core.units import Quantity

MAX_PERIOD_TERM = 10**12  # numerator or denominator of a period in seconds

Value = float | int | bool | str


@dataclass(frozen=True)
class Port:
    """One variable, scalar or array, of a block or an FMU.

    `shape` is ``()`` for a scalar; the elements of an array are counted from `first`, which is 0 in FMUs of some tools.
    `start` holds the start values in row-major order, or is empty if there are none.
    `quantity` is None where the unit of a foreign FMU has no base units: such a port is compared by the name of its
    unit.
    """

    name: str
    causality: str  # input, output, parameter, calculatedParameter, local, independent
    variability: str  # constant, fixed, tunable, discrete, continuous
    type: str = "Real"  # Real, Integer, Boolean, String
    unit: str = "1"
    quantity: Quantity | None = None
    shape: tuple[int, ...] = ()
    first: int = 1
    start: tuple[Value, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    nominal: float | None = None
    initial: str | None = None  # exact, approx, calculated
    description: str = ""
    items: tuple[tuple[str, int], ...] = ()  # names and values of an FMU's enumeration

    @property
    def size(self) -> int:
        """The number of scalars of the port."""
        count = 1
        for n in self.shape:
            count *= n
        return count

    def scalar_names(self) -> list[str]:
        """Return the FMI names of the elements, row-major (``J[1,2]``)."""
        return scalar_names(self.name, self.shape, self.first)


@dataclass(frozen=True)
class Interface:
    """All ports of a block or an FMU, and how its outputs depend on its inputs.

    `feedthrough` maps the scalar name of an output to the scalar inputs that it depends on at a communication point;
    the dependencies of an output that is missing there are unknown. `initial_feedthrough` is the same during
    initialization. `period` is how often a sampled block acts, or the fixed communication step of an FMU that accepts
    no other; it is None if the step of the diagram applies.
    """

    name: str
    ports: tuple[Port, ...]
    feedthrough: dict[str, tuple[str, ...]] = field(default_factory=dict)
    initial_feedthrough: dict[str, tuple[str, ...]] = field(default_factory=dict)
    period: Fraction | None = None
    description: str = ""
    sampled: bool = False  # reads its inputs at communication points only: nothing is extrapolated into it
    integrates: bool = True  # has continuous states, or may have them (unknown for FMUs of others)
    fresh_read: bool = False  # its outputs may be read after its inputs are set, without a step between
    interpolates: bool = False  # accepts derivatives of its inputs (FMI canInterpolateInputs)
    directional: bool = False  # provides directional derivatives (FMI providesDirectionalDerivative)

    def port(self, name: str) -> Port | None:
        """Return the port of that name, or None."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, Port]:
        return {p.name: p for p in reversed(self.ports)}  # of two with one name the first is meant

    def of(self, *causalities: str) -> list[Port]:
        """Return the ports with one of these causalities, in order of declaration."""
        return [p for p in self.ports if p.causality in causalities]


def scalar_names(name: str, shape: tuple[int, ...], first: int = 1) -> list[str]:
    """Return the FMI structured names of an array's elements, row-major and counted from `first`."""
    if not shape:
        return [name]
    indices = itertools.product(*(range(first, first + n) for n in shape))
    return [f"{name}[{','.join(map(str, index))}]" for index in indices]


def exact_period(value: float | str | Fraction) -> Fraction:
    """Return ``0.01``, ``1/30`` or ``"1/30"`` as the rational number of seconds that is meant.

    A float is read as the simplest fraction (denominator up to one million) that rounds to it. Raise ``ValueError`` if
    there is none, if the value is not positive, or if a number of the fraction exceeds `MAX_PERIOD_TERM`.
    """
    try:
        exact = Fraction(value) if not isinstance(value, float) else Fraction(value).limit_denominator(1_000_000)
    except (ArithmeticError, ValueError):  # infinity, a zero denominator, a text that is not a number
        raise ValueError(f"{value!r} is no number of seconds; write it as in 0.01 or '1/30'") from None
    if isinstance(value, float) and float(exact) != value:
        raise ValueError(f"{value!r} s is no simple fraction of a second; write it as a string such as '1/30'")
    if exact <= 0:
        raise ValueError(f"{value} s is not positive")
    if max(exact.numerator, exact.denominator) > MAX_PERIOD_TERM:
        raise ValueError(f"{value} s is too long, too short or too fine a fraction to count in")
    return exact
