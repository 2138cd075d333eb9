"""Units of measure as FMI 2.0 writes them: seven SI base units and the radian.

A unit is a product of powers such as ``N.s/m`` or ``m/s2``: factors joined by ``.`` or ``*``, at most one ``/`` (all
behind it divides), an integer power behind the name, prefixes ``k c m u M G``. A value in a unit converts to SI by ``SI
value = factor * value + offset`` (FMI 2.0.4, section 2.2.2). The radian counts as a base unit, as in FMI, so an angle
does not connect to a plain ratio.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from drawbar.blocks.core.errors import DefinitionError, did_you_mean

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
STANDARD_GRAVITY = 9.80665  # m/s2, defined by the 3rd CGPM (1901)


@dataclass(frozen=True)
class Quantity:
    """The dimension of a unit (exponents in the order of ``BASE``) and its linear relation to SI."""

    exponents: tuple[int, ...]
    factor: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.factor) and self.factor != 0.0 and math.isfinite(self.offset)):
            raise DefinitionError(f"a unit with factor {self.factor} and offset {self.offset} measures nothing")

    def conversion_to(self, other: Quantity) -> tuple[float, float]:
        """Return the gain and offset that convert a value in this unit to `other`, which has the same dimension."""
        return self.factor / other.factor, (self.offset - other.offset) / other.factor

    def si_name(self) -> str:
        """Return the dimension in base units, for messages: ``kg.m/s2``."""
        parts = [(n, e) for n, e in zip(BASE, self.exponents, strict=True) if e]
        above = ".".join(n + (str(e) if e != 1 else "") for n, e in parts if e > 0)
        below = ".".join(n + (str(-e) if e != -1 else "") for n, e in parts if e < 0)
        return (above or "1") + (f"/{below}" if below else "")


def _of(factor: float = 1.0, offset: float = 0.0, **powers: int) -> Quantity:
    return Quantity(tuple(powers.get(name, 0) for name in BASE), factor, offset)


_NAMED: dict[str, Quantity] = {
    "1": _of(),
    "%": _of(0.01),
    "g": _of(1e-3, kg=1),
    "t": _of(1e3, kg=1),
    "lb": _of(0.45359237, kg=1),
    "m": _of(m=1),
    "in": _of(0.0254, m=1),
    "ft": _of(0.3048, m=1),
    "mi": _of(1609.344, m=1),
    "l": _of(1e-3, m=3),
    "s": _of(s=1),
    "min": _of(60.0, s=1),
    "h": _of(3600.0, s=1),
    "A": _of(A=1),
    "K": _of(K=1),
    "degC": _of(1.0, 273.15, K=1),
    "mol": _of(mol=1),
    "cd": _of(cd=1),
    "rad": _of(rad=1),
    "deg": _of(math.pi / 180.0, rad=1),
    "rev": _of(2.0 * math.pi, rad=1),
    "rpm": _of(math.pi / 30.0, rad=1, s=-1),
    "Hz": _of(s=-1),
    "mph": _of(0.44704, m=1, s=-1),
    "N": _of(kg=1, m=1, s=-2),
    "lbf": _of(4.4482216152605, kg=1, m=1, s=-2),
    "Pa": _of(kg=1, m=-1, s=-2),
    "bar": _of(1e5, kg=1, m=-1, s=-2),
    "J": _of(kg=1, m=2, s=-2),
    "W": _of(kg=1, m=2, s=-3),
    "V": _of(kg=1, m=2, s=-3, A=-1),
    "C": _of(A=1, s=1),
    "Ohm": _of(kg=1, m=2, s=-3, A=-2),
    "T": _of(kg=1, s=-2, A=-1),
    "g_n": _of(STANDARD_GRAVITY, m=1, s=-2),
}
_PREFIXES = {"k": 1e3, "c": 1e-2, "m": 1e-3, "u": 1e-6, "M": 1e6, "G": 1e9}
_PREFIXABLE = {"g", "m", "s", "A", "K", "N", "Pa", "J", "W", "V", "Hz", "Ohm", "l", "rad", "bar", "C"}
_FACTOR = re.compile(r"^(?P<name>[A-Za-z%_]+|1)\^?(?P<power>-?\d+)?$")


@lru_cache(maxsize=1024)
def parse_unit(text: str) -> Quantity:
    """Return the quantity of a unit such as ``N.s/m``; raise `DefinitionError` if a part is not understood."""
    above, slash, below = text.strip().partition("/")
    if not above or (slash and not below) or "/" in below:
        raise DefinitionError(f"unit '{text}' is not understood; write it as in 'N.s/m' or 'm/s2', and '1' for none")
    exponents = [0] * len(BASE)
    factor, offset, factors = 1.0, 0.0, 0
    for group, sign in ((above, 1), (below, -1)):
        for part in re.split(r"[.*]", group.strip("() ")) if group else []:
            unit, power = _factor(part, text)
            factors += 1
            for i, e in enumerate(unit.exponents):
                exponents[i] += sign * power * e
            try:
                factor *= unit.factor ** (sign * power)
            except OverflowError:
                raise DefinitionError(f"unit '{text}' is too large or too small to be a number") from None
            offset = unit.offset if power == sign == 1 else 0.0
    # degC has an offset from the kelvin only if it stands alone; in W/degC it is a temperature difference
    try:
        return Quantity(tuple(exponents), factor, offset if factors == 1 else 0.0)
    except DefinitionError:
        raise DefinitionError(f"unit '{text}' is too large or too small to be a number") from None


def _factor(part: str, text: str) -> tuple[Quantity, int]:
    match = _FACTOR.match(part.strip())
    if match is None:
        raise DefinitionError(f"unit '{text}': '{part}' is not understood; write it as in 'N.s/m' or 'm/s2'")
    if len(match["power"] or "") > 3:
        raise DefinitionError(f"unit '{text}': the power {match['power'][:9]} is out of reach")
    name, power = match["name"], int(match["power"] or 1)
    unit = _NAMED.get(name)
    if unit is None and name[0] in _PREFIXES and name[1:] in _PREFIXABLE:
        base = _NAMED[name[1:]]
        unit = Quantity(base.exponents, base.factor * _PREFIXES[name[0]])
    if unit is None:
        raise DefinitionError(f"unit '{text}': '{name}' is unknown" + did_you_mean(name, [*_NAMED, "kg"]))
    return unit, power
