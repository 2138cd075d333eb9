"""Recorded rows that are not written yet, and the current call, in one piece of memory.

The memory may be a file that a supervising process has mapped too: if this process dies, both remain.
"""

from __future__ import annotations

import ctypes as ct
import mmap
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from drawbar.orchestrator.master.current_call import CurrentCall
from drawbar.orchestrator.planning.schedule import Plan

Shape = tuple[int, int]  # rows, columns with the time


def row_shapes(plan: Plan, capacity: int) -> list[Shape]:
    """Return the shape of the rows of each rate for `capacity` ticks.

    The last one is that of the stop condition, if there is one.
    """
    rates = [*plan.rates, *([plan.watch] if plan.watch else [])]
    return [(capacity // r.period_ticks + 2, len(r.columns) + 1) for r in rates]


def memory_size(shapes: Sequence[Shape]) -> int:
    """Return the bytes of the current call and of rows of these shapes."""
    return ct.sizeof(CurrentCall) + 8 * len(shapes) + 8 * sum(n * width for n, width in shapes)


class Rows:
    """The current call, and for each rate an array of rows with the number of complete ones."""

    def __init__(self, shapes: Sequence[Shape], memory: mmap.mmap | None = None, offset: int = 0) -> None:
        self._memory = mmap.mmap(-1, offset + memory_size(shapes)) if memory is None else memory
        self.current_call = CurrentCall.from_buffer(self._memory, offset)
        offset += ct.sizeof(CurrentCall)
        self.counts: NDArray[np.int64] = np.frombuffer(self._memory, np.int64, len(shapes), offset)
        offset += 8 * len(shapes)
        self.arrays: list[NDArray[np.float64]] = []
        for n, width in shapes:
            flat = np.frombuffer(self._memory, np.float64, n * width, offset)
            self.arrays.append(flat.reshape(n, width))
            offset += 8 * n * width

    def complete(self, rate: int) -> NDArray[np.float64]:
        """Return the complete rows of a rate (time, then its columns): a view that is valid until `clear`."""
        return self.arrays[rate][: self.counts[rate]]

    def clear(self, rate: int) -> None:
        """Discard the rows of a rate, which have been written."""
        self.counts[rate] = 0
