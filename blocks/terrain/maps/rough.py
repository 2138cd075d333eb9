"""Random rough ground: roads of the ISO 8608 classes, and courses of a given RMS height."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from drawbar.blocks.core.errors import TerrainError, did_you_mean
from drawbar.blocks.terrain.maps.elevation_map import MAX_POINTS, ElevationMap, Floats
from drawbar.blocks.terrain.maps.envelope import envelope

# geometric means of G_d(n_0), m3, ISO 8608: each class is four times the one before it
CLASSES = {name: 16e-6 * 4**k for k, name in enumerate("ABCDEFGH")}
N_0 = 0.1  # 1/m, the spatial frequency at which the classes are defined
MAX_WAVELENGTH = 18.288  # m, 60 ft, longest wave of an RMS course


def iso_8608(
    road_class: str = "C",
    length: float = 200.0,
    width: float = 8.0,
    *,
    cell: tuple[float, float] = (0.1, 0.25),
    seed: int = 1,
    waviness: float = 2.0,
    level: float = 0.0,
    wheel_radius: float = 0.0,
) -> ElevationMap:
    """Return a road of an ISO 8608 class, A (very good) to H, from x = 0 to `length` and `width` m wide about y = 0.

    The displacement spectral density of a profile along x, in m3 over the spatial frequency n in cycles/m::

        G_d(n) = G_d(n_0) (n/n_0)^-w        n_0 = 0.1/m, w = `waviness` = 2

    with the geometric mean of the class for G_d(n_0), from n = 1/length to half a cycle a cell. The field is a sum of
    waves of random phase in all directions and approximately isotropic: neighbouring tracks are similar in long waves
    but not in short ones. It repeats beyond its length and width without a seam. The mean of the density over the width
    is exactly that of the class at every frequency; the density of a single track scatters about it. The same seed
    gives the same bytes.

    The first `level` m are level; over the same length the road then blends in. With a `wheel_radius` the map is
    an `envelope` for it.
    """
    if road_class not in CLASSES:
        name = str(road_class).upper()
        hint = f"; did you mean '{name}'?" if name in CLASSES else did_you_mean(str(road_class), CLASSES)
        raise TerrainError(f"there is no road class '{road_class}'" + hint)
    if not 1.0 <= waviness <= 4.0:
        raise TerrainError(f"waviness {waviness:g}: give 1 to 4; the standard has 2")
    density = CLASSES[road_class]
    heights = _random_field(length, width, cell, seed, lambda n: density * (n / N_0) ** -waviness)
    return _as_map(heights, cell, level, wheel_radius)


def rms_course(
    rms: float = 0.025,
    length: float = 200.0,
    width: float = 8.0,
    *,
    cell: tuple[float, float] = (0.1, 0.25),
    seed: int = 1,
    level: float = 0.0,
    wheel_radius: float = 0.0,
) -> ElevationMap:
    """Return a course of the ride tests of mobility: random ground of an RMS height in m, without waves above 60 ft.

    The density falls with n^-2 from n = 1/18.288 m on, and is scaled so that the map has the given RMS height. `level`
    and `wheel_radius` as for `iso_8608`.
    """
    if not 1e-5 <= rms <= 1.0:
        raise TerrainError(f"rms {rms:g} m: give 0.00001 to 1 m")
    heights = _random_field(length, width, cell, seed, lambda n: np.where(n >= 1.0 / MAX_WAVELENGTH, n**-2.0, 0.0))
    return _as_map(heights * (rms / np.sqrt(np.mean(heights[:-1, :-1] ** 2))), cell, level, wheel_radius)


def _random_field(
    length: float, width: float, cell: tuple[float, float], seed: int, density: Callable[[Floats], Floats]
) -> Floats:
    """Return heights whose profiles along x have a one-sided density G(n), a periodic field on the grid of cells."""
    for name, size, step in (("length", length, cell[0]), ("width", width, cell[1])):
        if not 1e-3 <= step <= 10.0 or not 4.0 * step <= size <= 1e5:
            raise TerrainError(f"{name} {size:g} m in cells of {step:g} m; give at least four cells of 0.001 to 10 m")
    columns, rows = round(length / cell[0]), round(width / cell[1])
    if columns * rows > MAX_POINTS:
        raise TerrainError(f"{columns} x {rows} points are more than {MAX_POINTS}; take coarser cells")
    if not 0 <= seed < 2**63:
        raise TerrainError(f"seed {seed}: give a whole number from 0 to 2^63 - 1")
    n_x: Floats = np.asarray(np.fft.rfftfreq(columns, cell[0])[1:], np.float64)
    n_y = np.fft.fftfreq(rows, cell[1])
    # isotropic: the density in the plane falls by one more power of n than that along a line; the part that the width
    # resolves is scaled for each n_x so that the density along the line is exact
    share = (n_x[None, :] ** 2 + n_y[:, None] ** 2) ** -1.5
    share /= share.sum(axis=0)
    power = np.asarray(share * np.asarray(density(n_x)) / length)
    phase = np.random.Generator(np.random.PCG64(seed)).random(power.shape)
    waves = np.zeros((rows, columns // 2 + 1), complex)
    waves[:, 1:] = np.sqrt(0.5 * power) * np.exp(2j * math.pi * phase) * (columns * rows)
    if columns % 2 == 0:
        waves[:, -1] = 0.0
    found = np.fft.irfft2(waves, (rows, columns))
    # the period, closed at its end
    return np.asarray(np.pad(found, [(0, 1), (0, 1)], mode="wrap"))


def _as_map(heights: Floats, cell: tuple[float, float], level: float, wheel_radius: float) -> ElevationMap:
    rows, columns = heights.shape
    x = cell[0] * np.arange(columns)
    if not 0.0 <= level <= 0.25 * x[-1]:
        raise TerrainError(f"level {level:g} m: give 0 to a quarter of the length, {0.25 * x[-1]:g} m")
    if level:
        t = np.clip(x / level - 1.0, 0.0, 1.0)
        heights = heights * (t * t * (3.0 - 2.0 * t))
    # rounded, so that rounding differences of libraries do not change the bytes
    found = ElevationMap(np.round(heights, 6), cell, (0.0, -0.5 * cell[1] * (rows - 1)))
    return envelope(found, wheel_radius) if wheel_radius else found
