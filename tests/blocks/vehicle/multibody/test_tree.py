"""Joints and cuts against the derivatives of positions, which come from `tree_poses` alone."""

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.vehicle.multibody import tree
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Body, Cut, Mechanism, unit
from drawbar.blocks.vehicle.multibody.spatial import Pose, cross_motion, quaternion_rate
from drawbar.blocks.vehicle.multibody.tree import DOF, design_coordinates, motion_subspace, tree_poses

SLANTED, OTHER = unit([1.0, 2.0, -0.5]), unit([0.3, -1.0, 1.0])
JOINTS = {"rev": (SLANTED,), "pris": (SLANTED,), "ball": (), "univ": (SLANTED, OTHER), "fix": ()}
ROUNDING = 1e-14


def body(name: str, parent: str | None, joint: str, point: Any) -> Body:
    return Body(name, parent, joint, 1.0, (0, 0, 0), np.eye(3), point, JOINTS[joint])


def chain(joint: str) -> Mechanism:
    """The joint on a body that turns and a body that slides, so that its parent moves in all ways that matter."""
    return Mechanism(
        (
            body("first", None, "ball", (0.1, 0.2, 0.3)),
            body("second", "first", "pris", (1, 0, 0)),
            body("last", "second", joint, (1.5, -0.4, 0.2)),
        )
    )


T = ca.SX.sym("t")


def now(value: Any) -> Any:
    """A value at t = 0."""
    return ca.DM(ca.evalf(ca.substitute(ca.SX(value), T, 0))).full().squeeze()


def rate(value: Any) -> Any:
    return ca.jacobian(value, T)


class Moving:
    """A mechanism whose joints move with constant rates: poses over time, and what their derivatives say."""

    def __init__(self, m: Mechanism, spread: float = 0.4) -> None:
        rng = np.random.default_rng(3)
        self.m = m
        self.rate = {b.name: ca.DM(rng.normal(size=DOF[b.joint])) for b in m.bodies}
        self.q = {
            b.name: ca.DM(design_coordinates(b)) + spread * ca.DM(rng.uniform(-1, 1, len(design_coordinates(b))))
            for b in m.bodies
        }
        for b in m.bodies:
            if b.joint == "ball":
                self.q[b.name] = self.q[b.name] / ca.norm_2(self.q[b.name])
        self.poses = tree_poses(m, {b.name: self.coordinates(b) for b in m.bodies})
        self.V = {name: self._motion(pose) for name, pose in self.poses.items()}
        self.A = {name: rate(V) for name, V in self.V.items()}

    def coordinates(self, b: Body) -> Any:
        """Over time; a ball turns at a constant rate about an axis of its own: q times (cos, sin)."""
        q, speed = self.q[b.name], self.rate[b.name]
        if b.joint != "ball":
            return q + T * speed
        length = ca.norm_2(speed)
        w, v = ca.cos(length * T / 2), ca.sin(length * T / 2) * speed / length
        return ca.vertcat(q[0] * w - ca.dot(q[1:], v), q[0] * v + w * q[1:] + ca.cross(q[1:], v))

    def _motion(self, pose: Pose) -> Any:
        """(omega, v): of ``R' R^T``, and of the point of the body that is at the origin."""
        turning = ca.reshape(rate(ca.vec(ca.SX(pose.R))), 3, 3) @ pose.R.T
        omega = ca.vertcat(turning[2, 1], turning[0, 2], turning[1, 0])
        return ca.vertcat(omega, rate(ca.SX(pose.p)) - ca.cross(omega, pose.p))

    def relative(self, name: str) -> tuple[Any, Any]:
        """The columns of a joint, and their motion."""
        S = motion_subspace(self.m.by_name[name], self.poses[self.m.parent(name)], self.poses[name])
        return S, S @ self.rate[name]


@pytest.mark.parametrize("joint", JOINTS)
def test_columns_are_the_derivatives_of_the_pose(joint: str) -> None:
    moving = Moving(chain(joint))
    _, relative = moving.relative("last")
    np.testing.assert_allclose(now(relative), now(moving.V["last"] - moving.V["second"]), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("joint", JOINTS)
def test_the_bias_is_what_is_left_of_the_acceleration(joint: str) -> None:
    """``A = A_parent + V_parent x (S q') + c`` at constant rates."""
    moving = Moving(chain(joint))
    S, relative = moving.relative("last")
    bias = tree.joint_bias(moving.m.by_name["last"], S, relative)
    mine = moving.A["second"] + cross_motion(moving.V["second"], relative) + bias
    np.testing.assert_allclose(now(mine), now(moving.A["last"]), rtol=0, atol=ROUNDING)
    assert (np.abs(now(bias)).max() > 0.01) == (joint == "univ")


@pytest.mark.parametrize("joint", JOINTS)
def test_what_a_joint_holds_does_no_work(joint: str) -> None:
    moving = Moving(chain(joint))
    up, pose = moving.poses["second"], moving.poses["last"]
    S, W = (
        now(ca.SX(f(moving.m.by_name["last"], up, pose))).reshape(6, -1)
        for f in (motion_subspace, tree.constraint_wrenches)
    )
    assert S.shape[1] + W.shape[1] == np.linalg.matrix_rank(np.hstack([S, W])) == 6
    np.testing.assert_allclose(W.T @ S, 0, rtol=0, atol=ROUNDING)


def test_a_free_base_stays_in_its_own_frame() -> None:
    m = Mechanism((Body("base", None, "free", 1.0, (0, 0, 0), np.eye(3)), body("arm", "base", "rev", (1, 0, 0))))
    poses = tree_poses(m, {"arm": 0.0})
    assert poses["base"] is tree.DESIGN
    moved = tree.joint_pose(m.bodies[0], ca.DM([1, 2, 3, 1, 0, 0, 0]))
    np.testing.assert_array_equal(moved.p.full().ravel(), [1, 2, 3])
    assert ca.DM(motion_subspace(m.bodies[0], tree.DESIGN, tree.DESIGN)).full().trace() == 6


CUTS: Mapping[str, Cut] = {
    "ball": Cut("ball", "last", GROUND, (2, 0.1, 0), (2, 0.1, 0)),
    "rod": Cut("dist", "last", GROUND, (2, 0, 0), (2.5, 1, 0.3)),
    "rod within": Cut("dist", "last", "first", (2, 0, 0), (0.5, 1, 0.3)),
    "plane of the ground": Cut("inplane", "last", "first", (2, 0, 0), (2, 0, 0), (SLANTED, OTHER)),
    "plane that moves": Cut("inplane", "last", GROUND, (2, 0, 0), (2, 0, 0), (SLANTED, OTHER), "second"),
}


@pytest.mark.parametrize("name", CUTS)
def test_the_rows_of_a_cut_are_the_rates_of_its_errors(name: str) -> None:
    """In the design position, where the cut is closed; there a moving plane adds nothing."""
    cut, moving = CUTS[name], Moving(chain("rev"), spread=0.0)
    W_a, W_b = tree.cut_wrenches(cut, moving.poses)
    mine = W_a.T @ moving.V[cut.body_a] - W_b.T @ moving.V[cut.body_b]
    np.testing.assert_allclose(now(mine), now(rate(tree.cut_error(cut, moving.poses))), rtol=0, atol=ROUNDING)
    assert np.abs(now(mine)).max() > 0.01


@pytest.mark.parametrize("name", CUTS)
def test_the_bias_of_a_cut_is_the_rest_of_the_second_derivative(name: str) -> None:
    """``e'' = W_a' A_a - W_b' A_b - h`` at any velocity, in fixed directions at any place too."""
    moves = name == "plane that moves"
    cut, moving = CUTS[name], Moving(chain("univ"), spread=0.0 if moves else 0.4)
    W_a, W_b = tree.cut_wrenches(cut, moving.poses)
    mine = W_a.T @ moving.A[cut.body_a] - W_b.T @ moving.A[cut.body_b] - tree.cut_bias(cut, moving.poses, moving.V)
    # the cut keeps its rows, so of a moving plane the errors count as seen from the plane
    error = tree.cut_error(cut, moving.poses)
    if moves:
        turned = moving.poses[cut.fixed_in]
        seen = [turned.R.T @ (moving.poses[n].at(p) - turned.p) for n, p in _ends(cut)]
        error = ca.vertcat(*(ca.dot(d, seen[0] - seen[1]) for d in cut.directions))
    np.testing.assert_allclose(now(mine), now(rate(rate(error))), rtol=0, atol=100 * ROUNDING)


def _ends(cut: Cut) -> list[tuple[str, Any]]:
    return [(cut.body_a, cut.point_a), (cut.body_b, cut.point_b)]


def test_the_bias_of_a_moving_plane_is_seen_in_its_frame() -> None:
    """A pin that turns against its slot at w has the acceleration ``-r w^2`` there, whatever the slot's own rate."""
    slot = Body("slot", None, "rev", 1.0, (0, 0, 0), np.eye(3), (0, 0, 0), ((0, 0, 1),))
    pin = Body("pin", None, "rev", 1.0, (0, 0, 0), np.eye(3), (0, 0, 0), ((0, 0, 1),))
    cut = Cut("inplane", "pin", "slot", (2, 0, 0), (2, 0, 0), ((1, 0, 0), (0, 1, 0)), "slot")
    m = Mechanism((slot, pin))
    poses = tree_poses(m, {"slot": 0.0, "pin": 0.0})
    V = {"slot": ca.DM([0, 0, 3, 0, 0, 0]), "pin": ca.DM([0, 0, 5, 0, 0, 0])}
    found = ca.DM(tree.cut_bias(cut, poses, V)).full().ravel()
    np.testing.assert_allclose(found, [2 * (5 - 3) ** 2, 0], rtol=0, atol=1e-14)


def test_a_quaternion_of_a_ball_turns_by_its_rate() -> None:
    moving = Moving(chain("ball"))
    change = now(rate(moving.coordinates(moving.m.by_name["last"])))
    wanted = quaternion_rate(moving.q["last"], moving.rate["last"]).full().ravel()
    np.testing.assert_allclose(change, wanted, rtol=0, atol=ROUNDING)


def test_directions_across_an_axis_stand_on_it() -> None:
    for axis in (SLANTED, OTHER, ca.DM([1, 0, 0]), ca.DM([0, 0, -1])):
        first, second = tree.perpendiculars(axis)
        triad = ca.horzcat(axis, first, second).full()
        np.testing.assert_allclose(triad.T @ triad, np.eye(3), rtol=0, atol=1e-15)
