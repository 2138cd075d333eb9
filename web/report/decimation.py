"""Decimation of curves without a visible change: the minimum and maximum of each bin, in single precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def envelope(
    time: NDArray[np.float64], columns: dict[str, NDArray[np.float64]], bins: int
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Return two points per bin for every column on one common time column, and the first and the last sample.

    All bins hold equally many samples, but for the last, which holds the rest; so the times need not be uniform. Each
    bin gives its minimum and maximum exactly, in the order in which they occurred, at the times where the bin starts
    and ends: a spike of one sample is preserved, at most one bin away from its place. NaN samples are ignored; a bin
    with no other samples is NaN. The samples are returned unchanged if there are no more of them than the points would
    be.
    """
    count = len(time)
    if bins < 1:
        raise ValueError(f"{bins} bins; at least one is needed")
    if count <= 2 * bins + 2:
        return time, columns
    return _binned(time, columns, -(-count // bins))


def visible_envelope(
    time: NDArray[np.float64], columns: dict[str, NDArray[np.float64]], start: float, end: float, pixels: int
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Return the points to draw from `start` to `end` on that many pixels, with half as much again on either side.

    There is at least one bin per pixel, see `envelope`, and every sample is returned if there are no more than two per
    pixel. Bins hold 2^k samples and begin at the same samples for every window, so that a picture does not flicker when
    it is moved.
    """
    margin = 0.5 * (end - start)
    first = max(0, int(np.searchsorted(time, start - margin)) - 1)
    last = min(len(time), int(np.searchsorted(time, end + margin, side="right")) + 1)
    size = 1
    while 2 * size * max(1, pixels) * 2 <= last - first:
        size *= 2
    if size > 1:
        first = first // size * size
        last = min(len(time), -(-last // size) * size)
    part = {name: values[first:last] for name, values in columns.items()}
    return (time[first:last], part) if size < 3 else _binned(time[first:last], part, size)


def single_precision(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return values in single precision if their error is within 1e-5 of the curve's span, else unchanged."""
    finite = values[np.isfinite(values)]
    if not finite.size or np.abs(finite).max() > 1e30:
        return values
    worst = np.abs(finite - finite.astype(np.float32)).max()
    return values.astype(np.float32) if worst <= 1e-5 * np.ptp(finite) else values


def _binned(
    time: NDArray[np.float64], columns: dict[str, NDArray[np.float64]], size: int
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    count = len(time)
    starts = np.arange(0, count, size)
    ends = np.minimum(starts + size, count) - 1
    places = np.concatenate([[0], np.column_stack([starts, ends]).ravel(), [count - 1]])
    return time[places], {name: _extremes(values, starts, size) for name, values in columns.items()}


def _extremes(values: NDArray[np.float64], starts: NDArray[np.intp], size: int) -> NDArray[np.float64]:
    # the last bin is padded with its own last sample, which changes neither extreme
    padded = np.pad(values, (0, -len(values) % size), mode="edge").reshape(-1, size)
    missing = np.isnan(padded)
    low = np.where(missing, np.inf, padded).argmin(axis=1)
    high = np.where(missing, -np.inf, padded).argmax(axis=1)
    each = np.arange(len(starts))
    pairs = np.column_stack([padded[each, np.minimum(low, high)], padded[each, np.maximum(low, high)]])
    pairs[missing.all(axis=1)] = np.nan
    return np.concatenate([values[:1], pairs.ravel(), values[-1:]])
