"""A product of two signals."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output


class Product(Continuous):
    """A product of two signals: y = u_1 u_2."""

    u_1 = Input("1", "first signal")
    u_2 = Input("1", "second signal", start=1.0)
    y = Output("1", "product")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u_1 * self.u_2}
