"""An inertia is that of a rigid body, or it is said why not; parameters are judged by guards."""

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.vehicle.hmmwv.hmmwv_body import HmmwvBody
from drawbar.blocks.vehicle.multibody.inertia_check import inertia_fault, inertia_guards


def of_points(rng: np.random.Generator, dimensions: int) -> np.ndarray:
    """The inertia of some points of mass in a space of one to three dimensions, turned at random."""
    points = np.zeros((10, 3))
    points[:, :dimensions] = rng.normal(size=(10, dimensions))
    points = (points - points.mean(axis=0)) @ np.linalg.qr(rng.normal(size=(3, 3)))[0].T
    return sum(np.dot(r, r) * np.eye(3) - np.outer(r, r) for r in points)


def guarded(J: np.ndarray) -> float:
    symbol = ca.SX.sym("J", 3, 3)
    ((condition, advice),) = inertia_guards({"arm": symbol, "numbers": ca.DM.eye(3)}).values()
    assert "above the sum of the other two" in advice
    return float(ca.Function("f", [symbol], [condition])(J))


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_points_of_mass_are_a_body(dimensions: int) -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        J = of_points(rng, dimensions)
        assert inertia_fault(J) is None
        assert guarded(J) == 1.0


def test_what_no_body_has_is_told() -> None:
    """A principal value more than rounding above the sum of the others, in any axes, by both checks."""
    rng = np.random.default_rng(7)
    for _ in range(50):
        Q, w = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.uniform(0.1, 2.0, size=2)
        J = Q @ np.diag([*w, w.sum() * 1.005]) @ Q.T
        assert "above the sum of the other two" in (inertia_fault((J + J.T) / 2) or "")
        assert guarded((J + J.T) / 2) == 0.0
    assert guarded(np.zeros((3, 3))) == 1.0, "a body without mass"


def test_the_parameters_of_a_vehicle_are_judged_when_it_starts() -> None:
    names = {guard.name: guard.advice for guard in HmmwvBody.model().guards.each}
    assert "above the sum of the other two" in names["the inertia of lower_arm_fl is that of a body"]
