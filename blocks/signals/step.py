"""A step in time, and the tolerance of instants for all sources."""

from typing import Any

from drawbar.blocks import Continuous, Output, Parameter, if_else

TIME_TOLERANCE = 1e-9  # s, far below any step and far above the rounding of times below 1e6 s


def reached(time: Any, instant: Any) -> Any:
    """Return whether `time` is at or past `instant`, with a tolerance of a nanosecond.

    The time of an importer is a rounded sum of steps: without the tolerance, 0.7 + 0.1 < 0.8 would delay a step.
    """
    return time >= instant - TIME_TOLERANCE


class Step(Continuous):
    """A step in time: y = offset before the instant `at`, offset + height from then on.

    The step is complete at the instant itself. Other parts receive it at the first communication point not before it.
    """

    offset = Parameter(0.0, "1", "value before the step", tunable=True)
    height = Parameter(1.0, "1", "height of the step", tunable=True)
    at = Parameter(0.0, "s", "time of the step")
    y = Output("1", "signal")

    def outputs(self) -> dict[str, Any]:
        return {"y": if_else(reached(self.time, self.at), self.offset + self.height, self.offset)}
