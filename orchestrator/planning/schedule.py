"""The static schedule of a run: what is stepped when, and which value goes where."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from drawbar.blocks.core.errors import UsageError
from drawbar.diagrams.model.scalar_connections import Wire
from drawbar.diagrams.model.stop_time import odd_stop
from drawbar.orchestrator.runs.recorder import Rate

# times are exact as long as the ticks, times the tick's numerator, are whole numbers of a double
MOST_TICKS = 2**53
# owners of the columns of the input file; those of the second kind run from row to row
COLUMN, RUNNING_COLUMN = -1, -2


@dataclass(frozen=True)
class Arrival:
    """What arrives at one input: ``gain * value + offset``, where the value follows from the source as `kind` says.

    `part` is the place of the source in `Plan.parts`, -1 for a column of the input file. A foreseen value stays within
    `low` and `high`, the limits of the input.
    """

    source: int
    part: int
    kind: int
    gain: float
    offset: float
    low: float = -math.inf
    high: float = math.inf


@dataclass(frozen=True)
class Block:
    """Values that one exchange reads: for each type where they begin in the master's array, and how many."""

    begin: tuple[int, ...]
    count: tuple[int, ...]


@dataclass(frozen=True)
class PartPlan:
    """One part: its scalars in the order of `TYPES`, and where its values lie in the master's arrays."""

    name: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]  # the connected ones; the others keep their start values
    input_counts: tuple[int, ...]
    output_begin: int
    input_begin: int
    arrivals: tuple[Arrival, ...]
    every: int
    direct: Block  # outputs that are read right after a step
    early: bool = False  # ... because a part that steps later wants what is newest
    discrete: tuple[int, ...] = ()  # values whose change makes the others jump, its own or from elsewhere
    owners: tuple[int, ...] = ()  # whose they are: a place in `Plan.parts`, or COLUMN or RUNNING_COLUMN
    counters: tuple[int, ...] = ()  # which of them may be counters, that change at every step: 1 or 0
    fresh_read: bool = False  # outputs may be read after a set, without a step between
    derivatives: tuple[int, ...] = ()  # inputs, by their place in `inputs`, that arrive with a derivative


@dataclass(frozen=True)
class Visit:
    """Outputs brought up to date after the exchange: `how` is SET_AND_READ or BY_DERIVATIVE of `coupling`."""

    part: int
    how: int
    block: Block


@dataclass(frozen=True)
class RatePlan:
    """What is recorded every so many ticks; `columns` are indices of the master's values."""

    every: int
    rate: Rate
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """The schedule of a diagram. Parts are in the order in which they are called."""

    tick: Fraction
    macro: int  # ticks to a macro step
    parts: tuple[PartPlan, ...]
    visits: tuple[Visit, ...]
    rates: tuple[RatePlan, ...]
    watch: RatePlan | None  # what a stop condition looks at; not recorded
    value_names: tuple[str, ...]
    n_inputs: int
    table: Block  # the columns of the input file among the values
    initial: tuple[tuple[Wire, ...], ...]  # sweeps of the exchange during initialization, in this order
    accuracy_notes: tuple[str, ...]  # what keeps the run first order
    order: int  # of the error in the macro step

    def ticks(self, stop: Fraction) -> int:
        """The number of ticks to `stop`; it must be a whole number of macro steps."""
        step = self.tick * self.macro
        steps = stop / step
        if stop <= 0:
            raise UsageError(f"stop time {as_text(stop)} s is not positive")
        if steps.denominator != 1:
            raise UsageError(odd_stop(stop, step))
        ticks = int(steps) * self.macro
        if ticks * self.tick.numerator >= MOST_TICKS:
            raise UsageError(
                f"stop time {as_text(stop)} s is too many steps of {float(step):g} s away to count exactly; "
                "stop earlier or take longer steps"
            )
        return ticks


def as_text(seconds: Fraction) -> str:
    """A time for people, whatever its size."""
    try:
        return f"{float(seconds):g}"
    except OverflowError:
        return f"1e{len(str(int(seconds))) - 1}"
