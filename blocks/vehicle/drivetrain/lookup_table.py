"""Lookup tables: linear between their points."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from drawbar.blocks import fmax, fmin

MIN_SPAN = 1e-9  # smallest distance of two points, to prevent a division by zero


def interpolate(x: Any, points: Any, values: Any) -> Any:
    """Return the linear interpolation between increasing points, constant outside; values may be symbols."""
    y = values[0]
    for i in range(points.shape[0] - 1):
        span = fmax(points[i + 1] - points[i], MIN_SPAN)
        y = y + (values[i + 1] - values[i]) * fmin(fmax((x - points[i]) / span, 0.0), 1.0)
    return y


def value_at(points: list[list[float]], x: float) -> float:
    """Return the value of a table of (x, y) points at a number within it."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    raise ValueError(f"{x} lies outside the table, {points[0][0]} to {points[-1][0]}")
