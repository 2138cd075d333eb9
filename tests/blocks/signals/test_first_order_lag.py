"""The lag against its step response."""

import math
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.signals.first_order_lag import FirstOrderLag


def test_step_response(bench: Any) -> None:
    step, y = bench(FirstOrderLag, gain=3.0, time_constant=0.2).rk4(1e-3), np.zeros(1)
    for _ in range(200):
        y = step(y, np.array([2.0]))
    assert y[0] == pytest.approx(6.0 * (1.0 - math.exp(-1.0)), rel=1e-10)


def test_output_does_not_jump_with_the_input() -> None:
    assert FirstOrderLag.interface().feedthrough == {"y": ()}
