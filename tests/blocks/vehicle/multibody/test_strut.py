"""The strut in closed form: its geometry, and its motion as derivatives of its pose."""

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.vehicle.multibody.mechanism import Body
from drawbar.blocks.vehicle.multibody.nodes import BodyKinematics
from drawbar.blocks.vehicle.multibody.spatial import about, rotation, rotor
from drawbar.blocks.vehicle.multibody.strut import strut

AXIS, PIVOT, LOWER_END = ca.DM([0.8, 0.6, 0.0]), ca.DM([0.1, 0.4, 0.0]), ca.DM([0.2, 0.8, -0.1])
CYLINDER = Body(
    "cylinder", None, "uni", 1.0, (0.0,) * 3, np.eye(3), (0.15, 0.7, 0.5), ((0.6, 0.8, 0.0), (0.0, 0.0, 1.0))
)
ANGLE, RATE = ca.SX.sym("angle"), ca.SX.sym("rate")
ARM = BodyKinematics(about(PIVOT, rotation(AXIS, ANGLE)), ca.SX(rotor(AXIS, PIVOT)), ca.SX(6, 1))
PARTS = dict(zip(("cylinder", "rod"), strut(CYLINDER, LOWER_END, ARM, RATE), strict=True))
ANGLES = pytest.mark.parametrize("angle", [-0.4, 0.0, 0.3])


def at(value: ca.SX, angle: float, rate: float = 1.0) -> np.ndarray:
    return np.array(ca.Function("f", [ANGLE, RATE], [value])(angle, rate))


@ANGLES
def test_the_rod_ends_on_the_arm_and_the_cylinder_points_at_it(angle: float) -> None:
    cylinder, rod = PARTS["cylinder"].pose, PARTS["rod"].pose
    np.testing.assert_allclose(at(rod.at(LOWER_END) - ARM.pose.at(LOWER_END), angle), 0.0, atol=1e-14)
    np.testing.assert_allclose(at(cylinder.at(CYLINDER.point) - CYLINDER.point, angle), 0.0, atol=1e-14)
    line = cylinder.along(LOWER_END - CYLINDER.point)
    np.testing.assert_allclose(at(ca.cross(line, rod.at(LOWER_END) - CYLINDER.point), angle), 0.0, atol=1e-14)
    second = ca.cross(LOWER_END - CYLINDER.point, CYLINDER.axes[0])
    np.testing.assert_allclose(at(ca.dot(cylinder.along(second), CYLINDER.axes[0]), angle), 0.0, atol=1e-14)


def test_in_the_design_position_nothing_has_moved() -> None:
    for part in PARTS.values():
        np.testing.assert_allclose(at(part.pose.R, 0.0), np.eye(3), atol=1e-15)
        np.testing.assert_allclose(at(part.pose.p, 0.0), 0.0, atol=1e-15)


@ANGLES
@pytest.mark.parametrize("name", sorted(PARTS))
def test_motion_and_bias_are_the_derivatives_of_the_pose(name: str, angle: float) -> None:
    """``R' = omega x R`` and ``p' = v + omega x p`` per angle; at a constant rate w the acceleration is ``J' w^2``."""
    part = PARTS[name]
    omega, v = part.J[:3], part.J[3:]
    turned = ca.reshape(ca.jacobian(ca.vec(part.pose.R), ANGLE), 3, 3)
    np.testing.assert_allclose(at(turned - ca.skew(omega) @ part.pose.R, angle), 0.0, atol=1e-13)
    moved = ca.jacobian(part.pose.p, ANGLE)
    np.testing.assert_allclose(at(moved - v - ca.cross(omega, part.pose.p), angle), 0.0, atol=1e-13)
    np.testing.assert_allclose(at(part.c - ca.jacobian(part.J, ANGLE) * RATE**2, angle, 3.0), 0.0, atol=1e-12)
