"""The circle, by hand."""

import contextlib
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.autonomy.circle import Circle
from drawbar.blocks.core.errors import DrawbarError
from drawbar.fmus.backends.interpreted import InterpretedInstance


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_on_the_circle_the_path_curves_to_its_side(bench: Any, side: float) -> None:
    found = bench(Circle, radius=50.0, side=side, preview_time=1.0).out(u=10.0)
    d = np.arange(1.0, 11.0)
    assert found["preview.distance"] == pytest.approx(d)
    assert found["preview.offset"] == pytest.approx(side * (50.0 - np.sqrt(2500.0 - d**2)))
    assert found["lateral_error"] == pytest.approx(0.0)


def test_it_is_the_same_all_around(bench: Any) -> None:
    circle = bench(Circle, radius=50.0)
    start = circle.out(u=15.0)
    for angle in np.linspace(0.1, 6.0, 7):
        there = circle.out(x=50.0 * np.sin(angle), y=50.0 * (1 - np.cos(angle)), yaw=angle, u=15.0)
        assert there["preview.offset"] == pytest.approx(start["preview.offset"], abs=1e-9)


def test_outside_of_a_left_circle_it_is_to_the_right(bench: Any) -> None:
    found = bench(Circle, radius=50.0).out(y=-2.0, u=10.0)
    assert found["lateral_error"] == pytest.approx(-2.0)
    assert (found["preview.offset"] > 2.0).all()


@pytest.mark.parametrize(("u", "holds"), [(0.0, True), (70.0, True), (72.0, False)])
def test_a_look_beyond_the_circle_ends_the_run(u: float, holds: bool) -> None:
    """The last preview point would lie where there is no path: 50 m ahead on a circle of that radius."""
    circle = InterpretedInstance(Circle, "circle")
    with contextlib.nullcontext() if holds else pytest.raises(DrawbarError, match="the preview distance, over the rad"):
        circle.initialize(0.0, {"u": u, "radius": 50.0, "preview_time": 0.7})
        circle.start()
