"""Samples of a script fall due whatever the steps are."""

from typing import Any

from drawbar.blocks import Output, Script
from drawbar.fmus.backends.script import ScriptInstance


def test_samples_fall_due_whatever_the_steps_are() -> None:
    class Clock(Script, period="1/30"):
        """Notes when it acted."""

        count = Output("1", "samples", type=int)
        stamp = Output("s", "time of the sample")
        times: list[float] = []

        def step(self, t: float, dt: float) -> None:
            self.times.append(t)
            self.count, self.stamp = len(self.times), t

    def acted(h: float, steps: int, begin: float = 0.0) -> list[Any]:
        instance = ScriptInstance(Clock, "clock")
        instance.initialize(begin, {})
        instance.start()
        step = instance.stepper()
        for k in range(steps):
            assert step(begin + k * h, h * (1.0 + 1e-12 * (-1) ** k)) == 0
        return instance._sampler._script.times

    exact = [k / 30 for k in range(31)]
    for h, steps in [(1 / 30, 30), (1 / 300, 300), (0.1, 10), (0.25, 4), (1.0, 1)]:
        assert acted(h, steps)[:30] == exact[:30], h
    assert acted(0.07, 3) == exact[:7]
    assert acted(1 / 30, 3, begin=2.0)[:3] == [2.0, 2.0 + 1 / 30, 2.0 + 2 / 30]
