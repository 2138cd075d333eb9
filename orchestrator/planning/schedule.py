"""The static schedule of a run: which part steps when, and where each value goes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from drawbar.blocks.core.errors import UsageError
from drawbar.diagrams.model.master_settings import stop_time_message
from drawbar.diagrams.model.scalar_connections import ScalarConnection
from drawbar.orchestrator.runs.recorder import Rate

# times are exact as long as the number of ticks, times the numerator of the tick, is a whole number in a double
MAX_TICKS = 2**53
# owners of the columns of the input file: held until the next row, or linear between rows
HELD_COLUMN, LINEAR_COLUMN = -1, -2
# owner of the counters of delayed events
DELAYED = -3


@dataclass(frozen=True)
class InputConnection:
    """The connection to one input, which receives ``gain * value + offset``.

    `kind` says how the value follows from that of the source: one of HOLD to INTERPOLATE of `coupling`.

    `part` is the index of the source in `Plan.parts`, -1 for a column of the input file. An extrapolated value stays
    within `low` and `high`, the limits of the input.
    """

    source: int
    part: int
    kind: int
    gain: float
    offset: float
    low: float = -math.inf
    high: float = math.inf


@dataclass(frozen=True)
class ValueRange:
    """The values of one read: for each type the first index in the master's array, and the number of values."""

    begin: tuple[int, ...]
    count: tuple[int, ...]


@dataclass(frozen=True)
class EventPlan:
    """Values whose change marks an event, by their index in the master's array.

    An owner is an index in `Plan.parts`, or one of HELD_COLUMN, LINEAR_COLUMN and DELAYED. `may_be_counter` is 1 for
    each of the values that may count steps, else 0.
    """

    values: tuple[int, ...] = ()
    owners: tuple[int, ...] = ()
    may_be_counter: tuple[int, ...] = ()


@dataclass(frozen=True)
class DelayedEvent:
    """Events that the outputs of a part show only after its next step, and again when extrapolation resumes.

    The master counts them in its array at `value`, where they mark events of the parts that see these outputs.
    `at_start` is True if the first step may be such an event.
    """

    part: int
    value: int
    events: EventPlan
    at_start: bool


@dataclass(frozen=True)
class PartPlan:
    """One part: its scalars in the order of `TYPES`, and the indices of its values in the master's arrays."""

    name: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]  # the connected ones; the others keep their start values
    input_counts: tuple[int, ...]
    output_begin: int
    input_begin: int
    connections: tuple[InputConnection, ...]
    period_ticks: int
    after_step: ValueRange  # outputs that are read right after a step
    read_early: bool = False  # they are read because a part that steps later uses the newest values
    events: EventPlan = EventPlan()  # values of any part
    fresh_read: bool = False  # outputs may be read after inputs are set, without a step in between
    derivatives: tuple[int, ...] = ()  # indices in `inputs` of those that are set with a derivative


@dataclass(frozen=True)
class FreshRead:
    """Outputs that are updated after the exchange; `method` is SET_AND_READ or BY_DERIVATIVE of `coupling`."""

    part: int
    method: int
    block: ValueRange


@dataclass(frozen=True)
class RatePlan:
    """The values recorded every `period_ticks` ticks; `columns` are indices into the master's values."""

    period_ticks: int
    rate: Rate
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """The schedule of a diagram; parts are in the order in which they step."""

    tick: Fraction
    macro_ticks: int  # ticks to a macro step
    parts: tuple[PartPlan, ...]
    fresh_reads: tuple[FreshRead, ...]
    delayed_events: tuple[DelayedEvent, ...]  # each behind those that it depends on
    rates: tuple[RatePlan, ...]
    watch: RatePlan | None  # the values that a stop condition uses; not recorded
    value_names: tuple[str, ...]
    n_inputs: int
    table: ValueRange  # the columns of the input file among the values
    initial: tuple[tuple[ScalarConnection, ...], ...]  # sweeps of the exchange during initialization, in this order
    accuracy_notes: tuple[str, ...]  # why the run is first order
    order: int  # of the error in the macro step

    def ticks(self, stop: Fraction) -> int:
        """Return the number of ticks to `stop`, which must be a whole number of macro steps."""
        step = self.tick * self.macro_ticks
        steps = stop / step
        if stop <= 0:
            raise UsageError(f"stop time {as_text(stop)} s is not positive")
        if steps.denominator != 1:
            raise UsageError(stop_time_message(stop, step))
        ticks = int(steps) * self.macro_ticks
        if ticks * self.tick.numerator >= MAX_TICKS:
            raise UsageError(
                f"stop time {as_text(stop)} s is too many steps of {float(step):g} s away to count exactly; "
                "stop earlier or take longer steps"
            )
        return ticks


def as_text(seconds: Fraction) -> str:
    """Return a time as text, however large it is."""
    try:
        return f"{float(seconds):g}"
    except OverflowError:
        return f"1e{len(str(int(seconds))) - 1}"
