"""The integrator with limits against the integral."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawbar.blocks.signals.limited_integrator import LimitedIntegrator


def test_the_limited_integral_by_hand(played: Any) -> None:
    y = played(LimitedIntegrator, {"u": [30.0, 30.0, 60.0, 60.0, -10.0, -10.0]}, upper_limit=1.0)["y"]
    assert y == pytest.approx([0.0, 0.3, 0.6, 1.0, 1.0, 0.9]), "it leaves the bound with the first input inwards"


def test_a_start_beyond_a_bound_begins_at_the_bound(played: Any) -> None:
    assert played(LimitedIntegrator, {"u": [-10.0, 0.0]}, integral=7.0)["y"] == pytest.approx([1.0, 0.9])


def test_the_error_is_of_first_order_in_the_period(played: Any) -> None:
    class Twice(LimitedIntegrator, period=0.005):
        """The same, twice as often."""

    def error(block: type[LimitedIntegrator]) -> float:
        t = np.arange(0.0, 1.0 + 1e-9, block.period)
        return float(played(block, {"u": np.cos(t)})["y"][-1] - np.sin(1.0))

    assert error(LimitedIntegrator) / error(Twice) == pytest.approx(2.0, rel=0.01)


@given(u=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), integral=st.floats(-1e3, 1e3))
@settings(deadline=None)
def test_it_is_never_beyond_a_bound(played: Any, u: list[float], integral: float) -> None:
    y = played(LimitedIntegrator, {"u": u}, integral=integral, lower_limit=-0.3, upper_limit=0.7)["y"]
    assert -0.3 <= min(y) <= max(y) <= 0.7


@given(u=st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=30))
@settings(deadline=None)
def test_within_its_bounds_it_is_the_sum(played: Any, u: list[float]) -> None:
    y = played(LimitedIntegrator, {"u": u}, gain=2.0)["y"]
    assert y == pytest.approx([0.0, *0.02 * np.cumsum(u)[:-1]], abs=1e-12)
