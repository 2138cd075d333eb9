"""The sources by hand values, at their edges too."""

import math
from typing import Any

import pytest

from drawbar.blocks.signals.constant import Constant
from drawbar.blocks.signals.pulse import Pulse
from drawbar.blocks.signals.ramp import Ramp
from drawbar.blocks.signals.sine import Sine
from drawbar.blocks.signals.step import Step, reached


def test_a_constant_may_be_changed_while_running(source: Any) -> None:
    assert source(Constant, value=-2.5)(0.0) == -2.5
    (value,) = Constant.interface().of("parameter")
    assert value.variability == "tunable"


@pytest.mark.parametrize(("time", "y"), [(0.0, 3.0), (0.799, 3.0), (0.8, 1.0), (100.0, 1.0)])
def test_a_step_is_done_at_its_instant(source: Any, time: float, y: float) -> None:
    assert source(Step, offset=3.0, height=-2.0, at=0.8)(time) == y


def test_rounding_of_time_costs_no_step(source: Any) -> None:
    assert 0.7 + 0.1 < 0.8, "else there is nothing to show"
    assert source(Step, at=0.8)(0.7 + 0.1) == 1.0


def test_an_instant_is_reached_a_nanosecond_early_and_no_more() -> None:
    assert reached(0.8 - 0.9e-9, 0.8)
    assert not reached(0.8 - 1.1e-9, 0.8)


@pytest.mark.parametrize(("time", "y"), [(0.0, 1.0), (2.0, 1.0), (3.0, 2.0), (4.0, 3.0), (6.0, 5.0), (60.0, 5.0)])
def test_a_ramp_ends(source: Any, time: float, y: float) -> None:
    assert source(Ramp, offset=1.0, height=4.0, begin=2.0, duration=4.0)(time) == y


@pytest.mark.parametrize("time", [0.0, 0.013, 0.25, 7.77])
def test_a_sine(source: Any, time: float) -> None:
    y = source(Sine, offset=1.0, amplitude=2.0, frequency=0.5, phase=0.3)(time)
    assert y == pytest.approx(1.0 + 2.0 * math.sin(math.pi * time + 0.3), rel=1e-14)


def test_a_sine_begins_at_its_phase_and_repeats(source: Any) -> None:
    sine = source(Sine, frequency=4.0, phase=math.pi / 2)
    assert sine(0.0) == 1.0
    assert sine(0.125) == pytest.approx(-1.0)
    assert sine(0.25) == pytest.approx(1.0)


def test_pulses_have_their_duty_at_every_cycle(source: Any) -> None:
    pulse = source(Pulse, offset=-1.0, amplitude=3.0, cycle=0.5, duty=0.2)
    seen = [pulse(k * 0.1) for k in range(50)]  # also where k * 0.1 is rounded
    assert seen == [2.0, -1.0, -1.0, -1.0, -1.0] * 10


def test_rounding_of_time_costs_no_pulse_a_step(source: Any) -> None:
    assert source(Pulse, cycle=0.8)(0.7 + 0.1) == 1.0
    assert source(Pulse, cycle=1.6)(0.7 + 0.1) == 0.0


def test_the_phase_of_pulses_is_a_part_of_the_cycle(source: Any) -> None:
    pulse = source(Pulse, cycle=4.0, duty=0.5, phase=0.25)
    assert [pulse(float(t)) for t in range(6)] == [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize(("duty", "y"), [(0.0, 0.0), (1.0, 1.0)])
def test_duty_0_is_never_high_and_1_always(source: Any, duty: float, y: float) -> None:
    for phase in (0.0, 0.3, 1.0):
        pulse = source(Pulse, duty=duty, phase=phase)
        assert {pulse(t * 0.1) for t in range(40)} == {y}
