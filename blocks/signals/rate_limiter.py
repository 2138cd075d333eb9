"""A limit on the rate of change of a signal."""

from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, State, fmax, fmin


class RateLimiter(Sampled, period=0.01):
    """A limit on the rate of change of a signal, sampled every T = 0.01 s.

    With r and f the largest rates of rise and fall, sample k gives::

        y_k = y_(k-1) + (u_k - y_(k-1), limited to -f T and r T)

    so |y_k - y_(k-1)| never exceeds its limit, and y = u exactly where u changes more slowly. y_(-1) is the start value
    of `last`; the first sample may already differ from it by one change. The block is sampled, because a continuous
    rate limit needs the derivative of its input or a fast lag in place of it.
    """

    u = Input("1", "input signal")
    rise = Parameter(1.0, "1/s", "r, largest rate of rise", min=0.0, tunable=True)
    fall = Parameter(1.0, "1/s", "f, largest rate of fall, as a positive number", min=0.0, tunable=True)
    last = State(0.0, "1", "y of the previous sample")
    y = Output("1", "rate-limited signal")

    def limited(self) -> Any:
        """Return the output of this sample."""
        lowest, highest = self.last - self.fall * self.period, self.last + self.rise * self.period
        return fmax(fmin(self.u, highest), lowest)

    def outputs(self) -> dict[str, Any]:
        return {"y": self.limited()}

    def update(self) -> dict[str, Any]:
        return {"last": self.limited()}
