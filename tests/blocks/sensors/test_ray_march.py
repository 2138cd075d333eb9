"""Ranges over surfaces whose distance is known, and against the same law in numpy."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.blocks import FmuError, Output, Resource
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.sensors.ray_march import RayMarch, hills
from drawbar.fmus.backends.native import native_instance

pytestmark = pytest.mark.compiler

Array = NDArray[np.float64]
AZIMUTHS = np.linspace(-np.pi / 3, np.pi / 3, 16)
EAST = np.arange(40.0)


class OverPlane(RayMarch):
    """A plane that rises to the north and falls to the east."""

    terrain = Resource("terrain.npy", "heights, m", make=lambda: 0.2 * EAST[:, None] - 0.1 * EAST[None, :])


class BeforeWall(RayMarch):
    """A wall 5 m high, from 30 m to 31 m east a ramp, level behind."""

    terrain = Resource("terrain.npy", "heights, m", make=lambda: np.tile(np.where(EAST > 30.0, 5.0, 0.0), (40, 1)))
    ranges = Output("m", "distance", size=1)


def ranges(block: type[Block], **values: Any) -> Array:
    """The first sample, taken when initialization ends."""
    starts: dict[str, float] = {}
    for name, value in values.items():
        many = np.ravel(value)
        starts |= {name: float(many[0])} if np.ndim(value) == 0 else {f"{name}[{i + 1}]": v for i, v in enumerate(many)}
    instance = native_instance(block, "a")
    try:
        instance.initialize(0.0, starts)
        instance.start()
        return np.array(instance.get([n for port in block.interface().of("output") for n in port.scalar_names()]))
    finally:
        instance.close()


def directions(elevation: float, roll: float, pitch: float, yaw: float, azimuths: Array = AZIMUTHS) -> Array:
    """Unit vectors in the world, one a column; built from three plain rotations."""
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(a), np.sin(a)) for a in (roll, pitch, yaw))
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    flat = np.cos(elevation)
    rays = np.array([flat * np.cos(azimuths), flat * np.sin(azimuths), np.full_like(azimuths, np.sin(elevation))])
    return np.asarray(about_z @ about_y @ about_x @ rays)


def height(terrain: Array, x: Array, y: Array) -> Array:
    j, i = (np.clip(np.floor(v).astype(int), 0, 38) for v in (x, y))
    a, b = y - i, x - j
    south = (1 - b) * terrain[i, j] + b * terrain[i, j + 1]
    north = (1 - b) * terrain[i + 1, j] + b * terrain[i + 1, j + 1]
    return (1 - a) * south + a * north


def dense_march(terrain: Array, position: Array, d: Array, longest: float, fine: float) -> Array:
    """The first of closely spaced points of each ray that is not above the ground: too far by at most `fine`."""
    r = np.arange(0.0, longest, fine)[:, None]
    x, y, z = (position[i] + r * d[i] for i in range(3))
    on_map = (x >= 0) & (x <= 39) & (y >= 0) & (y <= 39)
    below = on_map & (z <= height(terrain, np.clip(x, 0, 39), np.clip(y, 0, 39)))
    return np.where(below.any(axis=0), r[below.argmax(axis=0), 0], longest)


@pytest.mark.parametrize("pose", [(0.0, 0.0, 0.0), (0.05, -0.1, 0.7), (0.3, 0.2, -2.0), (-0.2, 0.1, 3.0)])
def test_a_plane_is_met_where_the_formula_says(pose: tuple[float, float, float]) -> None:
    roll, pitch, yaw = pose
    position, elevation, longest = np.array([20.0, 20.0, 4.0]), -0.1, 12.0
    d = directions(elevation, roll, pitch, yaw)
    # z + r dz = 0.2 (y + r dy) - 0.1 (x + r dx)
    closing = 0.2 * d[1] - 0.1 * d[0] - d[2]
    gap = position[2] - 0.2 * position[1] + 0.1 * position[0]
    r = np.where(closing > 0, gap / np.where(closing > 0, closing, 1.0), np.inf)
    wanted = np.where(r <= longest, r, longest)
    found = ranges(OverPlane, position=position, roll=roll, pitch=pitch, yaw=yaw, elevation=elevation, longest=longest)
    assert np.any(wanted < longest)
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=2e-9)


def test_a_wall_is_met_on_its_ramp_and_not_above_it() -> None:
    level: dict[str, Any] = {"first": 0.0, "span": 0.0, "elevation": 0.0, "longest": 30.0}
    assert ranges(BeforeWall, position=[20.0, 20.0, 2.5], **level) == pytest.approx([10.5], abs=1e-9)
    assert ranges(BeforeWall, position=[20.0, 20.0, 5.001], **level) == [30.0]
    assert ranges(BeforeWall, position=[20.0, 20.0, 2.5], yaw=np.pi, **level) == [30.0], "the wall is behind"
    # obliquely, and for a coarser trial than the ramp is wide
    assert ranges(BeforeWall, position=[20.0, 20.0, 2.5], yaw=np.pi / 4, **level) == pytest.approx(
        [10.5 * np.sqrt(2.0)], abs=1e-9
    )
    assert ranges(BeforeWall, position=[20.0, 20.0, 2.5], stride=1.0, **level) == pytest.approx([10.5], abs=1e-8)


def test_signs_of_the_angles() -> None:
    """A wall to the east; azimuth and yaw turn left, positive pitch lowers the nose, positive roll the right side."""
    at: dict[str, Any] = {"position": [20.0, 20.0, 2.0], "span": 0.0, "elevation": 0.0, "longest": 18.0}
    north = {**at, "yaw": np.pi / 2}
    assert ranges(BeforeWall, **north, first=0.0) == [18.0]
    assert ranges(BeforeWall, **north, first=-np.pi / 2) == pytest.approx([10.4], abs=1e-9)
    assert ranges(BeforeWall, **north, first=0.0, pitch=np.pi / 6) == pytest.approx([4.0], abs=1e-9)
    assert ranges(BeforeWall, **{**north, "roll": np.pi / 6}, first=np.pi / 2) == [18.0], "the left side is up"
    assert ranges(BeforeWall, **{**north, "roll": -np.pi / 6}, first=np.pi / 2) == pytest.approx([4.0], abs=1e-9)


def test_what_meets_no_ground_and_what_begins_below_it() -> None:
    outside = ranges(RayMarch, position=[-50.0, 20.0, 1.0])
    assert (outside == 30.0).all(), "the map is out of range"
    assert (ranges(RayMarch, position=[-5.0, 20.0, 5.0], yaw=np.pi) == 30.0).all(), "and there it is behind"
    assert (ranges(RayMarch, position=[20.0, 20.0, -1.0]) == 0.0).all()
    assert (ranges(RayMarch, position=[20.0, 20.0, 2.0], elevation=1.5) == 30.0).all(), "the sky"
    # from outside a ray may reach the ground of the map
    assert ranges(RayMarch, position=[-5.0, 8.0, 3.0], elevation=-0.1).min() < 30.0


def test_numpy_finds_the_same_ranges_from_random_poses() -> None:
    terrain, random, fine = hills(), np.random.default_rng(5), 2e-4
    met = 0
    for _ in range(25):
        position = np.array([*random.uniform(-3.0, 42.0, 2), random.uniform(1.0, 5.0)])
        roll, pitch, yaw = random.uniform([-0.3, -0.1, -np.pi], [0.3, 0.3, np.pi])
        found = ranges(RayMarch, position=position, roll=roll, pitch=pitch, yaw=yaw, stride=0.002)
        wanted = dense_march(terrain, position, directions(-0.05, roll, pitch, yaw), 30.0, fine)
        met += int((wanted < 30.0).sum())
        # a ray that grazes a crest between two trials is the one thing in which the two may differ
        differ = ~((found <= wanted + 1e-8) & (found >= wanted - fine - 1e-8))
        assert differ.sum() <= 1, (position, roll, pitch, yaw, found[differ], wanted[differ])
    assert met > 100


def test_a_step_that_cannot_end_is_refused() -> None:
    instance = native_instance(RayMarch, "a")
    instance.initialize(0.0, {"stride": 0.0})
    with pytest.raises(FmuError, match="the equations failed at the start"):
        instance.start()
    instance.close()
