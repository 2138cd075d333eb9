"""An integrator with limits."""

from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, State, fmax, fmin


class LimitedIntegrator(Sampled, period=0.01):
    """An integrator that stops at its limits, sampled every T = 0.01 s (forward Euler).

    Sample k gives y_k = I_k, and then::

        I_(k+1) = I_k + T K u_k, limited to lower_limit and upper_limit

    It never exceeds a limit, and leaves it with the first input of the opposite sign. The error against the exact
    integral of a smooth input is of first order in T. Valid for lower_limit <= upper_limit; otherwise y = lower_limit.
    """

    u = Input("1", "signal to integrate")
    gain = Parameter(1.0, "1/s", "K, rate of the integral over the input", tunable=True)
    lower_limit = Parameter(-1.0, "1", "lower limit", tunable=True)
    upper_limit = Parameter(1.0, "1", "upper limit", tunable=True)
    integral = State(0.0, "1", "I, integral before the limits of this sample")
    y = Output("1", "integral within the limits")

    def within(self, value: Any) -> Any:
        """Return a value within the limits."""
        return fmax(fmin(value, self.upper_limit), self.lower_limit)

    def outputs(self) -> dict[str, Any]:
        return {"y": self.within(self.integral)}

    def update(self) -> dict[str, Any]:
        return {"integral": self.within(self.within(self.integral) + self.period * self.gain * self.u)}
