"""Second-order lag."""

from typing import Any

from drawbar.blocks import Continuous, Input, Parameter, State


class SecondOrderLag(Continuous):
    """A second-order lag: G(s) = K w^2 / (s^2 + 2 d w s + w^2), as d2y/dt2 = w^2 (K u - y) - 2 d w dy/dt.

    A damping ratio of 1 is the fastest without overshoot; below it the lag oscillates, and at 0 it never settles. The
    output does not jump with the input. Valid for frequencies that are low against the micro-step (RK4 is stable for w
    step < 2.6).
    """

    u = Input("1", "input signal")
    gain = Parameter(1.0, "1", "K, steady-state gain", tunable=True)
    frequency = Parameter(10.0, "rad/s", "w, undamped natural frequency", min=1e-9, tunable=True)
    damping = Parameter(1.0, "1", "d, damping ratio", min=0.0, tunable=True)
    y = State(0.0, "1", "delayed signal", output=True)
    slope = State(0.0, "1/s", "dy/dt, rate of the delayed signal")

    def derivatives(self) -> dict[str, Any]:
        pull = self.frequency * (self.gain * self.u - self.y)
        return {"y": self.slope, "slope": self.frequency * (pull - 2.0 * self.damping * self.slope)}
