"""What a block or an FMU shows to the outside, in one form for both.

Blocks describe themselves with these classes and so do FMUs of others, so a diagram treats the two as equals.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from fractions import Fraction

from drawbar.blocks.core.units import Quantity

LARGEST = 10**12  # of the two numbers of a period in seconds as a fraction

Value = float | int | bool | str


@dataclass(frozen=True)
class Port:
    """One variable, scalar or array, of a block or an FMU.

    `shape` is ``()`` for a scalar; `start` holds the start values in row-major order, or is empty if there are none.
    `quantity` is None where the unit of a foreign FMU has no base units: such a port compares by the unit's name.
    """

    name: str
    causality: str  # input, output, parameter, calculatedParameter, local, independent
    variability: str  # constant, fixed, tunable, discrete, continuous
    type: str = "Real"  # Real, Integer, Boolean, String
    unit: str = "1"
    quantity: Quantity | None = None
    shape: tuple[int, ...] = ()
    start: tuple[Value, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    nominal: float | None = None
    initial: str | None = None  # exact, approx, calculated
    description: str = ""
    items: tuple[tuple[str, int], ...] = ()  # the values of an FMU's enumeration by their names

    @property
    def size(self) -> int:
        """How many scalars the port has."""
        count = 1
        for n in self.shape:
            count *= n
        return count

    def scalar_names(self) -> list[str]:
        """The FMI names of the elements: 1-based, row-major (``J[1,2]``)."""
        return scalar_names(self.name, self.shape)


@dataclass(frozen=True)
class Interface:
    """All ports of a block or an FMU, with what is known of how outputs depend on inputs.

    `feedthrough` maps the scalar name of an output to the scalar inputs it depends on at a communication point; an
    output that is missing there has unknown dependencies. `initial_feedthrough` says the same during initialization.
    `period` is the unit's own period, None if it follows the diagram's step: how often a sampled block acts, or the
    fixed communication step of an FMU that takes no other.
    """

    name: str
    ports: tuple[Port, ...]
    feedthrough: dict[str, tuple[str, ...]] = field(default_factory=dict)
    initial_feedthrough: dict[str, tuple[str, ...]] = field(default_factory=dict)
    period: Fraction | None = None
    description: str = ""
    sampled: bool = False  # reads its inputs at communication points only: nothing is extrapolated into it
    integrates: bool = True  # has continuous states, or may have them: nobody knows for FMUs of others
    fresh_read: bool = False  # its outputs may be read after its inputs were set, without a step between
    interpolates: bool = False  # takes derivatives of its inputs (FMI canInterpolateInputs)
    directional: bool = False  # gives directional derivatives (FMI providesDirectionalDerivative)

    def port(self, name: str) -> Port | None:
        """The port of that name, or None."""
        return next((p for p in self.ports if p.name == name), None)

    def of(self, *causalities: str) -> list[Port]:
        """The ports with one of these causalities, in order of declaration."""
        return [p for p in self.ports if p.causality in causalities]


def scalar_names(name: str, shape: tuple[int, ...]) -> list[str]:
    """FMI structured names of an array's elements, row-major and 1-based."""
    if not shape:
        return [name]
    indices = itertools.product(*(range(1, n + 1) for n in shape))
    return [f"{name}[{','.join(map(str, index))}]" for index in indices]


def exact_period(value: float | str | Fraction) -> Fraction:
    """Turn ``0.01``, ``1/30`` or ``"1/30"`` into the rational number of seconds that is meant.

    A float is read as the simplest fraction (denominator up to one million) that rounds to it; ``ValueError`` if none
    does or the value is not positive.
    """
    try:
        exact = Fraction(value) if not isinstance(value, float) else Fraction(value).limit_denominator(1_000_000)
    except (ArithmeticError, ValueError):  # infinity, a zero denominator, a text that is no number
        raise ValueError(f"{value!r} is no number of seconds; write it as in 0.01 or '1/30'") from None
    if isinstance(value, float) and float(exact) != value:
        raise ValueError(f"{value!r} s is no simple fraction of a second; write it as a string such as '1/30'")
    if exact <= 0:
        raise ValueError(f"{value} s is not positive")
    if max(exact.numerator, exact.denominator) > LARGEST:
        raise ValueError(f"{value} s is too long, too short or too fine a fraction to count in")
    return exact
