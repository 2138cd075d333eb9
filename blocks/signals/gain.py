"""A gain."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter


class Gain(Continuous):
    """A proportional law: y = K u, without memory, so the input feeds through."""

    u = Input("1", "signal")
    gain = Parameter(1.0, "1", "K", tunable=True)
    y = Output("1", "signal times K")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.gain * self.u}
