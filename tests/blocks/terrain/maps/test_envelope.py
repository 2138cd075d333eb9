"""The envelope of a rolling disk over steps, slots and slopes."""

import numpy as np
import pytest

from drawbar.blocks.terrain.maps.elevation_map import ElevationMap
from drawbar.blocks.terrain.maps.envelope import envelope
from drawbar.blocks.terrain.maps.obstacles import ditch, step


def at(of: ElevationMap, *x: float, row: int = 0) -> list[float]:
    return [round(float(v), 9) for v in np.interp(x, of.x, of.heights[row])]


def test_a_disk_climbs_a_step_on_an_arc() -> None:
    """It touches the edge ahead of its centre; a step lower than its radius, so the centre runs on an arc about it."""
    R, h = 0.47, 0.15
    rolling_disk = step(h, at=10.0, face=0.001, cell=0.005, wheel_radius=R)
    reach = np.sqrt(R**2 - (R - h) ** 2)
    x = np.linspace(10.0 - reach + 0.01, 9.99, 40)
    arc = h + np.sqrt(R**2 - (10.0 - x) ** 2) - R
    np.testing.assert_allclose(np.interp(x, rolling_disk.x, rolling_disk.heights[0]), arc, atol=6e-3)
    assert at(rolling_disk, 10.0 - reach - 0.01) == [0.0]


def test_a_wheel_does_not_see_the_bottom_of_a_narrow_slot() -> None:
    rolling_disk = ditch(0.3, 0.2, 10.0, at=10.0, wheel_radius=0.47)
    half = 0.5 * (0.2 + 2 * 0.03)
    assert rolling_disk.heights.min() == pytest.approx(np.sqrt(0.47**2 - half**2) - 0.47, abs=2e-4)


def test_an_envelope_of_level_ground_and_of_a_slope_is_the_ground_and_is_never_below_it() -> None:
    assert envelope(ElevationMap(np.ones((2, 100)), (0.1, 1.0)), 0.47).heights == pytest.approx(1.0)
    ramp = ElevationMap(np.tile(0.75 * 0.01 * np.arange(400), (2, 1)), (0.01, 1.0))
    rolling_disk = envelope(ramp, 0.5)
    middle = slice(60, -60)
    rise = 0.5 * np.hypot(1.0, 0.75) - 0.5  # the lowest point of a disk that leans on a slope hangs over it
    np.testing.assert_allclose((rolling_disk.heights - ramp.heights)[:, middle], rise, atol=1e-4)
    assert (rolling_disk.heights >= ramp.heights).all()
