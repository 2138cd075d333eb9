"""A step."""

from typing import Any

from drawbar.blocks import Continuous, Output, Parameter, if_else
from drawbar.blocks.signals.instants import reached


class Step(Continuous):
    """A step in time: y = offset before the instant `at`, offset + height from then on.

    At the instant itself the step is done. Others see it at the first communication point that is not before it.
    """

    offset = Parameter(0.0, "1", "value before the step", tunable=True)
    height = Parameter(1.0, "1", "height of the step", tunable=True)
    at = Parameter(0.0, "s", "time of the step")
    y = Output("1", "signal")

    def outputs(self) -> dict[str, Any]:
        return {"y": if_else(reached(self.time, self.at), self.offset + self.height, self.offset)}
