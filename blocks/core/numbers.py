"""The range of numbers: floats, which JSON does not limit, and the integers of FMI 2.0, which have 32 bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

MIN_INTEGER, MAX_INTEGER = -(2**31), 2**31 - 1
INTEGERS = f"the 32-bit integers of FMI 2.0, {MIN_INTEGER} to {MAX_INTEGER}"  # for messages


def are_integers(values: Any) -> NDArray[np.bool_]:
    """Return which numbers are whole and fit into an Integer of FMI 2.0."""
    given = np.asarray(values)
    right: NDArray[np.bool_] = (given == np.rint(given)) & (given >= MIN_INTEGER) & (given <= MAX_INTEGER)
    return right


def as_float(value: Any) -> float | None:
    """Return a JSON value as a float, infinite if no float can hold it; None if it is no number (true is none)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def is_finite(value: Any) -> bool:
    """Return whether a JSON value is a number that a float can hold."""
    found = as_float(value)
    return found is not None and abs(found) < float("inf")


def limits_text(low: float, high: float, unit: str) -> str:
    """Return limits in words: ``at least 0 m``, ``0.1 to 2 m``, ``finite`` if both are infinite."""
    shown = "" if unit in ("", "1") else f" {unit}"
    if math.isfinite(low) and math.isfinite(high):
        return f"{low:g} to {high:g}{shown}"
    if math.isfinite(low):
        return f"at least {low:g}{shown}"
    return f"at most {high:g}{shown}" if math.isfinite(high) else "finite"
