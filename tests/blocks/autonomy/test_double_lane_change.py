"""The course: published geometry, a path that is as smooth as it says, distances that can be checked by hand."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks.autonomy.course import Lane, path
from drawbar.blocks.autonomy.double_lane_change import DoubleLaneChange, cones, course

DEFAULTS = {port.name: float(port.start[0]) for port in DoubleLaneChange.model().p}


def lanes_of(**changes: float) -> tuple[Lane, Lane, Lane]:
    return course(type("Parameters", (), {**DEFAULTS, **changes}))


LANES = lanes_of()


@pytest.fixture
def on_course(bench: Any) -> Any:
    return bench(DoubleLaneChange)


def test_published_geometry() -> None:
    first, second, third = LANES
    assert (first.end - first.start, second.end - second.start, third.end - third.start) == pytest.approx((15, 25, 15))
    assert second.start - first.end == pytest.approx(28.93) and third.start - second.end == pytest.approx(28.93)
    assert second.centre == pytest.approx(3.6105) and (first.centre, third.centre) == (0.0, 0.0)
    assert first.width == third.width == pytest.approx(1.1 * 2.21 + 0.25)
    assert second.width == pytest.approx(1.2 * 2.21 + 0.25)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_near_edges_are_three_and_a_half_metres_apart(side: float) -> None:
    first, second, _ = lanes_of(side=side, vehicle_width=1.8)
    right_edges = [lane.centre - side * lane.width / 2 for lane in (first, second)]
    assert side * (right_edges[1] - right_edges[0]) == pytest.approx(3.5)


@given(st.floats(35.0, 140.0), st.floats(-0.5, 0.5), st.floats(-0.3, 0.3))
def test_errors_of_a_displaced_vehicle(x: float, left: float, turned: float) -> None:
    y, slope, bend = path(x, LANES)
    heading = math.atan(slope)
    pose = [x - left * math.sin(heading), y + left * math.cos(heading), heading + turned, 14.0]
    model = DoubleLaneChange.model()
    names = [name for port in model.y for name in port.scalar_names()]
    out = dict(zip(names, np.asarray(model.out(0, [], [], pose, list(DEFAULTS.values()))).ravel(), strict=True))
    assert out["lateral_error"] == pytest.approx(left, abs=2e-3)
    assert out["heading_error"] == pytest.approx(turned, abs=2e-3)
    assert out["curvature"] == pytest.approx(bend / (1 + slope**2) ** 1.5, abs=5e-4)


@given(st.floats(20.0, 150.0), st.floats(-1.0, 1.0), st.floats(-0.5, 0.5), st.floats(0.0, 25.0))
def test_previewed_points_lie_on_the_path(x: float, left: float, yaw: float, u: float) -> None:
    model = DoubleLaneChange.model()
    y = path(x, LANES)[0] + left
    out = np.asarray(model.out(0, [], [], [x, y, yaw, u], list(DEFAULTS.values()))).ravel()
    distance, offset = out[:10], out[10:20]
    assert distance == pytest.approx(max(u, 1.0) * 0.3 * np.arange(1, 11) / 10)
    for d, o in zip(distance, offset, strict=True):
        px, py = x + d * math.cos(yaw) - o * math.sin(yaw), y + d * math.sin(yaw) + o * math.cos(yaw)
        assert path(px, LANES)[0] == pytest.approx(py, abs=2e-3)


def test_clearance_in_the_middle_of_a_lane(on_course: Any) -> None:
    beside = (1.1 * 2.21 + 0.25 - 2.21) / 2
    assert on_course.out(x=37.0, u=14.0)["clearance"] == pytest.approx(beside)
    assert on_course.out(x=37.0, y=0.1, u=14.0)["clearance"] == pytest.approx(beside - 0.1)
    assert on_course.out(x=37.0, y=0.3, u=14.0)["clearance"] == pytest.approx(beside - 0.3)  # negative: a cone is hit


def test_clearance_ahead_of_the_course(on_course: Any) -> None:
    front = 20.0 + DEFAULTS["outline_centre"] + 4.93 / 2
    beside = (1.1 * 2.21 + 0.25 - 2.21) / 2
    assert on_course.out(x=20.0, u=14.0)["clearance"] == pytest.approx(math.hypot(30.0 - front, beside))


def test_scene_for_the_map() -> None:
    line, points = DoubleLaneChange.scene({})
    assert (line["kind"], points["kind"]) == ("line", "points")
    assert len(points["x"]) == len(points["y"]) == 2 * (4 + 6 + 4)
    assert set(zip(points["x"], points["y"], strict=True)) == set(cones(LANES))
    assert (max(line["y"]), line["y"][0], line["y"][-1]) == pytest.approx((3.6105, 0.0, 0.0))
    assert all(isinstance(v, float) for item in (line, points) for v in item["x"] + item["y"])


def test_scene_follows_the_parameters() -> None:
    line, points = DoubleLaneChange.scene({"side": -1.0, "entry": 50.0})
    assert min(line["y"]) == pytest.approx(-3.6105) and min(points["x"]) == 50.0
