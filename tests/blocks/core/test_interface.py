"""Ports and their scalars, and periods as exact fractions of a second."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks.core.interface import MAX_PERIOD_TERM, Interface, Port, exact_period


def test_elements_are_named_from_one_and_row_by_row() -> None:
    scalar, matrix = Port("x", "input", "continuous"), Port("J", "input", "continuous", shape=(2, 3))
    assert (scalar.size, scalar.scalar_names()) == (1, ["x"])
    assert (matrix.size, matrix.scalar_names()) == (6, ["J[1,1]", "J[1,2]", "J[1,3]", "J[2,1]", "J[2,2]", "J[2,3]"])


def test_ports_are_found_by_name_and_by_causality_in_order() -> None:
    a, b, c = Port("a", "input", "continuous"), Port("b", "output", "continuous"), Port("c", "parameter", "fixed")
    block = Interface("Block", (c, b, a))
    assert block.port("b") is b
    assert block.port("d") is None
    assert block.of("input", "parameter") == [c, a]


@pytest.mark.parametrize(
    ("given_", "exact"),
    [
        (0.01, Fraction(1, 100)),
        (1 / 30, Fraction(1, 30)),
        ("1/30", Fraction(1, 30)),
        ("0.0001", Fraction(1, 10000)),
        (2, Fraction(2)),
        (Fraction(1, 7), Fraction(1, 7)),
        (MAX_PERIOD_TERM, Fraction(MAX_PERIOD_TERM)),
        (Fraction(1, MAX_PERIOD_TERM), Fraction(1, MAX_PERIOD_TERM)),
    ],
)
def test_a_period_is_exact(given_: float | str | Fraction, exact: Fraction) -> None:
    assert exact_period(given_) == exact


@given(st.integers(1, 1000), st.integers(1, 100_000))
def test_a_float_quotient_is_understood(numerator: int, denominator: int) -> None:
    assert exact_period(numerator / denominator) == Fraction(numerator, denominator)


@pytest.mark.parametrize(
    "value",
    [
        0.0,
        -0.01,
        "0",
        "soon",
        "1/0",
        float("inf"),
        float("nan"),
        1e-7,
        3.14159265358979,
        10 * MAX_PERIOD_TERM,
        "1/3000000000000",
    ],
)
def test_what_is_no_period_is_refused_with_its_value(value: float | str) -> None:
    with pytest.raises(ValueError, match=str(value).replace("+", r"\+")):
        exact_period(value)
