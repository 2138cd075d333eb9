"""A sum of two signals."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter


class Sum(Continuous):
    """A sum of two signals: y = s_1 u_1 + s_2 u_2.

    With s_2 = -1 it is their difference, with other numbers a weighted sum.
    """

    u_1 = Input("1", "first signal")
    u_2 = Input("1", "second signal")
    sign_1 = Parameter(1.0, "1", "s_1, factor of the first signal: 1 adds, -1 subtracts", tunable=True)
    sign_2 = Parameter(1.0, "1", "s_2, factor of the second signal: 1 adds, -1 subtracts", tunable=True)
    y = Output("1", "sum")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.sign_1 * self.u_1 + self.sign_2 * self.u_2}
