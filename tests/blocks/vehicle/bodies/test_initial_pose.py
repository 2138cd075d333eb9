"""The pose in which static equilibrium is evaluated: near the ground that of the iteration, else one on the ground."""

from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.vehicle.bodies.initial_pose import ATTRACTION, FULL_STEP, InitialPose, tilted
from drawbar.blocks.vehicle.multibody.spatial import from_quaternion

PLACES = {"fl": (1.5, 0.9), "fr": (1.5, -0.9), "rl": (-1.5, 0.9), "rr": (-1.5, -0.9)}
HEIGHT = 0.5


class Car:
    """A block with a wheel over each of `PLACES`, whose ground is a plane through a height of its own."""

    def __init__(self, z: float, heights: dict[str, float], normal: Any = (0.0, 0.0, 1.0)) -> None:
        self.x, self.y, self.heading = ca.DM(0), ca.DM(0), ca.DM(0)
        self.z, self.q_x, self.q_y = ca.DM(z), ca.DM(0), ca.DM(0)
        self._heights, self._normal = heights, ca.DM(normal)

    def wheel_port(self, wheel: str) -> Any:
        return SimpleNamespace(point=ca.DM([0.0, 0.0, self._heights.get(wheel, 0.0)]), normal=self._normal)

    def ground_query_point(self, wheel: str) -> Any:
        return ca.DM(PLACES[wheel])


def pose(z: float, heights: dict[str, float], normal: Any = (0.0, 0.0, 1.0)) -> tuple[InitialPose, list[float]]:
    found = InitialPose(Car(z, heights, normal), list(PLACES), HEIGHT)
    return found, [float(v) for v in found.pose]


def test_near_the_ground_the_pose_is_that_of_the_iteration_and_the_balance_counts() -> None:
    found, at = pose(HEIGHT + 0.01, {})
    assert at == [HEIGHT + 0.01, 0.0, 0.0]
    assert float(found.residual(0, ca.DM(123.0))) == 123.0


def test_far_from_the_ground_the_pose_is_on_it_and_attracts() -> None:
    found, at = pose(-3.0, {})
    assert at == pytest.approx([HEIGHT, 0.0, 0.0])
    assert float(found.residual(0, ca.DM(123.0))) == pytest.approx(ATTRACTION * (-3.0 - HEIGHT))


def test_the_first_step_from_the_declared_start_is_a_full_one() -> None:
    found, at = pose(HEIGHT, {w: 0.2 for w in PLACES})
    assert at == pytest.approx([0.2 + HEIGHT, 0.0, 0.0])
    assert float(found.residual(0, ca.DM(123.0))) == pytest.approx(FULL_STEP * -0.2)


def test_one_wheel_over_a_hole_does_not_tilt_the_pose() -> None:
    _, at = pose(-10.0, {"fl": -5.0})
    assert at == pytest.approx([HEIGHT, 0.0, 0.0])


@pytest.mark.parametrize("slope", [(0.3, 0.0), (0.0, -0.4), (0.2, 0.5)])
def test_on_a_slope_the_pose_lies_along_it(slope: tuple[float, float]) -> None:
    normal = np.array([-slope[0], -slope[1], 1.0])
    normal /= np.linalg.norm(normal)
    _, (z, q_x, q_y) = pose(50.0, {}, normal)
    assert z == pytest.approx(HEIGHT)
    q = np.array([1.0, q_x, q_y, 0.0])
    assert np.array(from_quaternion(ca.DM(q / np.linalg.norm(q))))[:, 2] == pytest.approx(normal)


@pytest.mark.parametrize("heading", [0.0, 0.7, -2.5])
def test_a_tilt_turns_the_vertical_to_the_normal_for_any_heading(heading: float) -> None:
    normal = np.array([0.3, -0.2, 0.9])
    normal /= np.linalg.norm(normal)
    q_x, q_y = tilted(normal, heading)
    q = np.array([np.cos(heading / 2), float(q_x), float(q_y), np.sin(heading / 2)])
    assert np.array(from_quaternion(ca.DM(q / np.linalg.norm(q))))[:, 2] == pytest.approx(normal)
