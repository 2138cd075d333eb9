"""The guard of models in the plane, evaluated where slopes and heights are known."""

from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.terrain.ground.level import level_guards

PLACES = [(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)]


def judged(points: Any, normals: Any) -> list[bool]:
    """Whether each guard holds, over planes through the points."""
    point, normal = ca.SX.sym("point", 3, 4), ca.SX.sym("normal", 3, 4)
    grounds = [(SimpleNamespace(point=point[:, i], normal=normal[:, i]), at) for i, at in enumerate(PLACES)]
    conditions = [condition for condition, _ in level_guards("Model", grounds, "do this").values()]
    found = ca.Function("f", [point, normal], [ca.vertcat(*conditions)])(np.array(points).T, np.array(normals).T)
    return [bool(v) for v in np.asarray(found).ravel()]


def plane(slope: float, direction: float) -> list[float]:
    n = np.array([-slope * np.cos(direction), -slope * np.sin(direction), 1.0])
    return [float(v) for v in n / np.linalg.norm(n)]


@pytest.mark.parametrize("direction", [0.0, 1.0, 2.5, -1.2])
@pytest.mark.parametrize(("slope", "level"), [(0.0, True), (0.0099, True), (0.0101, False), (0.5, False)])
def test_a_plane_is_level_up_to_one_percent(slope: float, level: bool, direction: float) -> None:
    """Its point may be anywhere: the heights are those at the wheels."""
    n = plane(slope, direction)
    assert judged([[0.0, 0.0, 3.0]] * 4, [n] * 4)[0] is level
    along = np.array([np.cos(direction), np.sin(direction)])
    points = [[*(100.0 * k * along), 3.0 + slope * 100.0 * k] for k in range(4)]
    assert judged(points, [n] * 4) == judged([[0.0, 0.0, 3.0]] * 4, [n] * 4)


@pytest.mark.parametrize("wheel", [0, 1, 2, 3])
@pytest.mark.parametrize(("step", "level"), [(0.009, True), (-0.009, True), (0.011, False), (-0.011, False)])
def test_a_step_under_one_wheel(wheel: int, step: float, level: bool) -> None:
    points = [[0.0, 0.0, step if i == wheel else 0.0] for i in range(4)]
    assert judged(points, [[0.0, 0.0, 1.0]] * 4) == [True, level]


def test_one_wheel_has_no_step() -> None:
    ground = SimpleNamespace(point=ca.SX.sym("point", 3), normal=ca.SX.sym("normal", 3))
    assert len(level_guards("Model", [(ground, None)], "do this")) == 1
