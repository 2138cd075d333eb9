"""A block with variables of all kinds; loaded with `runpy`."""

from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, State


class AllKinds(Sampled, period="1/30"):
    """Every type in every causality, with <special> & "quoted" text."""

    a = Input("N.m", "real", size=3, min=-10.0, max=10.0)
    b = Input("1", "whole", type=int, start=2)
    c = Input("1", "yes or no", type=bool)
    p = Parameter([[1.0, 2.0], [3.0, 4.0]], "deg", "matrix", size=(2, 2))
    q = Parameter(3, "1", "whole <&>", type=int, tunable=True)
    r = Parameter(True, "1", "flag", type=bool)
    s = State([0.0, 1.0], "degC", "memory", size=2)
    x = Output("km/h", "real", size=2)
    y = Output("1", "whole", type=int)
    z = Output("1", "flag", type=bool)

    def outputs(self) -> dict[str, Any]:
        return {"x": self.s * self.a[0], "y": self.b + self.q, "z": self.c}

    def update(self) -> dict[str, Any]:
        return {"s": self.s + self.a[1:] + self.p[0, :].T}
