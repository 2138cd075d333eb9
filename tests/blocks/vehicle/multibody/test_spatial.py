"""Spatial algebra against values by hand."""

import casadi as ca
import numpy as np

from drawbar.blocks.vehicle.multibody import spatial
from drawbar.blocks.vehicle.multibody.spatial import Pose

X, Y, Z = (ca.DM(v) for v in ([1, 0, 0], [0, 1, 0], [0, 0, 1]))


def flat(value: ca.DM) -> list[float]:
    return [float(v) for v in ca.DM(value).full().ravel(order="F")]


def close(value: ca.DM, wanted: object) -> None:
    np.testing.assert_allclose(ca.DM(value).full().squeeze(), np.asarray(wanted, float), rtol=0, atol=1e-15)


def test_a_quarter_turn_about_z_takes_x_to_y() -> None:
    close(spatial.rotation(Z, np.pi / 2) @ X, [0, 1, 0])
    close(spatial.rotation(Z, np.pi / 2) @ Y, [-1, 0, 0])


def test_a_turn_about_a_point_leaves_it() -> None:
    pose = spatial.about(ca.DM([1, 2, 0]), spatial.rotation(Z, np.pi / 2))
    close(pose.at(ca.DM([1, 2, 0])), [1, 2, 0])
    close(pose.at(ca.DM([2, 2, 0])), [1, 3, 0])
    close(pose.along(X), [0, 1, 0])


def test_poses_follow_each_other_from_the_inner_one() -> None:
    shift, quarter = (
        Pose(ca.DM.eye(3), ca.DM([1, 0, 0])),
        spatial.about(ca.DM([0, 0, 0]), spatial.rotation(Z, np.pi / 2)),
    )
    close(quarter.after(shift).at(ca.DM([1, 0, 0])), [0, 2, 0])
    close(shift.after(quarter).at(ca.DM([1, 0, 0])), [1, 1, 0])


def test_a_quaternion_is_scalar_first_and_of_any_length() -> None:
    half = np.sqrt(0.5)
    for length in (1.0, 3.0):
        close(spatial.from_quaternion(length * ca.DM([half, 0, 0, half])), [[0, -1, 0], [1, 0, 0], [0, 0, 1]])


def test_the_rate_of_a_quaternion_is_that_of_its_rotation() -> None:
    q, omega, h = ca.DM([0.7, 0.1, -0.5, 0.5]), ca.DM([0.3, -2.0, 1.1]), 1e-6
    q = q / ca.norm_2(q)
    R, dq = spatial.from_quaternion(q), spatial.quaternion_rate(q, omega)
    rate = (spatial.from_quaternion(q + h * dq) - spatial.from_quaternion(q - h * dq)) / (2 * h)
    np.testing.assert_allclose((R.T @ rate).full(), ca.skew(omega).full(), rtol=0, atol=1e-9)


def test_a_rotor_moves_points_around_its_line() -> None:
    motion = spatial.rotor(Z, ca.DM([1, 0, 0]))
    close(motion, [0, 0, 1, 0, -1, 0])
    close(spatial.velocity(motion, ca.DM([1, 0, 5])), [0, 0, 0])
    close(spatial.velocity(motion, ca.DM([3, 0, 0])), [0, 2, 0])
    close(spatial.slider(Y), [0, 0, 0, 0, 1, 0])


def test_power_is_wrench_times_motion() -> None:
    place, force = ca.DM([0, 2, 0]), ca.DM([3, 0, 0])
    wrench = spatial.force_at(place, force)
    close(wrench, [0, 0, -6, 3, 0, 0])
    motion = spatial.rotor(Z, ca.DM([0, 0, 0])) * 4
    assert float(ca.dot(wrench, motion)) == float(ca.dot(force, spatial.velocity(motion, place))) == -24
    close(spatial.couple(Y), [0, 1, 0, 0, 0, 0])


def test_cross_products_by_hand() -> None:
    turning = ca.vertcat(Z, ca.DM([0, 0, 0]))
    close(spatial.cross_motion(turning, ca.vertcat(X, Y)), [0, 1, 0, -1, 0, 0])
    close(spatial.cross_force(turning, ca.vertcat(X, Y)), [0, 1, 0, -1, 0, 0])
    sliding = ca.vertcat(ca.DM([0, 0, 0]), Z)
    close(spatial.cross_motion(sliding, ca.vertcat(X, Y)), [0, 0, 0, 0, 1, 0])
    close(spatial.cross_force(sliding, ca.vertcat(X, Y)), [-1, 0, 0, 0, 0, 0])


def test_power_does_not_depend_on_the_frame() -> None:
    """(a x b).f + b.(a x* f) = 0: the two products are the transposes of each other."""
    rng = np.random.default_rng(1)
    a, b, f = (ca.DM(rng.normal(size=6)) for _ in range(3))
    balance = ca.dot(spatial.cross_motion(a, b), f) + ca.dot(b, spatial.cross_force(a, f))
    assert abs(float(balance)) < 1e-14


def test_an_inertia_about_the_origin_by_hand() -> None:
    """A mass of 2 kg at x = 3 m: momentum, and Steiner's 18 kg m2 about y and z."""
    M = spatial.inertia(2.0, ca.DM([3, 0, 0]), ca.diag(ca.DM([0.1, 0.2, 0.3])))
    close(ca.diag(M), [0.1, 18.2, 18.3, 2, 2, 2])
    close(M @ ca.vertcat(Z, ca.DM([0, 0, 0])), [0, 0, 18.3, 0, 6, 0])
    close(M @ ca.vertcat(ca.DM([0, 0, 0]), Y), [0, 0, 6, 0, 2, 0])
    close(M - M.T, np.zeros((6, 6)))


def test_a_rotated_inertia_is_that_of_the_rotated_body() -> None:
    R = spatial.rotation(ca.DM([0.6, 0, 0.8]), 0.7)
    for J in (np.diag([1.0, 2.0, 4.0]), np.array([[1.0, 0.1, 0.2], [0.1, 2.0, -0.3], [0.2, -0.3, 4.0]])):
        np.testing.assert_allclose(spatial.rotated(R, ca.DM(J)).full(), R.full() @ J @ R.full().T, rtol=0, atol=1e-15)


def test_only_the_lower_triangle_of_a_symmetric_matrix_counts() -> None:
    assert flat(spatial.symmetric(ca.DM([[1, 9], [2, 3]]))) == [1, 2, 2, 3]
