"""Saturation."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, fmax, fmin


class Saturation(Continuous):
    """A saturation: y = u, held within least and most.

    Valid for least <= most; where they are crossed, y = least.
    """

    u = Input("1", "input signal")
    lower_limit = Parameter(-1.0, "1", "lower limit", tunable=True)
    upper_limit = Parameter(1.0, "1", "upper limit", tunable=True)
    y = Output("1", "signal within the limits")

    def outputs(self) -> dict[str, Any]:
        return {"y": fmax(fmin(self.u, self.upper_limit), self.lower_limit)}
