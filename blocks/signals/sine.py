"""A sine."""

from math import pi
from typing import Any

from drawbar.blocks import Continuous, Output, Parameter, sin


class Sine(Continuous):
    """A sine in time: y = offset + A sin(2 pi f t + phase).

    Other parts receive it at communication points, so a cycle should have several of them.
    """

    offset = Parameter(0.0, "1", "mean value", tunable=True)
    amplitude = Parameter(1.0, "1", "A, amplitude", tunable=True)
    frequency = Parameter(1.0, "Hz", "f, frequency", min=0.0)
    phase = Parameter(0.0, "rad", "phase angle at t = 0")
    y = Output("1", "signal")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.offset + self.amplitude * sin(2.0 * pi * self.frequency * self.time + self.phase)}
