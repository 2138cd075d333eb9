"""A linear system in state space."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, State, mtimes


class StateSpace(Continuous):
    """A linear system: dx/dt = A x + B u, y = C x + D u, with two states, one input and one output.

    Sizes are fixed in a class definition: a system of another size needs a subclass that declares A, B, C, D, u, x and
    y anew (`size=(3, 3)`); the equations hold for all sizes. The input counts as direct feedthrough for any D. Valid
    for eigenvalues p of A with |p| step < 2.6 (RK4, micro-step 1 ms).
    """

    u = Input("1", "input")
    A = Parameter([[0.0, 1.0], [-1.0, -2.0]], "1", "A, system matrix", size=(2, 2), tunable=True)
    B = Parameter([0.0, 1.0], "1", "B, input matrix", size=2, tunable=True)
    C = Parameter([[1.0, 0.0]], "1", "C, output matrix", size=(1, 2), tunable=True)
    D = Parameter(0.0, "1", "D, feedthrough", tunable=True)
    x = State(0.0, "1", "states", size=2)
    y = Output("1", "output")

    def derivatives(self) -> dict[str, Any]:
        return {"x": mtimes(self.A, self.x) + mtimes(self.B, self.u)}

    def outputs(self) -> dict[str, Any]:
        return {"y": mtimes(self.C, self.x) + mtimes(self.D, self.u)}
