"""A delay of one sample."""

from typing import Any

from drawbar.blocks import Input, Output, Sampled, State


class UnitDelay(Sampled, period=0.01):
    """A delay of one sample, T = 0.01 s: y_k = u_(k-1), and y_0 is the start value of `last`.

    On a diagram the output of any sampled part is available to others one period T later; this delay is added.
    """

    u = Input("1", "input signal")
    last = State(0.0, "1", "input of the previous sample")
    y = Output("1", "input signal one sample ago")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.last}

    def update(self) -> dict[str, Any]:
        return {"last": self.u}
