"""Time and distance to a target speed."""

from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, State, fmax, if_else, logic_and


class PerformanceTest(Sampled, period=0.01):
    """Time and distance from a trigger to a target speed, accelerating or braking.

    The test begins with the first sample at which `trigger` is positive, and ends when the speed passes `last`, from
    above or from below::

        duration = t        distance = integral of u over t        mean = (u - u_begin)/t

    The end between two samples is found by linear interpolation; afterwards the outputs stay constant. The distance is
    integrated by the trapezoidal rule. For a stop, set `last` slightly above 0.
    """

    u = Input("m/s", "forward speed")
    trigger = Input("1", "trigger: positive from the beginning of the test on", start=1.0)

    last = Parameter(22.352, "m/s", "target speed, at which the test ends; 50 mph by default")

    begun = State(0.0, "1", "1 from the first sample of the test on")
    over = State(0.0, "1", "1 after the end of the test")
    first = State(0.0, "m/s", "speed at the beginning of the test")
    before = State(0.0, "m/s", "speed of the previous sample")
    time_taken = State(0.0, "s", "t, elapsed time")
    way = State(0.0, "m", "elapsed distance")

    duration = Output("s", "time from the trigger, until the test has ended")
    distance = Output("m", "distance from the trigger, until the test has ended")
    mean = Output("m/s2", "mean acceleration over this time")
    ended = Output("1", "whether the target speed is reached", type=bool)

    def next_states(self) -> dict[str, Any]:
        """Return the states with this sample."""
        running = logic_and(self.begun > 0.5, self.over < 0.5)
        passed = logic_and(running, (self.u - self.last) * (self.first - self.last) <= 0.0)
        change = self.u - self.before
        part = if_else(passed, (self.last - self.before) / if_else(change == 0.0, 1.0, change), 1.0)
        step = if_else(running, self.period * fmax(0.0, part), 0.0)
        triggered = logic_and(self.begun < 0.5, self.trigger > 0.0)
        until = if_else(passed, self.last, self.u)
        return {
            "begun": if_else(triggered, 1.0, self.begun),
            "over": if_else(passed, 1.0, self.over),
            "first": if_else(triggered, self.u, self.first),
            "before": if_else(self.over > 0.5, self.before, until),
            "time_taken": self.time_taken + step,
            "way": self.way + step * 0.5 * (self.before + until),
        }

    def outputs(self) -> dict[str, Any]:
        found = self.next_states()
        moving = found["time_taken"] > 0.0  # the first sample has no mean; the end may follow within less than a period
        change = if_else(moving, found["before"] - found["first"], 0.0)
        return {
            "duration": found["time_taken"],
            "distance": found["way"],
            "mean": change / if_else(moving, found["time_taken"], 1.0),
            "ended": found["over"] > 0.5,
        }

    def update(self) -> dict[str, Any]:
        return self.next_states()
