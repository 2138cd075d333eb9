"""A lookup table: linear between its points, constant outside."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import fmax, fmin

NARROW = 1e-9  # smallest distance of two points, to prevent a division by zero


def interpolate(x: Any, points: Any, values: Any) -> Any:
    """Return the linear interpolation between increasing points; the first or last value outside."""
    y = values[0]
    for i in range(points.shape[0] - 1):
        span = fmax(points[i + 1] - points[i], NARROW)
        y = y + (values[i + 1] - values[i]) * fmin(fmax((x - points[i]) / span, 0.0), 1.0)
    return y
