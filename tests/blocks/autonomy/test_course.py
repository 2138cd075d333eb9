"""The geometry of lane changes: path, derivatives, and distances from an outline."""

import math

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks.autonomy.course import Lane, distance_from_outline, path, quintic
from drawbar.blocks.autonomy.double_lane_change import DoubleLaneChange, course

DEFAULTS = {port.name: float(port.start[0]) for port in DoubleLaneChange.model().p}


def lanes_of(**changes: float) -> tuple[Lane, Lane, Lane]:
    return course(type("Parameters", (), {**DEFAULTS, **changes}))


LANES = lanes_of()


def test_path_runs_along_the_lane_centres() -> None:
    for lane in LANES:
        for x in np.linspace(lane.start, lane.end, 7):
            assert path(x, LANES) == pytest.approx((lane.centre, 0.0, 0.0), abs=1e-12)


@given(st.floats(0.0, 175.0))
def test_slope_and_bend_are_the_derivatives_of_the_path(x: float) -> None:
    h = 1e-4
    (before, slope_before, _), (_, slope, bend), (after, slope_after, _) = (path(x + d, LANES) for d in (-h, 0.0, h))
    assert (after - before) / (2 * h) == pytest.approx(slope, abs=1e-7)
    assert (slope_after - slope_before) / (2 * h) == pytest.approx(bend, abs=1e-6)


def test_curvature_is_continuous() -> None:
    bends = np.array([path(x, LANES)[2] for x in np.arange(20.0, 160.0, 0.01)])
    assert np.abs(bends).max() == pytest.approx(10 / math.sqrt(3) * 3.6105 / 28.93**2, rel=1e-4)
    assert np.abs(np.diff(bends)).max() < 1e-4  # the steepest rise is 60 h/l3 = 0.009 per metre


@given(st.floats(-1.0, 2.0))
def test_ramp_is_symmetric(s: float) -> None:
    value, first, second = quintic(s)
    other = quintic(1.0 - s)
    assert (value + other[0], first, second) == pytest.approx((1.0, other[1], -other[2]), abs=1e-12)


@given(st.floats(-4, 4), st.floats(-4, 4), st.floats(-3, 3))
def test_distance_from_a_rectangle_against_sampling(x: float, y: float, heading: float) -> None:
    distance = float(distance_from_outline((x, y), (0.5, -0.2, heading), 3.0, 1.0))
    c, s = math.cos(heading), math.sin(heading)
    a, b = (x - 0.5) * c + (y + 0.2) * s, -(x - 0.5) * s + (y + 0.2) * c
    t = np.linspace(-1.0, 1.0, 401)
    edges = [(1.5 * t, 0.5 + 0 * t), (1.5 * t, -0.5 + 0 * t), (1.5 + 0 * t, 0.5 * t), (-1.5 + 0 * t, 0.5 * t)]
    nearest = min(float(np.hypot(ex - a, ey - b).min()) for ex, ey in edges)
    assert abs(distance) == pytest.approx(nearest, abs=4e-3)
    assert (distance < 0) == (abs(a) < 1.5 and abs(b) < 0.5)


def test_the_path_is_the_same_for_numbers_and_symbols() -> None:
    x = ca.SX.sym("x")
    symbolic = ca.Function("path", [x], list(path(x, LANES)))
    for value in (10.0, 50.0, 61.3, 80.0, 111.1):
        assert [float(v) for v in symbolic(value)] == pytest.approx(path(value, LANES), abs=1e-14)
