"""Start values that a diagram gives to the variables of its parts: checked, flattened, converted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.variables import check_limits, check_type
from drawbar.blocks.core.errors import DefinitionError, DiagramError, did_you_mean
from drawbar.blocks.core.interface import Interface, Port, Value
from drawbar.blocks.core.units import Quantity, parse_unit

MAX_SHOWN = 12  # elements of an array that a message shows


@dataclass(frozen=True)
class BoundValue:
    """A value from a parameter set of a file; `quantity` is that of its unit, None if the unit is the variable's."""

    name: str
    value: Any
    unit: str
    quantity: Quantity | None
    where: str  # file and line
    factor: float = 1.0  # those of a mapping, applied after the conversion of units
    offset: float = 0.0
    type: str = "Real"  # the type in the parameter set


class HasVariables(Protocol):
    """What start values need to know of a part."""

    name: str
    block: type[Block] | None

    @property
    def kind(self) -> str:
        """The name of the block or FMU, for messages."""

    @property
    def interface(self) -> Interface:
        """The ports."""

    def variable(self, name: str) -> Port | None:
        """Return the variable that a start value may name."""

    def unknown(self, name: str) -> str:
        """Return the message that there is no such variable."""


def values_of(part: HasVariables, name: str, value: Any) -> dict[str, Value]:
    """Return the elements that ``name = value`` sets; ``DiagramError`` gives the reason if it does not fit."""
    port = part.variable(name)
    if port is None:
        raise DiagramError(part.unknown(name))
    where = f"{part.name}.{name}"
    if not settable(port):
        sources = sources_of(part, name, port)
        advice = f" from {sources}; set these" if sources else "; only parameters, inputs and states can be set"
        raise DiagramError(f"{where} is calculated by {part.kind}{advice}")
    if port.type == "String":
        if not isinstance(value, str):
            raise DiagramError(f"{where} = {value!r}: a String takes text")
        return dict.fromkeys(port.scalar_names(), value)
    if port.items and isinstance(value, str):
        items = dict(port.items)
        if value not in items:
            raise DiagramError(f"{where} has no value '{value}'" + did_you_mean(value, items))
        value = items[value]
    unit = f"; it is in [{port.unit}]" if isinstance(value, str) and port.unit else ""
    try:
        array = np.asarray(value)
        numbers = array.astype(float)
    except OverflowError:
        raise DiagramError(f"{where}: the number is too large") from None
    except (TypeError, ValueError):
        raise DiagramError(f"{where} = {value!r} is no number{unit}{_example(name, port)}") from None
    if array.dtype.kind == "O" and all(type(v) is int for v in array.flat):
        array = numbers  # whole numbers beyond 64 bits
    if array.dtype.kind not in "biuf":
        raise DiagramError(f"{where} = {value!r} is no number{unit}{_example(name, port)}")
    if array.dtype.kind == "b" and port.type != "Boolean":
        raise DiagramError(f"{where} = {str(value).lower()}, but it is of type {port.type}; give a number")
    if numbers.shape not in ((), port.shape):
        wanted = f"shape {port.shape}" if port.shape else "one number"
        raise DiagramError(f"{where} has shape {numbers.shape}, but the variable takes {wanted}{_example(name, port)}")
    if not numbers.shape and len(set(port.start)) > 1:  # elements that differ, as of a point, take no single number
        raise DiagramError(
            f"{where} = {value!r} is one number, but the variable takes shape {port.shape}{_example(name, port)}, or "
            f"one element: {port.scalar_names()[0]} = {value!r}"
        )
    flat = np.broadcast_to(numbers, port.shape).ravel()
    return {n: _typed(where, port, float(v)) for n, v in zip(port.scalar_names(), flat, strict=True)}


def _example(name: str, port: Port) -> str:
    """Return how the values of an array are written, with its own values as the example; empty for one element."""
    if not port.shape:
        return ""
    start = [float(f"{float(v):g}") for v in port.start or (0.0,) * port.size]
    written = str(np.reshape(start, port.shape).tolist())
    return f": write {name} = {written}" if port.size <= MAX_SHOWN else f": write {port.size} numbers in brackets"


def sources_of(part: HasVariables, name: str, port: Port) -> str:
    """Return the variables that a calculated parameter or start value follows from; empty if they are not known."""
    if port.causality == "output" and (part.block is None or port not in part.block.model().x):
        return ""  # it follows from inputs, which the user seldom sets
    scalars = [name] if name in port.scalar_names() else port.scalar_names()
    known = part.interface.initial_feedthrough
    names = list(dict.fromkeys(n for scalar in scalars for n in known.get(scalar, ())))
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")


def settable(port: Port) -> bool:
    """Return whether a diagram may give the variable a start value."""
    if port.variability == "constant" or port.causality in ("calculatedParameter", "independent"):
        return False
    return port.causality in ("parameter", "input") or port.initial in ("exact", "approx")


def _typed(where: str, port: Port, value: float) -> Value:
    try:
        check_limits(where, value, port.minimum, port.maximum, port.unit)
        check_type(where, value, port.type)
    except DefinitionError as error:
        raise DiagramError(str(error)) from None
    return value if port.type == "Real" else bool(value) if port.type == "Boolean" else int(value)


def known_quantity(unit: str) -> Quantity | None:
    """Return the meaning of a unit that no file defines, by its name alone; some tools write it as ``[m]``."""
    try:
        return parse_unit(unit[1:-1] if unit[:1] + unit[-1:] == "[]" else unit) if unit else None
    except DefinitionError:
        return None


def convert(part: HasVariables, name: str, value: Any, unit: str, quantity: Quantity | None) -> Any:
    """Return a value given in `unit` in the unit of the variable; ``DiagramError`` if the two do not agree."""
    port = part.variable(name)
    if port is None or port.type != "Real" or not unit or unit == port.unit or not port.unit:
        return value
    quantity = quantity or known_quantity(unit)
    if quantity is None or port.quantity is None or quantity.exponents != port.quantity.exponents:
        raise DiagramError(f"{part.name}.{name} is given in [{unit}], but the variable is in [{port.unit}]")
    gain, offset = quantity.conversion_to(port.quantity)
    return np.asarray(value, float) * gain + offset


def bound_values(part: HasVariables, bound: BoundValue) -> dict[str, Value]:
    """Return the elements that one entry of a parameter set sets, with their values."""
    value = convert(part, bound.name, bound.value, bound.unit, bound.quantity)
    if (bound.factor, bound.offset) != (1.0, 0.0):
        port = part.variable(bound.name)
        if port is not None and port.type != "Real":
            raise DiagramError(f"{part.name}.{bound.name} is of type {port.type}; a linear transformation needs Real")
        value = bound.factor * np.asarray(value, float) + bound.offset
    return values_of(part, bound.name, value)
