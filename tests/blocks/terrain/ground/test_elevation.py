"""The ground from a map: surfaces that bilinear interpolation meets exactly, normals, soils, edges, envelopes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import FmuError
from drawbar.blocks.terrain.ground.elevation import Elevation
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap
from drawbar.blocks.terrain.soil.soils import row, soil
from drawbar.fmus.backends.native import native_instance

pytestmark = pytest.mark.compiler

PLACES = np.random.default_rng(1).uniform([-9.9, -19.9], [49.9, 19.9], (50, 2))


def saddle() -> ElevationMap:
    """z = 3 + x/4 - y/8 + x y/32, in numbers that 32 bits hold exactly."""
    x, y = np.arange(-16.0, 16.5, 0.5), np.arange(-8.0, 8.25, 0.25)
    east, north = np.meshgrid(x, y)
    return ElevationMap(3.0 + east / 4 - north / 8 + east * north / 32, (0.5, 0.25), (-16.0, -8.0))


class Saddle(Elevation, terrain=saddle):
    pass


def test_a_bilinear_surface_is_met_exactly(ask: Callable[..., Any]) -> None:
    places = PLACES / 4
    x, y = places.T
    found = ask(Saddle, places)
    z = 3.0 + x / 4 - y / 8 + x * y / 32
    np.testing.assert_allclose(found["point"], np.column_stack([x, y, z]), rtol=0, atol=1e-14)
    across = np.column_stack([-(0.25 + y / 32), -(-0.125 + x / 32), np.ones(len(x))])
    np.testing.assert_allclose(found["normal"], across / np.linalg.norm(across, axis=1)[:, None], rtol=0.0, atol=1e-14)


def test_moved_and_scaled(ask: Callable[..., Any]) -> None:
    found = ask(Saddle, PLACES / 4 + [100.0, -50.0], **{"shift[1]": 100.0, "shift[2]": -50.0, "scale": 2.0})
    plain = ask(Saddle, PLACES / 4)
    np.testing.assert_allclose(found["point"][:, 2], 2.0 * plain["point"][:, 2], rtol=0.0, atol=1e-12)
    slopes = plain["normal"][:, :2] / plain["normal"][:, 2:]
    np.testing.assert_allclose(found["normal"][:, :2] / found["normal"][:, 2:], 2.0 * slopes, rtol=0.0, atol=1e-12)


def test_the_normal_is_that_of_central_differences(ask: Callable[..., Any]) -> None:
    h = 1e-5
    cell = np.abs((PLACES + np.array([10.0, 20.0])) % 0.5 - 0.25)
    places = PLACES[(cell < 0.24).all(axis=1)]  # inside of a cell
    assert len(places) > 40
    slopes = [
        (ask(Elevation, places + e)["point"][:, 2] - ask(Elevation, places - e)["point"][:, 2]) / (2.0 * h)
        for e in np.eye(2) * h
    ]
    normal = ask(Elevation, places)["normal"]
    np.testing.assert_allclose(-normal[:, :2] / normal[:, 2:], np.column_stack(slopes), rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, rtol=1e-14)
    assert (normal[:, 2] > 0.0).all()


def test_heights_are_continuous_across_the_edges_of_cells(ask: Callable[..., Any]) -> None:
    on_edges = np.round(PLACES * 2) / 2
    around = [ask(Elevation, on_edges + e)["point"][:, 2] for e in ([1e-9, 0], [-1e-9, 0], [0, 1e-9], [0, -1e-9])]
    assert np.ptp(around, axis=0).max() < 1e-9


def test_the_soil_is_that_of_the_nearest_point(ask: Callable[..., Any]) -> None:
    found = ask(Elevation, [[5.0, 3.24], [5.0, 3.26], [5.0, -3.24], [5.0, -3.26]])
    loam, road = row(soil("tbf_sandy_loam")), row(soil("dry_pavement"))
    names = ["friction", "cohesion", "friction_angle", "shear_modulus", "sinkage_exponent", "k_c", "k_phi"]
    names += ["unit_weight", "cone_index", "surface"]
    np.testing.assert_array_equal(np.column_stack([found[n] for n in names]), [road, loam, road, loam])


def test_off_the_map_the_ground_is_level_with_its_edge(ask: Callable[..., Any]) -> None:
    edge = ask(Elevation, [[-10.0, 3.3], [50.0, 3.3], [7.1, -20.0], [7.1, 20.0], [50.0, 20.0]])
    assert not edge["outside"].any()
    off = ask(Elevation, [[-99.0, 3.3], [50.1, 3.3], [7.1, -21.0], [7.1, 1e9], [60.0, 99.0]])
    assert off["outside"][:, 0].all() and not off["outside"][:, 1:].any()
    np.testing.assert_array_equal(off["point"][:, 2], edge["point"][:, 2])
    assert off["normal"][0, 0] == 0.0 and off["normal"][0, 1] != 0.0
    assert off["normal"][2, 1] == 0.0 and off["normal"][2, 0] != 0.0
    np.testing.assert_array_equal(off["normal"][4], [0.0, 0.0, 1.0])
    for name in ("friction", "k_c"):
        np.testing.assert_array_equal(off[name], edge[name])


@pytest.mark.parametrize("place", [np.nan, np.inf])
def test_a_place_that_is_none_fails(place: float) -> None:
    instance = native_instance(Elevation, "a")
    instance.initialize(0.0, {"ground_rr.at[2]": place})
    instance.start()
    with pytest.raises(FmuError, match="Elevation: the equations of the outputs failed"):
        instance.get(["ground_rr.point[3]"])
    instance.close()


def test_each_wheel_has_its_own_place() -> None:
    instance = native_instance(Elevation, "a")
    at = {w: PLACES[k] for k, w in enumerate(("fl", "fr", "rl", "rr"))}
    instance.initialize(0.0, {f"ground_{w}.at[{i + 1}]": v for w, place in at.items() for i, v in enumerate(place)})
    instance.start()
    for w, place in at.items():
        assert instance.get([f"ground_{w}.point[1]", f"ground_{w}.point[2]"]) == list(place)
    heights = instance.get([f"ground_{w}.point[3]" for w in at])
    assert len(set(heights)) == 4
    instance.close()
    assert Elevation.interface().feedthrough["ground_fl.point[3]"] == ("ground_fl.at[1]", "ground_fl.at[2]")
