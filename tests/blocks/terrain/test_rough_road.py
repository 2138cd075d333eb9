"""A vehicle's road of a class, by a factor on its heights."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.terrain.maps.rough import iso_8608
from drawbar.blocks.terrain.rough_road import RoughRoad

pytestmark = pytest.mark.compiler


def test_twice_as_high_is_the_next_class(ask: Callable[..., Any]) -> None:
    rougher = iso_8608("D", 300.0, 8.0, level=5.0)
    x = rougher.x[50:2900:100]
    found = ask(RoughRoad, np.column_stack([x, np.full(len(x), rougher.y[10])]), scale=2.0)
    np.testing.assert_allclose(found["point"][:, 2], rougher.heights[10, 50:2900:100], atol=2e-6)
    assert np.ptp(found["point"][:, 2]) > 0.05
    assert set(found["friction"]) == {0.8}
