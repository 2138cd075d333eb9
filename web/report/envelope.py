"""Fewer points that draw the same picture: the smallest and largest sample of each bin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def envelope(
    time: NDArray[np.float64], columns: dict[str, NDArray[np.float64]], bins: int
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Two points a bin for every column on one shared time column, besides the first and the last sample.

    Bins hold equally many samples (the last one what is left), so any times will do. Each bin gives its minimum and
    maximum exactly, in the order in which they occurred, at the times where the bin starts and ends: a spike of one
    sample stays, at most one bin away from its place. Samples that are NaN are passed over; a bin with nothing else is
    NaN. Without effect if the samples are no more than the points would be.
    """
    count = len(time)
    if bins < 1:
        raise ValueError(f"{bins} bins; at least one is needed")
    if count <= 2 * bins + 2:
        return time, columns
    return _binned(time, columns, -(-count // bins))


def window(
    time: NDArray[np.float64], columns: dict[str, NDArray[np.float64]], start: float, end: float, pixels: int
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """What is to be drawn from `start` to `end` on that many pixels, and half as much again on either side.

    At least one bin a pixel, see `envelope`; every sample where there are no more than two a pixel. Bins hold 2^k
    samples and begin at the same ones whatever the window is, so that a picture that is moved does not flicker.
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


def _binned(
    time: NDArray[np.float64], columns: dict[str, NDArray[np.float64]], size: int
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    count = len(time)
    starts = np.arange(0, count, size)
    ends = np.minimum(starts + size, count) - 1
    places = np.concatenate([[0], np.column_stack([starts, ends]).ravel(), [count - 1]])
    return time[places], {name: _extremes(values, starts, size) for name, values in columns.items()}


def _extremes(values: NDArray[np.float64], starts: NDArray[np.intp], size: int) -> NDArray[np.float64]:
    # the last bin is filled up with its own last sample, which changes neither extreme
    padded = np.pad(values, (0, -len(values) % size), mode="edge").reshape(-1, size)
    missing = np.isnan(padded)
    low = np.where(missing, np.inf, padded).argmin(axis=1)
    high = np.where(missing, -np.inf, padded).argmax(axis=1)
    each = np.arange(len(starts))
    pairs = np.column_stack([padded[each, np.minimum(low, high)], padded[each, np.maximum(low, high)]])
    pairs[missing.all(axis=1)] = np.nan
    return np.concatenate([values[:1], pairs.ravel(), values[-1:]])
