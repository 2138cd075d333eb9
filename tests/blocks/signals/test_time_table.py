"""The table over time against numpy, at its jumps, and in another size."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawbar.blocks import Parameter
from drawbar.blocks.signals.time_table import TimeTable

TIMES = [0.0, 1.0, 1.5, 4.0, 4.0, 6.0, 6.0, 6.0]  # a jump at 4, and the last point repeated
VALUES = [2.0, 3.0, -1.0, 0.0, 5.0, 7.0, 7.0, 7.0]


@pytest.mark.parametrize(
    ("time", "linear", "held"),
    [
        *[(-1.0, 2.0, 2.0), (0.0, 2.0, 2.0), (0.5, 2.5, 2.0), (1.0, 3.0, 3.0), (1.25, 1.0, 3.0)],
        *[(2.75, -0.5, -1.0), (4.0, 5.0, 5.0), (5.0, 6.0, 5.0), (6.0, 7.0, 7.0), (9.0, 7.0, 7.0)],
    ],
)
def test_linear_and_held_by_hand(source: Any, time: float, linear: float, held: float) -> None:
    assert source(TimeTable, times=TIMES, values=VALUES)(time) == pytest.approx(linear, abs=1e-15)
    assert source(TimeTable, times=TIMES, values=VALUES, linear=False)(time) == held


def test_before_a_jump_it_goes_towards_the_lower_point(source: Any) -> None:
    assert source(TimeTable, times=TIMES, values=VALUES)(3.999) == pytest.approx(-0.0004)


@given(st.lists(st.floats(-100, 100), min_size=8, max_size=8), st.lists(st.floats(0.01, 10), min_size=8, max_size=8))
@settings(max_examples=50, deadline=None)
def test_it_is_numpys_interpolation(source: Any, values: list[float], spans: list[float]) -> None:
    times = np.cumsum(spans)
    table = source(TimeTable, times=times, values=values)
    for time in np.linspace(-1.0, times[-1] + 1.0, 41):
        assert table(time) == pytest.approx(np.interp(time, times, values), rel=1e-9, abs=1e-9)
    assert [table(time) for time in times] == values, "exactly, at a point"


def test_a_longer_table_is_a_subclass(source: Any) -> None:
    class Course(TimeTable):
        """A table with more points."""

        times = Parameter(np.arange(20.0), "s", "instants of the points", size=20)
        values = Parameter(np.arange(20.0) ** 2, "1", "values at the points", size=20)

    assert source(Course)(17.5) == pytest.approx((17.0**2 + 18.0**2) / 2.0)
