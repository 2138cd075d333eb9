"""Over a half-round the wheel moves as a rigid disk."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.terrain.ground.half_round import HalfRound


@pytest.mark.compiler
def test_over_a_half_round_the_wheel_goes_as_a_rigid_disk_does(ask: Callable[..., Any]) -> None:
    """Its centre runs on an arc of radius R + r, and what it touches is on the half-round."""
    r, wheel = 0.2, 0.47
    x = np.linspace(9.3, 10.7, 141)
    found = ask(HalfRound, np.column_stack([x, np.full(len(x), 0.7)]))
    centre = np.sqrt(np.maximum(0.0, (wheel + r) ** 2 - (x - 10.0) ** 2))
    on = centre > wheel
    level = np.column_stack([x, np.full(len(x), 0.7), np.where(on, centre, wheel)])
    reach = np.sum((level - found["point"]) * found["normal"], axis=1)
    np.testing.assert_allclose(reach, wheel, atol=4e-4, err_msg="the disk touches the plane that it is given")
    inner = on & (centre > wheel + 0.005)
    touched = found["point"][inner] - [10.0, 0.7, 0.0]
    np.testing.assert_allclose(np.hypot(touched[:, 0], touched[:, 2]), r, atol=5e-3)
    assert not found["point"][np.abs(x - 10.0) > 0.485][:, 2].any(), "level before and behind"
