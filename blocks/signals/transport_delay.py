"""A delay of several samples."""

from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, State, if_else, vertcat


class TransportDelay(Sampled, period=0.01):
    """A delay of a whole number n of samples, T = 0.01 s: y_k = u_(k-n), with 0 <= n <= 100.

    Before the first input arrives, the output is the start value of `past`. A longer delay needs a subclass that
    declares `past` and the maximum of `samples` anew; another period needs `class Slow(TransportDelay, period=0.1)`. On
    a diagram the output of any sampled part is available to others one period T later; the delay of this block is added
    to this.
    """

    u = Input("1", "input signal")
    samples = Parameter(10, "1", "n, delay in samples", min=0, max=100, type=int)
    past = State(0.0, "1", "inputs of the previous samples, newest first", size=100)
    y = Output("1", "input signal n samples ago")

    def outputs(self) -> dict[str, Any]:
        delayed = self.u
        for n in range(1, self.past.shape[0] + 1):
            delayed = if_else(self.samples == n, self.past[n - 1], delayed)
        return {"y": delayed}

    def update(self) -> dict[str, Any]:
        return {"past": vertcat(self.u, self.past[:-1])}
