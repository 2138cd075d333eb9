"""Rough roads against the lines of their classes."""

import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.blocks import TerrainError
from drawbar.blocks.terrain.maps.rough import CLASSES, MAX_WAVELENGTH, iso_8608, rms_course

Array = NDArray[np.float64]


def densities(heights: Array, cell: float) -> tuple[Array, Array]:
    """Spatial frequencies in 1/m, and the one-sided density in m3 of each row of a periodic field."""
    rows = heights[:-1, :-1]
    n = np.fft.rfftfreq(rows.shape[1], cell)
    G = 2.0 * np.abs(np.fft.rfft(rows, axis=1)) ** 2 / rows.shape[1] * cell
    return n[1:-1], G[:, 1:-1]


@pytest.mark.parametrize(("road_class", "at_n_0"), [("A", 16e-6), ("C", 256e-6), ("E", 4096e-6), ("H", 262144e-6)])
def test_the_density_is_the_line_of_its_class(road_class: str, at_n_0: float) -> None:
    """Geometric means of ISO 8608, table C.1; 1 % is what rounding to micrometres leaves on the best road."""
    assert CLASSES[road_class] == pytest.approx(at_n_0)
    n, G = densities(iso_8608(road_class, cell=(0.2, 0.5)).heights, 0.2)
    assert (n[0], n[-1]) == pytest.approx((0.005, 2.495))
    np.testing.assert_allclose(G.mean(axis=0), at_n_0 * (n / 0.1) ** -2, rtol=0.01)


def test_each_track_scatters_about_the_line() -> None:
    n, G = densities(iso_8608("C").heights, 0.1)
    ratio = G / (256e-6 * (n / 0.1) ** -2)
    short = ratio[:, n > 0.5]
    assert short.mean() == pytest.approx(1.0, rel=1e-3)
    assert 0.5 < short.std() < 1.2, "a random phase in each direction, not the same profile in each track"


def test_tracks_are_alike_at_long_waves_and_not_at_short_ones() -> None:
    heights = iso_8608("C", cell=(0.1, 0.25)).heights[:-1, :-1]
    a, b = np.fft.rfft(heights[8]), np.fft.rfft(heights[16])  # 2 m apart
    n = np.fft.rfftfreq(heights.shape[1], 0.1)

    def coherence(band: NDArray[np.bool_]) -> float:
        cross = np.sum(a[band] * np.conj(b[band]))
        return float(np.abs(cross) ** 2 / np.sum(np.abs(a[band]) ** 2) / np.sum(np.abs(b[band]) ** 2))

    assert coherence((n > 0) & (n < 0.04)) > 0.9
    assert coherence(n > 1.0) < 0.1


def test_the_same_seed_gives_the_same_bytes_and_another_does_not() -> None:
    one, two, other = (iso_8608("B", seed=seed).arrays()["heights"].tobytes() for seed in (7, 7, 8))
    assert one == two != other


def test_a_road_has_the_size_asked_for_and_closes_on_itself() -> None:
    road = iso_8608("C", 100.0, 6.0, cell=(0.1, 0.5))
    assert (road.x[0], road.x[-1], road.y[0], road.y[-1]) == pytest.approx((0.0, 100.0, -3.0, 3.0))
    np.testing.assert_array_equal(road.heights[:, 0], road.heights[:, -1])
    np.testing.assert_array_equal(road.heights[0], road.heights[-1])
    assert abs(road.heights[:, :-1].mean()) < 1e-6


def test_it_may_begin_level() -> None:
    road, plain = iso_8608("D", level=10.0), iso_8608("D")
    assert not road.heights[:, :101].any()
    np.testing.assert_array_equal(road.heights[:, 200:], plain.heights[:, 200:])


def test_an_rms_course_has_its_height_and_no_long_waves() -> None:
    course = rms_course(0.05, seed=3)
    assert np.sqrt(np.mean(course.heights[:-1, :-1] ** 2)) == pytest.approx(0.05, rel=1e-6)
    n, G = densities(course.heights, 0.1)
    there = n >= 1.0 / MAX_WAVELENGTH
    assert G[:, ~there].max() < 1e-9 * G.max()
    np.testing.assert_allclose(np.polyfit(np.log(n[there]), np.log(G.mean(axis=0)[there]), 1)[0], -2.0, atol=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"road_class": "d"}, "there is no road class 'd'; did you mean 'D'"),
        ({"waviness": 9.0}, "waviness 9: give 1 to 4"),
        ({"length": 0.1}, "length 0.1 m in cells of 0.1 m; give at least four cells"),
        ({"width": float("nan")}, "width nan m"),
        ({"cell": (0.0, 1.0)}, "length 200 m in cells of 0 m"),
        ({"length": 9e4, "cell": (0.01, 0.25)}, "more than 25000000; take coarser cells"),
        ({"seed": -1}, "seed -1: give a whole number"),
        ({"level": 90.0}, "level 90 m: give 0 to a quarter of the length, 50 m"),
    ],
)
def test_what_makes_no_road_is_told(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(TerrainError, match=message):
        iso_8608(**arguments)  # type: ignore[arg-type]


def test_what_makes_no_course_is_told() -> None:
    with pytest.raises(TerrainError, match="rms 0 m: give "):
        rms_course(0.0)
