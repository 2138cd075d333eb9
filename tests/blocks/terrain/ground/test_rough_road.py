"""A vehicle's road of a class, by a factor on its heights."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.terrain.ground.rough_road import RoughRoad
from drawbar.blocks.terrain.maps.rough import iso_8608
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance

pytestmark = pytest.mark.compiler


def test_twice_as_high_is_the_next_class(ask: Callable[..., Any]) -> None:
    rougher = iso_8608("D", 300.0, 8.0, level=5.0)
    x = rougher.x[50:2900:100]
    found = ask(RoughRoad, np.column_stack([x, np.full(len(x), rougher.y[10])]), scale=2.0)
    np.testing.assert_allclose(found["point"][:, 2], rougher.heights[10, 50:2900:100], atol=2e-6)
    assert np.ptp(found["point"][:, 2]) > 0.05
    assert set(found["friction"]) == {0.9835}


SEARCHED, DAMPED = 19.576, 28.729  # m, where the start takes three searches by limited steps, and where damped ones do
FURTHER = [pytest.param(x, marks=pytest.mark.slow) for x in (33.305, 79.068, 111.102, 179.746)]


@pytest.mark.parametrize("x", [SEARCHED, DAMPED, *FURTHER])
def test_a_hmmwv_finds_where_it_stands_on_class_g(ask: Callable[..., Any], x: float) -> None:
    """Where its wheels stand up to 0.6 m apart in height; all touch, and no arm is folded over."""
    at = np.column_stack([x + np.repeat([1.6515, -1.6515], 2), np.tile([0.909, -0.909], 2)])
    road = ask(RoughRoad, at, scale=16.0)
    values = {"x": x}
    for k, w in enumerate(WHEELS):
        values |= {f"ground_{w}.{m}[{i + 1}]": road[m][k, i] for m in ("point", "normal") for i in range(3)}
    found = []
    for make in (InterpretedInstance, native_instance):
        car = make(HmmwvVehicle, "car")
        car.initialize(0.0, values)
        car.start()
        found.append(np.array([car.get([f"{name}[{i}]" for i in range(1, 5)]) for name in ("wheel_load", "arm")]))
        car.close()
    loads, arms = found[0]
    up = road["normal"][:, 2]
    # between wheels that hold nothing along their slopes, and ones that hold all and so bear it straight up
    assert loads @ up < 2573.138 * 9.80665 < loads @ (1.0 / up)
    assert (loads > 0.0).all()
    assert np.abs(arms).max() < 0.51
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-9)
