"""Scripts in this process: when their samples fall, and what cannot be made of them."""

from typing import Any

import pytest

from drawbar.blocks import BuildError, Output, Script
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.script import ScriptInstance
from drawbar.fmus.export.package import build, compile_block


class Plain(Script, period=0.1):
    """At the top of this file, which is a module that others can import."""

    y = Output("1", "nothing")

    def step(self, t: float, dt: float) -> None:
        self.y = 1.0


def test_a_script_inside_a_function_cannot_be_exported() -> None:
    class Inside(Plain):
        """Nobody can import it."""

    with pytest.raises(BuildError, match="Inside: an FMU needs a script at the top of a module, not inside"):
        build(Inside)


def test_a_script_is_not_compiled() -> None:
    with pytest.raises(BuildError, match="Plain is a script; it runs as Python and cannot be compiled"):
        compile_block(Plain)
    with pytest.raises(BuildError, match="part 'a': Plain is a script; it runs as the Python it is, not interpreted"):
        InterpretedInstance(Plain, "a")


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
