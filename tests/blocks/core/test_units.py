"""Units of measure: reading them, converting between them, refusing nonsense."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks import DefinitionError
from drawbar.blocks.core.units import _NAMED, BASE, parse_unit

names = st.sampled_from(sorted(set(_NAMED) - {"degC", "1", "%"}))
powers = st.integers(1, 4)


@pytest.mark.parametrize(
    ("unit", "si", "factor"),
    [
        ("1", "1", 1.0),
        ("m/s2", "m/s2", 1.0),
        ("m/s^2", "m/s2", 1.0),
        ("m.s-2", "m/s2", 1.0),
        ("N.s/m", "kg/s", 1.0),
        ("N*m", "kg.m2/s2", 1.0),
        ("km/h", "m/s", 1 / 3.6),
        ("mph", "m/s", 1609.344 / 3600),
        ("mi/h", "m/s", 1609.344 / 3600),
        ("lb", "kg", 0.45359237),
        ("lbf/in2", "kg/m.s2", 6894.757293168),
        ("deg/s", "rad/s", math.pi / 180),
        ("rpm", "rad/s", math.pi / 30),
        ("rev/s", "rad/s", 2 * math.pi),
        ("kN", "kg.m/s2", 1e3),
        ("mm2", "m2", 1e-6),
        ("g_n", "m/s2", 9.80665),
        ("J/(kg.K)", "m2/s2.K", 1.0),
        ("1/s", "1/s", 1.0),
        ("%", "1", 0.01),
    ],
)
def test_known_units(unit: str, si: str, factor: float) -> None:
    quantity = parse_unit(unit)
    assert quantity.si_name() == si
    assert quantity.factor == pytest.approx(factor)
    assert quantity.offset == 0.0


def test_celsius_has_an_offset_only_alone() -> None:
    gain, offset = parse_unit("degC").conversion_to(parse_unit("K"))
    assert 20.0 * gain + offset == pytest.approx(293.15)
    assert parse_unit("W/degC").offset == 0.0


def test_an_angle_is_no_plain_number() -> None:
    assert parse_unit("rad").exponents != parse_unit("1").exponents
    assert parse_unit("rad/s").exponents != parse_unit("Hz").exponents


def test_prefix_and_name_do_not_collide() -> None:
    assert parse_unit("min").factor == 60.0  # not a milli-inch
    assert parse_unit("m").exponents == parse_unit("ft").exponents  # not milli


@given(names, names, powers, powers)
def test_products_add_exponents(a: str, b: str, n: int, m: int) -> None:
    product, over = parse_unit(f"{a}{n}.{b}{m}"), parse_unit(f"{a}{n}/{b}{m}")
    for i in range(len(BASE)):
        assert product.exponents[i] == n * parse_unit(a).exponents[i] + m * parse_unit(b).exponents[i]
        assert over.exponents[i] == n * parse_unit(a).exponents[i] - m * parse_unit(b).exponents[i]


@given(st.sampled_from(["m", "ft", "in", "km"]), st.sampled_from(["m", "ft", "in", "km"]), st.floats(-1e6, 1e6))
def test_there_and_back(a: str, b: str, value: float) -> None:
    there, back = parse_unit(a).conversion_to(parse_unit(b)), parse_unit(b).conversion_to(parse_unit(a))
    assert (value * there[0] + there[1]) * back[0] + back[1] == pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("text", ["", "/s", "m/", "m//s", "m..s", "2m", "m**2", "kmin", "m2.5"])
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(DefinitionError, match=f"unit '{text}'" if "*" not in text else "unit 'm"):
        parse_unit(text)
