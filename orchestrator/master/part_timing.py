"""How long the steps of a part take, from some of them; `part_timing.c` is the same in C."""

from __future__ import annotations

import time
from dataclasses import dataclass

TIMED_AT_FIRST = 4  # steps that are all timed, and half of those timed in each doubling of the steps after them
TIMING_INTERVAL = 256  # most steps from one that is timed to the next


@dataclass
class PartTiming:
    """The steps that are timed, and their `seconds`; each stands for those up to the next, `covered` in all.

    The first step, whose code is not in the cache of the processor, counts only while it is the only one.
    """

    next: int = 0
    interval: int = 1
    covered: int = 0
    seconds: float = 0.0
    on: bool = False  # whether the last step was timed

    def choose(self, step: int) -> None:
        """Decide whether the step with this number, counted from 0, is timed."""
        self.on = step == self.next
        if not self.on:
            return
        if step == 1:
            self.covered, self.seconds = 0, 0.0
        if self.interval < TIMING_INTERVAL and step >= TIMED_AT_FIRST * self.interval:
            self.interval *= 2
        self.next = step + self.interval
        self.covered += self.interval

    def begin(self) -> float:
        """Return the time at which a piece of a step begins, s."""
        return time.perf_counter() if self.on else 0.0

    def end(self, began: float) -> None:
        """Add what has passed since then."""
        if self.on:
            self.seconds += self.interval * (time.perf_counter() - began)
