"""Air drag: the quadratic law against the direction of motion."""

from typing import Any

import pytest

from drawbar.blocks.vehicle.bodies.air_drag import AirDrag


@pytest.mark.parametrize("speed", [-20.0, 0.0, 1.0, 30.0])
def test_the_drag_is_quadratic_and_opposes_the_motion(bench: Any, speed: float) -> None:
    force = bench(AirDrag, density=1.1, area=3.0, coefficient=0.5).out(u=speed)["force"]
    assert force == pytest.approx([-0.5 * 1.1 * 0.5 * 3.0 * speed * abs(speed), 0.0, 0.0])
