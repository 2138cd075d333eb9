"""Gain, sum, product and limit by hand, and the bounds of the limit for any signal."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks.signals.gain import Gain
from drawbar.blocks.signals.product import Product
from drawbar.blocks.signals.saturation import Saturation
from drawbar.blocks.signals.sum import Sum

NUMBERS = st.floats(-1e6, 1e6)


def test_a_gain(bench: Any) -> None:
    assert bench(Gain, gain=-2.5).out(u=3.0) == {"y": -7.5}
    assert Gain.interface().feedthrough == {"y": ("u",)}


@pytest.mark.parametrize(("signs", "y"), [({}, 7.0), ({"sign_2": -1.0}, 3.0), ({"sign_1": -1.0, "sign_2": 0.5}, -4.0)])
def test_a_sum_has_signs(bench: Any, signs: dict[str, float], y: float) -> None:
    assert bench(Sum, **signs).out(u_1=5.0, u_2=2.0) == {"y": y}


def test_a_product_with_one_factor_unconnected_is_the_other(bench: Any) -> None:
    assert bench(Product).out(u_1=5.0, u_2=-2.0) == {"y": -10.0}
    assert bench(Product).out(u_1=5.0) == {"y": 5.0}


@pytest.mark.parametrize(("u", "y"), [(-3.0, -2.0), (-2.0, -2.0), (0.7, 0.7), (5.0, 5.0), (5.1, 5.0)])
def test_a_limit(bench: Any, u: float, y: float) -> None:
    assert bench(Saturation, lower_limit=-2.0, upper_limit=5.0).out(u=u) == {"y": y}


def test_crossed_limits_give_the_least(bench: Any) -> None:
    assert bench(Saturation, lower_limit=1.0, upper_limit=-1.0).out(u=0.0) == {"y": 1.0}


@given(u=NUMBERS, bounds=st.tuples(NUMBERS, NUMBERS).map(sorted))
def test_a_limit_is_within_its_bounds_and_changes_nothing_there(u: float, bounds: list[float]) -> None:
    least, most = bounds
    y = float(Saturation.model().out(0.0, [], [], [u], [least, most]))
    assert least <= y <= most
    assert y == u or u < least == y or u > most == y
