"""The saturation by hand, and its limits for any signal."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks.signals.saturation import Saturation

NUMBERS = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(("u", "y"), [(-3.0, -2.0), (-2.0, -2.0), (0.7, 0.7), (5.0, 5.0), (5.1, 5.0)])
def test_a_limit(bench: Any, u: float, y: float) -> None:
    assert bench(Saturation, lower_limit=-2.0, upper_limit=5.0).out(u=u) == {"y": y}


def test_crossed_limits_give_the_least(bench: Any) -> None:
    assert bench(Saturation, lower_limit=1.0, upper_limit=-1.0).out(u=0.0) == {"y": 1.0}


@given(u=NUMBERS, bounds=st.tuples(NUMBERS, NUMBERS).map(sorted))
def test_a_limit_is_within_its_bounds_and_changes_nothing_there(u: float, bounds: list[float]) -> None:
    least, most = bounds
    y = float(Saturation.model().out(0.0, [], [], [u], [least, most]))
    assert least <= y <= most
    assert y == u or u < least == y or u > most == y
