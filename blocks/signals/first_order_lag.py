"""First-order lag."""

from typing import Any

from drawbar.blocks import Continuous, Input, Parameter, State


class FirstOrderLag(Continuous):
    """A first-order lag: T dy/dt = K u - y.

    The step response is y = K u (1 - exp(-t/T)). Valid for time constants that are long against the micro-step
    (RK4 is stable for step < 2.78 T).
    """

    u = Input("1", "input signal")
    gain = Parameter(1.0, "1", "K, steady-state gain", tunable=True)
    time_constant = Parameter(0.1, "s", "T, time constant: time to reach 63 % of a step", min=1e-9)
    y = State(0.0, "1", "delayed signal", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": (self.gain * self.u - self.y) / self.time_constant}
