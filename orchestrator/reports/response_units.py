"""The unit of a response: without a `factor`, values are converted from the unit of the signal to that of the response.

With a `factor` the user states the unit of the result, so nothing is converted. What is relative to the start has the
unit 1. A response `per` another one has the unit of the quotient. A signal without a unit has that of the response.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from drawbar.blocks.core.errors import DefinitionError, UsageError
from drawbar.blocks.core.units import Quantity, parse_unit
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.flatten import flatten
from drawbar.orchestrator.reports.report_file import responses_of


@dataclass(frozen=True)
class Scale:
    """The unit of a response, and how a value of its signal is converted: ``gain * value + offset``."""

    unit: str
    gain: float = 1.0
    offset: float = 0.0


def scale_of(report: Mapping[str, Any], name: str, unit_of: Callable[[str], str]) -> Scale:
    """Return the scale of a response, for signals in the units that `unit_of` gives.

    Raise `UsageError` if the unit of the signal cannot be converted to that of the response.
    """
    entries = responses_of(report)
    entry = entries[name]
    signal = str(entry["signal"])
    if "factor" in entry:
        return Scale(str(entry.get("unit", "1")), float(entry["factor"]))
    own = "1" if "relative_to" in entry else unit_of(signal)
    below = _unit(report, str(entry["per"]), unit_of) if "per" in entry else "1"
    nothing_known = not own and not (below and "per" in entry)
    if nothing_known or ("unit" not in entry and not (own and below)):
        return Scale(str(entry.get("unit", "1")))  # an FMU of another tool gives no unit, and the user states it
    unit = str(entry["unit"]) if "unit" in entry else _quotient(own, below)
    if unit == _quotient(own, below):
        return Scale(unit)
    what = f"{signal} relative to its start" if "relative_to" in entry else signal
    what += f" per '{entry['per']}'" if "per" in entry else ""
    fault = f"response '{name}': {what} is in {_quotient(own, below)}, and its 'unit' is {unit}"
    help_ = "name a unit that fits, or give the 'factor' from the one to the other"
    help_ += "; the acceleration of gravity is 'g_n'" if unit == "g" else ""
    try:
        # a side that has no unit has that of the response
        ours = _parse_quotient(own or _above(unit), below or _below(unit))
        wanted = _parse_quotient(_above(unit), _below(unit)) if "per" in entry else parse_unit(unit)
    except DefinitionError as error:
        raise UsageError(f"{fault}: {error}; {help_}") from None
    if ours.exponents != wanted.exponents:
        raise UsageError(f"{fault}, which measures something else; {help_}")
    return Scale(unit, *ours.conversion_to(wanted))


def check_units(report: Mapping[str, Any], diagram: Diagram) -> None:
    """Raise `UsageError` if a port of the diagram has a unit that cannot be converted to that of its response."""
    units: dict[str, str] = {}
    for part in flatten(diagram).parts.values():
        for port in () if part.fault else part.interface.ports:
            units |= dict.fromkeys((f"{part.name}.{name}" for name in (port.name, *port.scalar_names())), port.unit)
    entries = responses_of(report)
    for name, entry in entries.items():
        signals = {one["signal"] for one in (entry, entries.get(str(entry.get("per")), entry))}
        if signals <= units.keys():  # one that is missing is reported when the run is judged
            scale_of(report, name, units.__getitem__)


def _unit(report: Mapping[str, Any], name: str, unit_of: Callable[[str], str]) -> str:
    """Return the unit of a response that another one is divided by."""
    entry = responses_of(report)[name]
    if "unit" in entry or "factor" in entry or "relative_to" in entry:
        return str(entry.get("unit", "1"))
    return unit_of(str(entry["signal"]))


def _quotient(above: str, below: str) -> str:
    if below == "1" or above == below:
        return above if below == "1" else "1"
    return f"{above}/({below})" if "/" in below else f"{above}/{below}"


def _above(unit: str) -> str:
    """Return what stands before the last stroke of a quotient outside of brackets: ``deg`` of ``deg/(m/s2)``."""
    return unit[: _stroke(unit)] if _stroke(unit) else unit


def _below(unit: str) -> str:
    """Return what stands behind it, without brackets; ``1`` without a stroke."""
    return unit[_stroke(unit) + 1 :].strip("()") if _stroke(unit) else "1"


def _stroke(unit: str) -> int:
    return unit.index("/(") if "/(" in unit else max(unit.rfind("/"), 0)


def _parse_quotient(above: str, below: str) -> Quantity:
    if below == "1":
        return parse_unit(above)
    one, other = parse_unit(above), parse_unit(below)
    exponents = tuple(a - b for a, b in zip(one.exponents, other.exponents, strict=True))
    return Quantity(exponents, one.factor / other.factor)
