"""The value of an input at the beginning of a step, with the arithmetic of `input_extrapolation.c`.

It is held, extrapolated, the newest one or interpolated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from drawbar.orchestrator.planning.coupling import HOLD, INTERPOLATE, NEWEST
from drawbar.orchestrator.planning.schedule import InputConnection

JUMP_RATIO = 10.0  # as in master.h


@dataclass(frozen=True)
class Table:
    """Rows of the input file for each half tick from tick `first` on.

    `before_jump` has the values before a jump at that time, `rows` those after it. `jumps` has a row for each tick: how
    often each column has jumped so far.
    """

    rows: NDArray[np.float64]
    before_jump: NDArray[np.float64]
    jumps: NDArray[np.float64]
    first: int


@dataclass(frozen=True)
class Source:
    """The part that a value comes from.

    `newest` is the value after its step, if it has stepped already; `jumped` is True if an event lies in between.
    """

    period_ticks: int
    due_in: int
    epoch: int
    newest: float | None
    jumped: bool

    @property
    def age(self) -> int:
        """The age of the exchanged value in ticks."""
        return self.period_ticks - self.due_in if self.due_in else 0


@dataclass
class ConnectedInput:
    """A connected input, and the history of its source."""

    connection: InputConnection
    index: int  # in the array of inputs
    slot: int | None = None
    column: int = 0  # of the input file
    epoch: int = -1
    has_rate: bool = False
    last_tick: int = 0
    last_value: float = 0.0
    rate: float = 0.0
    used_rate: float = 0.0
    previous_rate: float = 0.0

    def scaled(self, value: float) -> float:
        """Return a value with the gain and offset of the connection."""
        gain, offset = self.connection.gain, self.connection.offset
        return value if gain == 1.0 and offset == 0.0 else gain * value + offset

    def clamped(self, value: float, exchanged: float) -> float:
        """Return an extrapolated value within the limits of the input."""
        if value > self.connection.high:
            return exchanged if exchanged > self.connection.high else self.connection.high
        if value < self.connection.low:
            return exchanged if exchanged < self.connection.low else self.connection.low
        return value

    def extrapolation_rate(self, value: float, tick: int, epoch: int) -> float:
        """Add the present value of the source to its history; return the rate to extrapolate with, 1/tick."""
        if epoch != self.epoch:
            self.epoch, self.has_rate, self.last_value, self.last_tick = epoch, False, value, tick
            self.rate = self.used_rate = self.previous_rate = 0.0
        elif tick != self.last_tick:
            rate = (value - self.last_value) / float(tick - self.last_tick)
            earlier = abs(self.rate)
            larger = max(earlier, self.previous_rate)  # near an extremum one of them is almost zero
            self.used_rate = 0.0 if self.has_rate and abs(rate) > JUMP_RATIO * larger else rate
            self.previous_rate, self.rate, self.has_rate = earlier, rate, True
            self.last_value, self.last_tick = value, tick
        return self.used_rate

    def value_at(
        self, value: float, source: Source | None, tick: int, period_ticks: int, h: float, table: Table
    ) -> tuple[float, float]:
        """Return the input at the beginning of a step of h s that starts at `tick`, and its derivative.

        `value` is the exchanged value. `source` is None for a column of the input file.
        """
        kind = self.connection.kind
        if kind == HOLD:
            return self.scaled(value), 0.0
        if source is None:
            if self.slot is None:
                return self.scaled(self._table_value(table, table.rows, tick, period_ticks)), 0.0
            start = self.scaled(value)
            return start, (self.scaled(self._table_value(table, table.before_jump, tick, 2 * period_ticks)) - start) / h
        newest = source.newest
        if kind == NEWEST or (kind == INTERPOLATE and newest is not None and source.jumped):
            return self.scaled(newest if newest is not None and source.due_in <= period_ticks else value), 0.0
        old = source.age
        if kind == INTERPOLATE and newest is not None:
            rate = (newest - value) / float(source.period_ticks)
        else:
            rate = self.extrapolation_rate(value, tick - old, source.epoch)
        if self.slot is None:
            return self.clamped(
                self.scaled(value + rate * (float(old) + 0.5 * float(period_ticks))), self.scaled(value)
            ), 0.0
        start = self.scaled(value + rate * float(old))
        end = self.clamped(self.scaled(value + rate * float(old + period_ticks)), start)
        return start, (end - start) / h

    def _table_value(self, table: Table, rows: NDArray[np.float64], tick: int, halves: int) -> float:
        """Return the value of a column of the input file, `halves` half ticks after `tick`."""
        return float(rows[2 * (tick - table.first) + halves, self.column])
