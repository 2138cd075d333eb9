"""Conditions are read as comparisons of a value with a limit; the value is the side that varies."""

from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks import DefinitionError, logic_and, logic_or
from drawbar.blocks.authoring.guards import ABOVE, AT_LEAST, AT_MOST, BELOW, EQUAL, OTHER, TRUE, read_guards

X, P = ca.SX.sym("x"), ca.SX.sym("p")
TWO = ca.SX.sym("v", 2)


def found(condition: Any, x: float = 3.0, p: float = 5.0) -> list[tuple[str, int, str, float, float]]:
    """Name, relation, advice, value and limit of each comparison."""
    guards, sides = read_guards("Tank.guards()", {"level": condition}, ca.vertcat(X, TWO))
    numbers = np.array(ca.Function("f", [X, P, TWO], [sides])(x, p, [7.0, 8.0])).ravel()
    n = len(guards)
    return [(g.name, g.relation, g.advice, numbers[i], numbers[n + i]) for i, g in enumerate(guards)]


@pytest.mark.parametrize(
    ("condition", "relation"),
    [
        (X < P, BELOW),
        (X <= P, AT_MOST),
        (X > P, ABOVE),
        (X >= P, AT_LEAST),
        (P > X, BELOW),
        (P <= X, AT_LEAST),
        (X == P, EQUAL),
        (X != P, OTHER),
    ],
)
def test_the_side_that_varies_is_the_value(condition: ca.SX, relation: int) -> None:
    assert found(condition) == [("level", relation, "", 3.0, 5.0)]


def test_conditions_that_must_all_hold_are_read_one_by_one() -> None:
    assert found(logic_and(X > 0, X < P)) == [("level", ABOVE, "", 3.0, 0.0), ("level", BELOW, "", 3.0, 5.0)]


def test_another_logical_expression_is_compared_with_zero() -> None:
    assert found(logic_or(X > 4, P > 4)) == [("level", TRUE, "", 1.0, 0.0)]
    assert found(logic_or(X > 4, P > 4), p=1.0) == [("level", TRUE, "", 0.0, 0.0)]


def test_each_element_of_a_vector_is_a_condition_with_the_same_advice() -> None:
    assert found((TWO > P, "fill it")) == [
        ("level[1]", ABOVE, "fill it", 7.0, 5.0),
        ("level[2]", ABOVE, "fill it", 8.0, 5.0),
    ]


def test_no_condition_is_an_empty_column() -> None:
    guards, sides = read_guards("Tank.guards()", {}, X)
    assert guards == () and sides.shape == (0, 1)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (True, "'level' is the constant True"),
        (ca.SX(1) > 0, "'level' is constant, always true"),
        (X + 1, "'level' is a number, not a condition"),
        ("x > 0", "'level' is a str"),
        ((X > 0, "a" * 101), "101 characters; keep to 100"),
    ],
)
def test_what_is_no_condition_is_refused(condition: Any, message: str) -> None:
    with pytest.raises(DefinitionError, match=message) as raised:
        found(condition)
    assert str(raised.value).startswith("Tank.guards()")
