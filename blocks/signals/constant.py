"""A constant."""

from typing import Any

from drawbar.blocks import Continuous, Output, Parameter


class Constant(Continuous):
    """A constant: y = c, which may be changed during a run."""

    value = Parameter(0.0, "1", "c, value of the constant", tunable=True)
    y = Output("1", "the constant")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.value}
