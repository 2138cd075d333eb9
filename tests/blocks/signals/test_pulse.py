"""Pulses by hand values, at their edges too."""

from typing import Any

import pytest

from drawbar.blocks.signals.pulse import Pulse


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
