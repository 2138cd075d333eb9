"""Saturation."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, fmax, fmin


class Saturation(Continuous):
    """A saturation: y = u, limited to `lower_limit` and `upper_limit`.

    Valid for lower_limit <= upper_limit; otherwise y = lower_limit.
    """

    u = Input("1", "input signal")
    lower_limit = Parameter(-1.0, "1", "lower limit", tunable=True)
    upper_limit = Parameter(1.0, "1", "upper limit", tunable=True)
    y = Output("1", "signal within the limits")

    def outputs(self) -> dict[str, Any]:
        return {"y": fmax(fmin(self.u, self.upper_limit), self.lower_limit)}
