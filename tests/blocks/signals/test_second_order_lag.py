"""The second-order lag against scipy.signal and its closed form."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import signal

from drawbar.blocks.signals.second_order_lag import SecondOrderLag

H = 1e-3


@pytest.mark.parametrize("damping", [0.1, 0.7, 3.0])
def test_a_second_order_lag_is_that_of_scipy(bench: Any, response: Any, damping: float) -> None:
    w, gain = 12.0, 2.0
    _, y, _ = signal.lsim(([gain * w**2], [1.0, 2.0 * damping * w, w**2]), response.u, response.t, interp=False)
    found = response(bench, SecondOrderLag, frequency=w, damping=damping, gain=gain)
    np.testing.assert_allclose(found, y, rtol=0.0, atol=1e-8)


def test_its_overshoot_is_that_of_the_textbook(bench: Any) -> None:
    """exp(-pi d / sqrt(1 - d^2)) above the steady value, at the time pi / (w sqrt(1 - d^2))."""
    w, d = 10.0, 0.4
    step, x, ys = bench(SecondOrderLag, frequency=w, damping=d, gain=3.0).rk4(H), np.zeros(2), []
    for _ in range(1000):
        x = step(x, np.array([1.0]))
        ys.append(x[0])
    root = math.sqrt(1.0 - d * d)
    assert max(ys) == pytest.approx(3.0 * (1.0 + math.exp(-math.pi * d / root)), rel=1e-5)
    assert (np.argmax(ys) + 1) * H == pytest.approx(math.pi / (w * root), abs=H)
    assert SecondOrderLag.interface().feedthrough == {"y": ()}
