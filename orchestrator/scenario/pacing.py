"""A run paced by the wall clock, and the delay of its steps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from drawbar.blocks.core.errors import UsageError

SPIN = 0.5e-3  # s before the due time, from which the clock is polled, because a sleep may end that late
MAX_SLEEP = 60.0  # s, far below the limit of operating systems

# lateness is counted in bins whose upper edges grow by `RATIO` from `FINEST`; the last one has no upper edge
FINEST, RATIO, BINS = 1e-7, 1.02, 1300


class Pacer:
    """Holds simulated time to `pace` times real time: 1 is real time, 2 is twice as fast.

    The clock starts with the first `wait`. The due time of an instant is its simulated time over the pace, counted from
    that start and not from the previous step, so that a late step is made up for and errors do not accumulate. Raise
    `UsageError` if the pace is not finite and positive.
    """

    def __init__(
        self,
        pace: float,
        *,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not (math.isfinite(pace) and pace > 0.0):
            raise UsageError(f"pace {pace:g}: give a positive number; 1 is real time, 2 is twice as fast")
        self.pace = pace
        self._clock = clock
        self._sleep = sleep
        self._begin: float | None = None
        self._before = 0.0  # simulated time of the last wait
        self._counts = [0] * BINS
        self._steps = self._overruns = 0
        self._sum = self._most = 0.0
        self._worst: float | None = None

    def wait(self, simulated: float) -> None:
        """Return when the wall clock has reached `simulated` seconds at this pace, or at once if it already has."""
        if self._begin is None:
            self._begin = self._clock()
        due = simulated / self.pace
        while (left := due - (self._clock() - self._begin)) > 0.0:
            if left > SPIN:
                self._sleep(min(left - SPIN, MAX_SLEEP))
        self._record(simulated, -left)

    def _record(self, simulated: float, late: float) -> None:
        self._steps += 1
        self._sum += late
        if self._worst is None or late > self._most:
            self._most, self._worst = late, simulated
        if late > (simulated - self._before) / self.pace > 0.0:
            self._overruns += 1
        self._before = simulated
        index = 0 if late <= FINEST else math.ceil(math.log(late / FINEST) / math.log(RATIO))
        self._counts[min(index, BINS - 1)] += 1

    def report(self) -> dict[str, Any]:
        """Return how late the waits ended, in seconds of the wall clock.

        `overruns` is the number of waits later than one step is long; `worst_time_s` is the simulated time of the
        latest. Mean and maximum are exact. The 99th percentile comes from a histogram, whose memory does not grow with
        the run, and is up to 2 % too large; below 0.1 us it is 0.1 us or the maximum.
        """
        rank = math.ceil(0.99 * self._steps)
        index = next(i for i, count in enumerate(accumulate(self._counts)) if count >= rank)
        edge = math.inf if index == BINS - 1 else FINEST * RATIO**index
        return {
            "pace": self.pace,
            "steps": self._steps,
            "late_mean_s": self._sum / self._steps if self._steps else 0.0,
            "late_p99_s": min(edge, self._most),
            "late_max_s": self._most,
            "overruns": self._overruns,
            "worst_time_s": self._worst,
        }
