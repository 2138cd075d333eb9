"""Obstacles have the shape that they are named for."""

from collections.abc import Callable

import numpy as np
import pytest

from drawbar.blocks import TerrainError
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap
from drawbar.blocks.terrain.maps.envelope import envelope
from drawbar.blocks.terrain.maps.obstacles import ditch, half_round, kerb, pothole, slope, step


def at(of: ElevationMap, *x: float, row: int = 0) -> list[float]:
    return [round(float(v), 9) for v in np.interp(x, of.x, of.heights[row])]


def test_a_half_round_is_half_a_cylinder() -> None:
    made = half_round(0.2, at=10.0)
    assert at(made, 9.7, 9.8, 9.88, 10.0, 10.12, 10.2, 10.3) == pytest.approx([0, 0, 0.16, 0.2, 0.16, 0, 0], abs=1e-6)
    assert (made.x[0], made.x[-1]) == pytest.approx((-10.0, 40.0))
    assert made.heights.shape == (2, 5001), "the same at each y: two rows"


@pytest.mark.parametrize(
    ("made", "x", "z"),
    [
        (step(0.2, at=5.0), (4.99, 5.01, 5.02, 40.0), (0, 0.1, 0.2, 0.2)),
        (step(-0.3, at=5.0), (4.99, 5.02, 40.0), (0, -0.3, -0.3)),
        (kerb(0.12, 0.15, at=5.0), (4.99, 5.01, 5.02, 5.17, 5.18, 5.19), (0, 0.06, 0.12, 0.12, 0.06, 0)),
        (ditch(0.5, 1.0, 0.5, at=5.0), (5.0, 5.5, 6.0, 7.0, 7.5, 8.0), (0, -0.25, -0.5, -0.5, -0.25, 0)),
        (ditch(-0.5, 1.0, 0.5, at=5.0), (5.0, 5.5, 6.0, 8.0), (0, 0.25, 0.5, 0)),
        (pothole(0.1, 0.8, at=5.0, tracks="both"), (5.0, 5.2, 5.4, 5.8), (0, -0.05, -0.1, 0)),
        (slope(0.3, at=10.0), (10.0, 15.0, 35.0, 100.0), (0, 0.75, 6.75, 26.25)),
    ],
)
def test_shapes(made: ElevationMap, x: tuple[float, ...], z: tuple[float, ...]) -> None:
    assert at(made, *x) == pytest.approx(z, abs=1e-6)


def test_an_obstacle_of_one_track_leaves_the_other_level() -> None:
    left, right = step(0.2, tracks="left"), step(0.2, tracks="right")
    above = left.y > 0.026
    assert left.heights[above][:, -1] == pytest.approx(0.2) and not left.heights[~above].any()
    assert right.heights[right.y < -0.026][:, -1] == pytest.approx(0.2)
    assert not right.heights[right.y > -0.026].any()
    assert left.y[[0, -1]] == pytest.approx([-5.0, 5.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: half_round(-0.2), r"radius -0\.2 m: give more than 0"),
        (lambda: half_round(0.2, at=39.9), r"the obstacle is at x = 39\.7 to 40\.1 m, the ground at -10 to 40 m"),
        (lambda: half_round(length=1e9), r"length 1e\+09 m, cell 0\.01 m"),
        (lambda: half_round(tracks="middle"), r"tracks 'middle', width 10 m: tracks are both, left, right"),
        (lambda: half_round(wheel_radius=0.015), r"a wheel of radius 0\.015 m on cells of 0\.01 m along x"),
        (lambda: envelope(half_round(wheel_radius=0.4), 0.4), r"an envelope for a wheel of 0\.4 m already"),
        (lambda: half_round(length=2000.0, cell=1e-3, tracks="left"), "2010001 x 201 points are more than 25000000"),
        (lambda: step(float("nan")), "height nan m"),
        (lambda: ditch(0.5, 1.0, 0.0), "slope 0: give 0.01 to 10"),
        (lambda: slope(0.0), "grade 0: give up to 2"),
    ],
)
def test_what_makes_no_obstacle_is_told(make: Callable[[], ElevationMap], message: str) -> None:
    with pytest.raises(TerrainError, match=message):
        make()
