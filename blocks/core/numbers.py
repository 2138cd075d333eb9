"""Numbers in files of others, where JSON has no limits and floats have."""

from typing import Any


def as_float(value: Any) -> float | None:
    """A value from JSON as a float: none where it is no number (nor is a truth), and infinite beyond all floats."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def is_finite(value: Any) -> bool:
    """Whether a value from JSON is a number that a float can hold."""
    found = as_float(value)
    return found is not None and abs(found) < float("inf")
