"""A block with all that model exchange tells of; loaded with `runpy`."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, State, sqrt


class Plant(Continuous):
    """Two states, one of them an array, and inputs of two types."""

    u = Input("1", "signal", start=2.0)
    gear = Input("1", "whole number", type=int, start=3)
    size = Parameter(2.0, "1", "fixed")
    k = Parameter(0.5, "1", "tunable", tunable=True)
    x = State([1.0, 4.0], "m/s", "states", size=2, output=True, nominal=-100.0)
    w = State(9.0, "N/m", "state")
    y = Output("1", "of all")

    def derivatives(self) -> dict[str, Any]:
        return {"x": [self.u * self.k, -self.x[0] * self.gear], "w": sqrt(self.w) * self.time}

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u + self.x[0] + 10.0 * self.w + 100.0 * self.time}
