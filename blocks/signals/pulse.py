"""A train of pulses."""

from typing import Any

from drawbar.blocks import Continuous, Output, Parameter, floor, if_else
from drawbar.blocks.signals.step import TIME_TOLERANCE


class Pulse(Continuous):
    """A train of rectangular pulses: y = offset + amplitude in the first part of each cycle, offset in the rest.

    With the place in the cycle c = t / cycle + phase, less its whole part, the signal is high where c < duty; so duty 0
    is never high and duty 1 always. Other parts receive an edge at the first communication point not before it, so the
    cycle and its high part should be whole numbers of steps. Valid for t >= 0.
    """

    offset = Parameter(0.0, "1", "value between pulses", tunable=True)
    amplitude = Parameter(1.0, "1", "height of a pulse", tunable=True)
    cycle = Parameter(1.0, "s", "duration of a cycle", min=1e-6)
    duty = Parameter(0.5, "1", "duty cycle: high fraction of a cycle", min=0.0, max=1.0)
    phase = Parameter(0.0, "1", "phase at t = 0, as a fraction of a cycle", min=0.0, max=1.0)
    y = Output("1", "signal")

    def outputs(self) -> dict[str, Any]:
        cycles = (self.time + TIME_TOLERANCE) / self.cycle + self.phase
        high = cycles - floor(cycles) < self.duty
        return {"y": if_else(high, self.offset + self.amplitude, self.offset)}
