"""The effective value of known accelerations."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks.sensors.ride_meter import RideMeter


def test_of_a_sine_over_whole_periods(bench: Any) -> None:
    step, total = bench(RideMeter).rk4(1e-3), np.zeros(1)
    for k in range(1000):
        total = step(total, np.array([3.0 * np.sin(2.0 * np.pi * (k + 0.5) / 1000)]))
    assert bench(RideMeter).out(total=total, time=1.0)["rms"] == pytest.approx(3.0 / np.sqrt(2.0), rel=1e-6)


def test_it_counts_from_its_beginning_on(bench: Any) -> None:
    block = bench(RideMeter, begin=2.0)
    assert [block.ode(a=3.0, time=t)["total"] for t in (1.99, 2.0, 5.0)] == [0.0, 9.0, 9.0]
    assert block.out(total=18.0, time=4.0)["rms"] == pytest.approx(3.0)
    assert block.out(total=0.0, time=1.0)["rms"] < 1e-4
