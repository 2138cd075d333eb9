"""A ramp."""

from typing import Any

from drawbar.blocks import Continuous, Output, Parameter, fmax, fmin


class Ramp(Continuous):
    """A ramp that ends: y = offset + height s, where s goes from 0 at `begin` to 1 at `begin` + `duration`.

    It is constant before and after. The slope is height / duration.
    """

    offset = Parameter(0.0, "1", "value before the ramp", tunable=True)
    height = Parameter(1.0, "1", "change of the value over the ramp", tunable=True)
    begin = Parameter(0.0, "s", "time at which the ramp begins")
    duration = Parameter(1.0, "s", "duration of the ramp", min=1e-9)
    y = Output("1", "signal")

    def outputs(self) -> dict[str, Any]:
        done = fmin(fmax((self.time - self.begin) / self.duration, 0.0), 1.0)
        return {"y": self.offset + self.height * done}
