"""Sample and hold."""

from typing import Any

from drawbar.blocks import Input, Output, Sampled, State, if_else


class SampleAndHold(Sampled, period=0.01):
    """A signal that is held while another is positive, sampled every T = 0.01 s.

    ::

        y_k = u_k where hold_k <= 0        y_k = y_(k-1) where hold_k > 0

    y_(-1) is the start value of `last`. An example is a steering wheel that is held while the brake is pressed.
    """

    u = Input("1", "input signal")
    hold = Input("1", "hold command: the signal is held while this is positive")
    last = State(0.0, "1", "y of the previous sample")
    y = Output("1", "the signal, or the held value")

    def held(self) -> Any:
        """Return the output of this sample."""
        return if_else(self.hold > 0.0, self.last, self.u)

    def outputs(self) -> dict[str, Any]:
        return {"y": self.held()}

    def update(self) -> dict[str, Any]:
        return {"last": self.held()}
