"""A double wishbone in closed form: the circle and the sphere by hand, and constants of hardpoints by hand."""

from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.vehicle.multibody.mechanism import Body
from drawbar.blocks.vehicle.multibody.wishbone import circle_sphere_intersection, wishbone


def unit_on_circle(k: float, sigma: float) -> tuple[Any, float]:
    p, q = ca.DM([2.0, 0.0, 0.0]), ca.DM([0.0, 2.0, 0.0])
    x, margin = circle_sphere_intersection(p, q, ca.DM(k), ca.DM(sigma))
    return np.array(x).ravel(), float(margin)


@pytest.mark.parametrize("sigma", [1.0, -1.0])
@pytest.mark.parametrize("k", [-1.9, -1.0, 0.0, 1.2])
def test_it_is_a_unit_vector_at_the_given_projection(k: float, sigma: float) -> None:
    x, margin = unit_on_circle(k, sigma)
    assert np.linalg.norm(x) == pytest.approx(1.0)
    assert x[0] * 2.0 == pytest.approx(k)
    assert np.sign(x[1]) == -sigma
    assert margin == pytest.approx(1.0 - k * k / 4.0)


def test_where_they_do_not_meet_the_margin_is_negative_and_the_vector_finite() -> None:
    x, margin = unit_on_circle(2.2, 1.0)
    assert margin < 0.0 and np.isfinite(x).all()


def test_constants_of_a_corner_whose_arms_are_level() -> None:
    def body(name: str, parent: str | None, joint: str, point: Any, axes: Any) -> Body:
        return Body(name, parent, joint, 1.0, ca.DM(point), ca.DM.eye(3), ca.DM(point), axes)

    forward = (ca.DM([1.0, 0.0, 0.0]),)
    lower = body("lower", None, "rev", [0.0, 0.4, 0.2], forward)
    upper = body("upper", None, "rev", [0.1, 0.5, 0.6], forward)
    upright = body("upright", "lower", "ball", [0.0, 0.9, 0.2], ())
    found = wishbone(lower, upper, upright, ca.DM([0.0, 0.8, 0.6]), ca.DM([-0.2, 0.9, 0.2]), ca.DM([-0.2, 0.4, 0.2]))
    assert float(found.upright_length) == pytest.approx(np.hypot(0.1, 0.4))
    # the foot of the upper ball on the axis of its arm has its x
    assert np.array(found.upper_centre).ravel() == pytest.approx([0.0, 0.5, 0.6])
    assert float(found.upper_radius) == pytest.approx(0.3)
    assert float(found.tie_length) == pytest.approx(0.5)
    # the outer end of the tie rod is level with the lower ball, at right angles to the kingpin
    assert float(found.tie_height) == pytest.approx(0.0)
    assert float(found.tie_radius) == pytest.approx(0.2)
    triad = np.array(found.triad)
    assert triad.T @ triad == pytest.approx(np.eye(3))
