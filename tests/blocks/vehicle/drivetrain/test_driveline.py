"""Three differentials divide the torque of the propeller shaft among four wheels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks.vehicle.drivetrain.driveline import Driveline

OPEN = [1.0, 1.0, 1.0]
torques, speeds, holds = st.floats(-2e3, 2e3), st.floats(-300.0, 300.0), st.floats(-1.0, 1.0)


@given(torques, st.tuples(speeds, speeds, speeds, speeds), st.floats(0.0, 1.0))
def test_four_wheels_get_what_the_propeller_brings(
    torque: float, turning: tuple[float, float, float, float], share: float
) -> None:
    line = Driveline(torque, turning, [0.0] * 3, [0.0] * 3, OPEN, share, 2.73)
    wheels = line.torques
    assert sum(T * w for T, w in zip(wheels, turning, strict=True)) == pytest.approx(torque * line.speed, abs=1e-6)
    assert sum(wheels) == pytest.approx(2.73 * torque)
    assert sum(wheels[:2]) == pytest.approx(share * 2.73 * torque)
    assert len(line.rates) == 3
