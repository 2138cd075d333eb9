"""A signal given by a table over time."""

from typing import Any

from drawbar.blocks import Continuous, Output, Parameter, fmax, fmin, if_else
from drawbar.blocks.signals.step import TIME_TOLERANCE, reached


class TimeTable(Continuous):
    """A signal through the points of a table, linear between them or holding each until the next.

    Before the first point it has the first value, after the last point the last one. Two points at one time are a
    jump, which is complete at that time. A table of fewer points repeats its last point; one of more points needs a
    subclass that declares `times` and `values` with another size. Valid for times that do not decrease. A signal from a
    file is fed into a run by `drawbar run --input`.
    """

    times = Parameter([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], "s", "times of the points", size=8)
    values = Parameter(0.0, "1", "values at the points", size=8, tunable=True)
    linear = Parameter(True, "1", "linear interpolation between points; if false, the last value is held", type=bool)
    y = Output("1", "signal")

    def outputs(self) -> dict[str, Any]:
        y, last = self.values[0], self.times.shape[0] - 1
        for i in range(last + 1):
            value = self.values[i]
            if i < last:
                span = fmax(self.times[i + 1] - self.times[i], TIME_TOLERANCE)
                part = fmin(fmax((self.time - self.times[i]) / span, 0.0), 1.0)
                value = value + if_else(self.linear, (self.values[i + 1] - value) * part, 0.0)
            y = if_else(reached(self.time, self.times[i]), value, y)
        return {"y": y}
