"""The sine by its formula."""

import math
from typing import Any

import pytest

from drawbar.blocks.signals.sine import Sine


@pytest.mark.parametrize("time", [0.0, 0.013, 0.25, 7.77])
def test_a_sine(source: Any, time: float) -> None:
    y = source(Sine, offset=1.0, amplitude=2.0, frequency=0.5, phase=0.3)(time)
    assert y == pytest.approx(1.0 + 2.0 * math.sin(math.pi * time + 0.3), rel=1e-14)


def test_a_sine_begins_at_its_phase_and_repeats(source: Any) -> None:
    sine = source(Sine, frequency=4.0, phase=math.pi / 2)
    assert sine(0.0) == 1.0
    assert sine(0.125) == pytest.approx(-1.0)
    assert sine(0.25) == pytest.approx(1.0)
