"""The same law as a sampled block and as scripts, with one number and with ten."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Sampled, Script, sin, vertcat

PERIOD = 0.001


class Source(Continuous):
    """What drives them."""

    one = Output("1", "a sine")
    ten = Output("1", "the same ten times", size=10)

    def outputs(self) -> dict[str, Any]:
        return {"one": sin(self.time), "ten": vertcat(*[sin(self.time)] * 10)}


class DoubleSampled(Sampled, period=PERIOD):
    """Twice the input, compiled."""

    u = Input("1", "signal")
    y = Output("1", "twice the signal")

    def outputs(self) -> dict[str, Any]:
        return {"y": 2.0 * self.u}


class Double(Script, period=PERIOD):
    """Twice the input."""

    u = Input("1", "signal")
    y = Output("1", "twice the signal")

    def step(self, t: float, dt: float) -> None:
        self.y = 2.0 * self.u


class DoubleTen(Script, period=PERIOD):
    """Twice ten inputs, with numpy."""

    u = Input("1", "signals", size=10)
    y = Output("1", "twice the signals", size=10)

    def step(self, t: float, dt: float) -> None:
        self.y = 2.0 * self.u
