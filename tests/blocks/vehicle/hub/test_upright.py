"""The side of the body at a hub: rigid-body motion out, power in."""

from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.vehicle.hub.upright import Upright, hub_ground_plane, hub_motion, hub_wrench
from drawbar.blocks.vehicle.multibody.spatial import rotation

R = rotation(ca.DM([0.6, 0.0, 0.8]), 0.7)
ORIGIN = ca.DM([10.0, -3.0, 1.0])
UPRIGHT = Upright(
    ca.DM([1.5, 0.9, -0.2]), rotation(ca.DM([0.0, 0.0, 1.0]), 0.3), ca.DM([0.3, -0.2, 0.5, 8.0, 0.4, 0.1])
)


def close(value: ca.DM, wanted: object) -> None:
    np.testing.assert_allclose(ca.DM(value).full().squeeze(), ca.DM(wanted).full().squeeze(), rtol=0, atol=1e-12)


def test_the_motion_is_that_of_a_rigid_body_in_the_world() -> None:
    sent = hub_motion("hub", UPRIGHT, ORIGIN, R)
    omega, v = UPRIGHT.motion[:3], UPRIGHT.motion[3:]
    close(sent["hub.position"], ORIGIN + R @ UPRIGHT.centre)
    close(sent["hub.at"], sent["hub.position"][:2])
    close(sent["hub.velocity"], R @ (v + ca.cross(omega, UPRIGHT.centre)))
    close(sent["hub.omega"], R @ omega)
    close(sent["hub.rotation"][:, 1], R @ UPRIGHT.axis)


@pytest.mark.parametrize("spin", [0.0, 20.0])
def test_the_wrench_has_the_power_of_force_and_moment_at_the_hub(spin: float) -> None:
    """The gyroscopic moment is across the angular velocity and has no power."""
    force, moment = ca.DM([300.0, -200.0, 7000.0]), ca.DM([50.0, 30.0, -20.0])
    wrench = hub_wrench(SimpleNamespace(force=force, moment=moment, spin=spin), UPRIGHT, R, 4.0)
    sent = hub_motion("hub", UPRIGHT, ORIGIN, R)
    power = ca.dot(force, sent["hub.velocity"]) + ca.dot(moment, sent["hub.omega"])
    assert float(ca.dot(wrench, UPRIGHT.motion)) == pytest.approx(float(power))


def test_a_wheel_that_spins_forwards_resists_a_left_turn_with_a_moment_to_the_right_side() -> None:
    """With w about +y and omega about +z the moment on the upright is -J w omega z x y = J w omega x."""
    turning = Upright(ca.DM.zeros(3), ca.DM.eye(3), ca.DM([0, 0, 0.5, 0, 0, 0]))
    hub = SimpleNamespace(force=ca.DM.zeros(3), moment=ca.DM.zeros(3), spin=20.0)
    close(hub_wrench(hub, turning, ca.DM.eye(3), 4.0), [4.0 * 20.0 * 0.5, 0, 0, 0, 0, 0])


def test_the_ground_plane_is_expressed_in_chassis_axes() -> None:
    hub = SimpleNamespace(point=ca.DM([11.0, -2.0, 0.1]), normal=ca.DM([0.0, 0.0, 1.0]))
    point, normal = hub_ground_plane(hub, ORIGIN, R)
    close(ORIGIN + R @ point, hub.point)
    close(R @ normal, hub.normal)
