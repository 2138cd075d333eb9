"""Speed control."""

from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, State, fmax, fmin


class SpeedControl(Sampled, period=0.01):
    """Proportional-integral control of the forward speed, with back-calculation against windup.

    With the error e = target - u, the period T and the integral I in m/s2::

        a = K e + I        acceleration = a, limited to lower_limit and upper_limit
        I+ = I + T (K e / T_i + (acceleration - a) / T_t)

    At a limit the integral is reduced with the tracking time T_t, so the control leaves the limit without delay.
    Forward is positive. Valid where the vehicle follows `acceleration` fast against T_i.

    Source: Astrom and Hagglund, Advanced PID Control (2006), chapter 3.
    """

    setpoints = {"target": "u"}

    target = Input("m/s", "desired forward speed", start=10.0)
    u = Input("m/s", "forward speed")

    gain = Parameter(1.0, "1/s", "K, acceleration per speed error", min=0.0, tunable=True)
    integral_time = Parameter(4.0, "s", "T_i, integral time", min=1e-3)
    tracking_time = Parameter(1.0, "s", "T_t, tracking time of the anti-windup", min=0.01)
    upper_limit = Parameter(3.0, "m/s2", "upper limit of the acceleration", min=0.0)
    lower_limit = Parameter(-4.0, "m/s2", "lower limit of the acceleration", max=0.0)

    integral = State(0.0, "m/s2", "I, integral part of the acceleration")

    acceleration = Output("m/s2", "desired rate of change of the forward speed")

    def unlimited(self) -> Any:
        """Return the acceleration before the limits."""
        return self.gain * (self.target - self.u) + self.integral

    def limited(self) -> Any:
        """Return the acceleration within the limits."""
        return fmax(fmin(self.unlimited(), self.upper_limit), self.lower_limit)

    def outputs(self) -> dict[str, Any]:
        return {"acceleration": self.limited()}

    def update(self) -> dict[str, Any]:
        error = self.target - self.u
        back_calculation = (self.limited() - self.unlimited()) / self.tracking_time
        return {"integral": self.integral + self.period * (self.gain * error / self.integral_time + back_calculation)}
