"""Time and distance to a speed, against constant acceleration."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.sensors.performance_test import PerformanceTest

T = 0.01


def tried(bench: Any, u: Callable[[float], float], seconds: float, begin: float = 0.0, **parameters: float) -> Any:
    b, z, rows = bench(PerformanceTest, **parameters), {}, []
    for k in range(round(seconds / T)):
        at = {"u": u(k * T), "trigger": float(k * T > begin - 1e-9), **z}
        rows.append(b.out(**at))
        z = b.update(**at)
    return rows


def test_from_rest_at_3_metres_per_second_squared(bench: Any) -> None:
    rows = tried(bench, lambda t: 3.0 * t, 10.0)
    found = rows[-1]
    assert found["ended"] == 1.0
    assert found["duration"] == pytest.approx(22.352 / 3.0, rel=1e-12)
    assert found["distance"] == pytest.approx(22.352**2 / 6.0, rel=1e-12)
    assert found["mean"] == pytest.approx(3.0)
    assert rows[500] == pytest.approx({"duration": 5.0, "distance": 37.5, "mean": 3.0, "ended": 0.0})


def test_a_stop_counts_from_the_trigger(bench: Any) -> None:
    found = tried(bench, lambda t: min(20.0, max(0.0, 20.0 - 5.0 * (t - 2.0))), 10.0, begin=2.0, last=0.01)[-1]
    assert found["ended"] == 1.0
    assert found["duration"] == pytest.approx(19.99 / 5.0)
    assert found["distance"] == pytest.approx((20.0**2 - 0.01**2) / 10.0)
    assert found["mean"] == pytest.approx(-5.0)


def test_a_speed_that_is_not_reached_ends_nothing(bench: Any) -> None:
    found = tried(bench, lambda t: 20.0 * (1.0 - np.exp(-t)), 30.0)[-1]
    assert found["ended"] == 0.0
    assert found["duration"] == pytest.approx(30.0 - T)
    assert found["distance"] == pytest.approx(20.0 * (30.0 - T - 1.0), rel=1e-3)


def test_before_the_trigger_nothing_is_counted(bench: Any) -> None:
    found = tried(bench, lambda t: 10.0 * t, 2.0, begin=5.0)[-1]
    assert found == {"duration": 0.0, "distance": 0.0, "mean": 0.0, "ended": 0.0}


@pytest.mark.parametrize("first", [0.0, 22.0, 22.3519])
def test_a_target_that_is_passed_within_the_first_period_has_its_mean(bench: Any, first: float) -> None:
    """The time is then shorter than a period, and the mean is still the change over it."""
    found = tried(bench, lambda t: first + 5000.0 * t, 0.1)[-1]
    assert found["ended"] == 1.0
    assert found["duration"] == pytest.approx((22.352 - first) / 5000.0)
    assert found["mean"] == pytest.approx(5000.0, rel=1e-9)


def test_a_test_that_begins_at_its_target_ends_with_no_change(bench: Any) -> None:
    found = tried(bench, lambda t: 22.352 + t, 0.1)[-1]
    assert found == {"duration": 0.0, "distance": 0.0, "mean": 0.0, "ended": 1.0}
