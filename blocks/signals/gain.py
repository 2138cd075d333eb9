"""A gain."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter


class Gain(Continuous):
    """A gain: y = K u, with direct feedthrough."""

    u = Input("1", "input signal")
    gain = Parameter(1.0, "1", "K, gain", tunable=True)
    y = Output("1", "K u")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.gain * self.u}
