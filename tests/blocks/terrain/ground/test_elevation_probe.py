"""The probe answers as the ground under the wheels does."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.terrain.ground.elevation import Elevation
from drawbar.blocks.terrain.ground.elevation_probe import ElevationProbe
from drawbar.fmus.backends.native import native_instance

pytestmark = pytest.mark.compiler


def test_it_answers_for_each_place_as_the_ground_does(ask: Callable[..., Any]) -> None:
    places = np.array([[3.3, 4.1], [-8.2, 0.3], [20.0, -3.6], [77.0, 1.0]])
    ground = ask(Elevation, places + np.array([1.0, 2.0]), **{"shift[1]": 1.0, "shift[2]": 2.0, "scale": 1.5})
    instance = native_instance(ElevationProbe, "a")
    starts = {f"at[{i + 1},{j + 1}]": float(places[i, j]) for i in range(4) for j in range(2)}
    instance.initialize(0.0, {**starts, "scale": 1.5})
    instance.start()
    names = {p.name: p.scalar_names() for p in ElevationProbe.interface().of("output")}
    found = {name: np.array(instance.get(scalars)) for name, scalars in names.items()}
    instance.close()
    np.testing.assert_allclose(found["height"], ground["point"][:, 2], rtol=1e-14)
    np.testing.assert_allclose(found["normal"].reshape(4, 3), ground["normal"], rtol=0.0, atol=1e-14)
    np.testing.assert_array_equal(found["outside"], ground["outside"][:, 0])
    assert list(found["soil"]) == [1, 0, 1, 0]
