"""Pedals."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks.autonomy.pedals import Pedals


@pytest.mark.parametrize(
    ("acceleration", "throttle", "brake"),
    [(0.0, 0.0, 0.0), (1.5, 0.5, 0.0), (9.0, 1.0, 0.0), (-0.2, 0.0, 0.0), (-4.3, 0.0, 0.5), (-20.0, 0.0, 1.0)],
)
def test_one_pedal_at_a_time(bench: Any, acceleration: float, throttle: float, brake: float) -> None:
    found = bench(Pedals).out(acceleration=acceleration)
    assert (found["throttle"], found["brake"]) == pytest.approx((throttle, brake))


@given(st.floats(-1e3, 1e3))
def test_both_stay_within_their_travel(acceleration: float) -> None:
    model = Pedals.model()
    throttle, brake = (float(v) for v in model.out(0, [], [], [acceleration], model.start()[:3]).elements())
    assert 0.0 <= throttle <= 1.0
    assert 0.0 <= brake <= 1.0
    assert throttle * brake == 0.0
