"""A transfer function given by its coefficients."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, State


class TransferFunction(Continuous):
    """A transfer function of second order: G(s) = (b2 s^2 + b1 s + b0) / (s^2 + a1 s + a0), s in 1/s.

    In controllable canonical form::

        dx1/dt = x2        dx2/dt = u - a0 x1 - a1 x2        y = (b0 - b2 a0) x1 + (b1 - b2 a1) x2 + b2 u

    A first-order function is multiplied by s / s, so its last coefficients are 0. The input counts as direct
    feedthrough for any b2; in a loop use `SecondOrderLag`. Valid for poles p with |p| step < 2.6 (RK4, micro-step 1
    ms).
    """

    u = Input("1", "input signal")
    numerator = Parameter([0.0, 0.0, 1.0], "1", "b2, b1, b0, coefficients of the numerator", size=3, tunable=True)
    denominator = Parameter(
        [2.0, 1.0], "1", "a1, a0, coefficients of the denominator; that of s^2 is 1", size=2, tunable=True
    )
    x = State(0.0, "1", "x1 and x2, states of the canonical form", size=2)
    y = Output("1", "output signal")

    def derivatives(self) -> dict[str, Any]:
        a1, a0 = self.denominator[0], self.denominator[1]
        return {"x": [self.x[1], self.u - a0 * self.x[0] - a1 * self.x[1]]}

    def outputs(self) -> dict[str, Any]:
        a1, a0 = self.denominator[0], self.denominator[1]
        b2, b1, b0 = self.numerator[0], self.numerator[1], self.numerator[2]
        return {"y": (b0 - b2 * a0) * self.x[0] + (b1 - b2 * a1) * self.x[1] + b2 * self.u}
