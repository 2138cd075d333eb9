"""An integrator."""

from typing import Any

from drawbar.blocks import Continuous, Input, Parameter, State


class Integrator(Continuous):
    """An integrator: dy/dt = K u, from the start value of y.

    It has no limits, because a limit would be an event inside a micro-step; `LimitedIntegrator` has limits and is
    sampled.
    """

    u = Input("1", "signal to integrate")
    gain = Parameter(1.0, "1/s", "K, rate of the integral over the input", tunable=True)
    y = State(0.0, "1", "integral", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": self.gain * self.u}
