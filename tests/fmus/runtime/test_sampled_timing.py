"""Samples run at exact times whatever the importer's steps are."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Input, Output, Sampled, State
from drawbar.blocks.authoring.block import Block
from drawbar.fmus.backends.instance import Instance
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance


def clock(period: Fraction) -> type[Block]:
    class Clock(Sampled, period=period):
        """Notes when and how often it acted, and what it saw."""

        u = Input("1", "signal")
        ticks = State(0.0, "1", "samples so far")
        count = Output("1", "samples before this one")
        stamp = Output("s", "time of the sample")
        seen = Output("1", "signal at the sample")

        def outputs(self) -> dict[str, Any]:
            return {"count": self.ticks, "stamp": self.time, "seen": self.u}

        def update(self) -> dict[str, Any]:
            return {"ticks": self.ticks + 1}

    return Clock


@pytest.fixture(params=["interpreted", pytest.param("native", marks=pytest.mark.compiler)])
def make(request: pytest.FixtureRequest) -> Any:
    return {"interpreted": InterpretedInstance, "native": native_instance}[request.param]


def started(instance: Instance, t: float = 0.0) -> Any:
    instance.initialize(t, {})
    instance.start()
    return instance.stepper()


def test_first_sample_runs_when_initialization_ends(make: Any) -> None:
    instance = make(clock(Fraction(1, 10)), "c")
    instance.initialize(2.0, {"u": 7.0})
    instance.start()
    assert instance.get(["count", "stamp", "seen"]) == [0.0, 2.0, 7.0]


def test_a_later_sample_runs_in_the_step_that_begins_at_it(make: Any) -> None:
    instance = make(clock(Fraction(1, 10)), "c")
    step = started(instance)
    instance.set({"u": 1.0})
    step(0.0, 0.1)
    assert instance.get(["count", "seen"]) == [0.0, 0.0], "the sample at 0.1 s belongs to the next step"
    instance.set({"u": 2.0})
    assert instance.get(["seen"]) == [0.0], "outputs hold between samples"
    step(0.1, 0.1)
    assert instance.get(["count", "stamp", "seen"]) == [1.0, pytest.approx(0.1), 2.0]


@pytest.mark.parametrize("late", [-1e-6, 1e-6])
def test_a_sample_forgives_a_millionth_of_a_step(make: Any, late: float) -> None:
    """Communication points that an importer rounds to seven digits: the sample at each runs in the step from there."""
    instance, h = make(clock(Fraction(1, 10)), "c"), 0.1
    step = started(instance)
    for k in range(20):
        begin, end = (n * h + (late * h if n % 2 else 0.0) for n in (k, k + 1))
        instance.set({"u": float(k)})
        step(begin, end - begin)
        assert instance.get(["count", "seen"]) == [float(k), float(k)]
    instance.close()


@pytest.mark.parametrize("h", [0.04, 0.01, 0.003, 0.25])
def test_counts_over_long_runs_with_jittered_steps(make: Any, h: float) -> None:
    """No sample is skipped or doubled: after steps to t, ceil(t/T) samples have run."""
    period, stop = Fraction(1, 100), 40.0
    instance = make(clock(period), "c")
    step = started(instance)
    jitter = np.random.default_rng(1).uniform(-1e-12, 1e-12, 20_000)
    t, n = 0.0, 0
    while t < stop - h / 2:
        end = (n + 1) * h + jitter[n]
        step(t, end - t)
        t, n = end, n + 1
    ran = instance.get(["count"])[0] + 1
    steps_over_period = n * Fraction(str(h)) / period
    assert ran == np.ceil(float(steps_over_period))


@pytest.mark.parametrize("h", [1e-5, 1e-4])
def test_fine_steps_do_not_delay_a_sample(make: Any, h: float) -> None:
    """A sample due at 0.1 s runs in the step that begins there, with the input set there, however short the step."""
    instance = make(clock(Fraction(1, 10)), "c")
    step = started(instance)
    due = round(0.1 / h)
    for k in range(due + 1):
        instance.set({"u": float(k)})
        step(k * h, h)
        assert instance.get(["count"]) == [float(k >= due)]
    assert instance.get(["seen"]) == [float(due)]


@pytest.mark.parametrize("begin", [0, 3540])
@pytest.mark.parametrize("period", [Fraction(1, 30), Fraction(1, 100), Fraction(1, 1000)])
@pytest.mark.compiler
def test_counts_over_the_first_and_the_last_minute_of_an_hour_are_exact(period: Fraction, begin: int) -> None:
    instance = native_instance(clock(period), "c")
    step = started(instance, float(begin))
    first, steps = begin / period, 60 / period
    assert first.denominator == steps.denominator == 1
    for k in range(int(first), int(first + steps)):
        step(k * period.numerator / period.denominator, float(period))
    assert instance.get(["count"])[0] == steps - 1
    instance.close()
