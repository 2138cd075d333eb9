"""The value that arrives at an input: held, extrapolated, newest or interpolated, as in `input_extrapolation.c`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from drawbar.orchestrator.planning.coupling import HOLD, INTERPOLATE, NEWEST
from drawbar.orchestrator.planning.schedule import Arrival

JUMP = 10.0  # as in master.h


@dataclass(frozen=True)
class Table:
    """Rows of the input file for each half tick from tick `first` on.

    `until` has the values before a jump at that time, `rows` those after it.
    """

    rows: NDArray[np.float64]
    until: NDArray[np.float64]
    first: int


@dataclass(frozen=True)
class Source:
    """The part that a value comes from.

    `newest` is the value after its step, if it has stepped already; `jumped` is True if an event lies in between.
    """

    every: int
    wait: int
    epoch: int
    newest: float | None
    jumped: bool

    @property
    def age(self) -> int:
        """The age of the exchanged value in ticks."""
        return self.every - self.wait if self.wait else 0


@dataclass
class Arriving:
    """An arrival, and the history of its source."""

    to: Arrival
    at: int  # in the array of inputs
    slot: int | None = None
    column: int = 0  # of the input file
    epoch: int = -1
    known: bool = False
    stamp: int = 0
    last: float = 0.0
    rate: float = 0.0
    foreseen: float = 0.0
    before: float = 0.0

    def scaled(self, value: float) -> float:
        """Return a value with the gain and offset of the connection."""
        gain, offset = self.to.gain, self.to.offset
        return value if gain == 1.0 and offset == 0.0 else gain * value + offset

    def limited(self, value: float, exchanged: float) -> float:
        """Return an extrapolated value within the limits of the input."""
        if value > self.to.high:
            return exchanged if exchanged > self.to.high else self.to.high
        if value < self.to.low:
            return exchanged if exchanged < self.to.low else self.to.low
        return value

    def foresee(self, value: float, stamp: int, epoch: int) -> float:
        """Add the source's present value to its history; return the rate to extrapolate with, 1/tick."""
        if epoch != self.epoch:
            self.epoch, self.known, self.last, self.stamp = epoch, False, value, stamp
            self.rate = self.foreseen = self.before = 0.0
        elif stamp != self.stamp:
            rate = (value - self.last) / float(stamp - self.stamp)
            earlier = abs(self.rate)
            self.foreseen = 0.0 if self.known and abs(rate) > JUMP * max(earlier, self.before) else rate
            self.before, self.rate, self.known, self.last, self.stamp = earlier, rate, True, value, stamp
        return self.foreseen

    def arriving(
        self, value: float, source: Source | None, tick: int, every: int, h: float, table: Table
    ) -> tuple[float, float]:
        """Return the input at the beginning of a step of h s that starts at `tick`, and its derivative.

        `value` is the exchanged value. `source` is None for a column of the input file.
        """
        kind = self.to.kind
        if kind == HOLD:
            return self.scaled(value), 0.0
        if source is None:
            if self.slot is None:
                return self.scaled(self._in_file(table, table.rows, tick, every)), 0.0
            start = self.scaled(value)
            return start, (self.scaled(self._in_file(table, table.until, tick, 2 * every)) - start) / h
        newest = source.newest
        if kind == NEWEST or (kind == INTERPOLATE and newest is not None and source.jumped):
            return self.scaled(newest if newest is not None and source.wait <= every else value), 0.0
        old = source.age
        if kind == INTERPOLATE and newest is not None:
            rate = (newest - value) / float(source.every)
        else:
            rate = self.foresee(value, tick - old, source.epoch)
        if self.slot is None:
            return self.limited(self.scaled(value + rate * (float(old) + 0.5 * float(every))), self.scaled(value)), 0.0
        start = self.scaled(value + rate * float(old))
        end = self.limited(self.scaled(value + rate * float(old + every)), start)
        return start, (end - start) / h

    def _in_file(self, table: Table, rows: NDArray[np.float64], tick: int, halves: int) -> float:
        """Return the value of a column of the input file, `halves` half ticks after `tick`."""
        return float(rows[2 * (tick - table.first) + halves, self.column])
