"""What all chassis share: the quaternion of the rotation."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.bodies.simple_body import SimpleBody

Q = ("q_w", "q_x", "q_y", "q_z")


@pytest.mark.parametrize("norm", [0.99, 1.0, 1.01])
def test_the_quaternion_returns_to_length_one(norm: float, stand: Callable[..., Any]) -> None:
    """d|q|^2/dt = 2 (1 - |q|^2) |q|^2 however it turns: rounding and truncation of long runs do not add up."""
    s = stand(SimpleBody)
    q = np.array([0.8, 0.4, -0.4, 0.2]) * norm
    values = dict(zip(Q, q, strict=True)) | {f"omega[{i}]": w for i, w in ((1, 0.3), (2, -0.2), (3, 0.5))}
    rates = s.rates(**values)
    found = 2.0 * q @ [rates[name] for name in Q]
    assert found == pytest.approx(2.0 * (1.0 - norm**2) * norm**2, abs=1e-12)
