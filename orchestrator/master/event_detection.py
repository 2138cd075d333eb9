"""Events, with the rules of `event_detection.c`: where a value that marks one has changed, nothing is extrapolated."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from drawbar.orchestrator.master.input_extrapolation import Table
from drawbar.orchestrator.planning.schedule import LINEAR_COLUMN, DelayedEvent, EventPlan

COUNTER_STEPS = 3  # as in master.h
DELAYED_STEPS = 2


@dataclass
class Events:
    """Values whose change marks an event; `table_begin` is the index of the first column of the input file."""

    plan: EventPlan
    table_begin: int
    previous: list[float] = field(init=False)
    consecutive_changes: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.previous = [0.0] * len(self.plan.values)
        self.consecutive_changes = [0] * len(self.plan.values)

    def is_counter(self, j: int) -> bool:
        """Return whether value j has changed in so many steps that it marks no event."""
        return bool(self.plan.may_be_counter[j]) and self.consecutive_changes[j] >= COUNTER_STEPS

    def have_changed(self, values: NDArray[np.float64], table: Table, tick: int) -> bool:
        """Return whether a value has changed since the last call."""
        event = False
        for j, (k, owner) in enumerate(zip(self.plan.values, self.plan.owners, strict=True)):
            if owner == LINEAR_COLUMN:
                value = float(table.jumps[tick - table.first, k - self.table_begin])
            else:
                value = float(values[k])
            changed = value != self.previous[j] and tick > 0
            event |= changed and not self.is_counter(j)
            self.consecutive_changes[j] = self.consecutive_changes[j] + 1 if changed else 0
            self.previous[j] = value
        return event


@dataclass
class PendingEvent:
    """A delayed event; `pending` steps of the part, from the one that is next or under way, show one."""

    plan: DelayedEvent
    events: Events
    pending: int = field(init=False)

    def __post_init__(self) -> None:
        self.pending = DELAYED_STEPS * self.plan.at_start

    def advance(self, values: NDArray[np.float64], table: Table, tick: int) -> None:
        """Count the event that shows now, and remember one that shows after the next step of the part."""
        changed = self.events.have_changed(values, table, tick)
        if tick:  # else no step is over
            if self.pending:
                values[self.plan.value] += 1.0
                self.pending -= 1
            if changed:
                self.pending = DELAYED_STEPS
