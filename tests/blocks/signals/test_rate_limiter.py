"""The rate limit by hand, and its bounds for any signal."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawbar.blocks import Sampled
from drawbar.blocks.signals.rate_limiter import RateLimiter


def test_it_rises_and_falls_at_its_own_rates(played: Any) -> None:
    y = played(RateLimiter, {"u": [1.0, 1.0, 1.0, 1.0, -5.0, -5.0]}, rise=40.0, fall=100.0)["y"]
    assert y == pytest.approx([0.4, 0.8, 1.0, 1.0, 0.0, -1.0])


def test_it_begins_at_its_start_value(played: Any) -> None:
    assert played(RateLimiter, {"u": [3.0, 3.0]}, last=3.0)["y"] == [3.0, 3.0]
    assert played(RateLimiter, {"u": [3.0, 3.0]}, last=2.0, rise=10.0)["y"] == pytest.approx([2.1, 2.2])


def test_a_slow_signal_passes_unchanged(played: Any) -> None:
    u = np.sin(np.linspace(0.0, 6.0, 601)).tolist()  # 1/s at most
    assert played(RateLimiter, {"u": u}, rise=1.01, fall=1.01)["y"] == u
    assert played(RateLimiter, {"u": u}, rise=0.9, fall=1.01)["y"] != u, "a lower rate shows"


@given(
    u=st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30),
    rise=st.floats(0.0, 1e4),
    fall=st.floats(0.0, 1e4),
    last=st.floats(-1e3, 1e3),
)
@settings(deadline=None)
def test_no_change_exceeds_its_bound(played: Any, u: list[float], rise: float, fall: float, last: float) -> None:
    y = played(RateLimiter, {"u": u}, rise=rise, fall=fall, last=last)["y"]
    changes, rounding = np.diff([last, *y]), 1e-12
    assert np.all(changes <= 0.01 * rise + rounding)
    assert np.all(changes >= -0.01 * fall - rounding)
    towards = np.array(u) - [last, *y[:-1]]
    assert np.all(changes * towards >= 0.0), "it never moves away from the signal"


def test_another_period_is_a_subclass(played: Any) -> None:
    class Slow(RateLimiter, period=0.5):
        """The same, twice a second."""

    assert issubclass(Slow, Sampled)
    assert played(Slow, {"u": [9.0, 9.0]}, rise=2.0)["y"] == [1.0, 2.0]
