"""Numbers in JSON files of others: JSON does not limit them, floats are limited."""

from typing import Any


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
