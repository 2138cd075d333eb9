"""Whether an instant of a source has come, although the time that an importer gives is a rounded sum of steps."""

from typing import Any

EARLY = 1e-9  # s: far below any step, far above the rounding of times below 1e6 s


def reached(time: Any, instant: Any) -> Any:
    """Return whether `time` is at `instant` or past it, with a tolerance of a nanosecond.

    Without the tolerance, 0.7 + 0.1 < 0.8 would cost a step.
    """
    return time >= instant - EARLY
