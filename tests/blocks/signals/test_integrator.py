"""The integral of a constant."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks.signals.integrator import Integrator


def test_the_integral_of_a_constant(bench: Any) -> None:
    step, y = bench(Integrator, gain=-3.0).rk4(1e-3), np.array([5.0])
    for _ in range(500):
        y = step(y, np.array([2.0]))
    assert y[0] == pytest.approx(5.0 - 3.0 * 2.0 * 0.5, rel=1e-12)
    assert Integrator.interface().feedthrough == {"y": ()}
