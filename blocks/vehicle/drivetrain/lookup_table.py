"""A law given by points: linear between them, constant beyond."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import fmax, fmin

NARROW = 1e-9  # the least distance of two points, so that none is divided by zero


def interpolate(x: Any, points: Any, values: Any) -> Any:
    """Linear between the points, which rise; the first value before them and the last one after."""
    y = values[0]
    for i in range(points.shape[0] - 1):
        span = fmax(points[i + 1] - points[i], NARROW)
        y = y + (values[i + 1] - values[i]) * fmin(fmax((x - points[i]) / span, 0.0), 1.0)
    return y
