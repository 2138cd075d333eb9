"""Each operation in C gives the number that CasADi gives, of numbers and of vectors."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.fmus.vectorize.operations import SCALAR, VECTOR

UNARY = [
    *("sqrt", "fabs", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sinh", "cosh", "tanh", "floor"),
    *("ceil", "asinh", "acosh", "atanh", "erf", "log1p", "expm1", "sign"),
]
BINARY = {
    "fmin": ca.fmin,
    "fmax": ca.fmax,
    "atan2": ca.atan2,
    "copysign": ca.copysign,
    "hypot": ca.hypot,
    "fmod": ca.fmod,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and": ca.logic_and,
    "or": ca.logic_or,
    "if": lambda a, b: ca.if_else(a > 0.5, b, 0.0),
    "pow": lambda a, b: ca.power(a, b),
}


def law(operation: Callable[..., ca.SX]) -> ca.Function:
    """Four like results, in which the operation stands between others that make vectors pay."""
    x = ca.SX.sym("x", 12)
    rows = []
    for i in range(4):
        a, b = x[i] * x[4 + i], x[8 + i] * x[i] / (1.0 + x[i] ** 2)
        rows.append(ca.sqrt(a * a + 1.0) * operation(a, b) * b - a / (2.0 + b * b))
    return ca.Function("law", [x], [ca.vertcat(*rows)])


@pytest.mark.compiler
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_it_has_the_bits_of_casadi(name: str, called: Callable[..., Any]) -> None:
    operation = BINARY[name] if name in BINARY else lambda a, b: getattr(ca, name)(a)
    function = law(operation)
    fast, plain = called(function, lanes=True), called(function)
    rng = np.random.default_rng(1)
    for values in [*rng.uniform(0.05, 0.95, (40, 12)), *rng.integers(0, 2, (20, 12)).astype(float)]:
        np.testing.assert_array_equal(fast([values]), plain([values]))


def test_what_is_written_for_vectors_is_written_for_numbers_too() -> None:
    assert set(VECTOR) - set(SCALAR) == set()
    assert all(text.count("{") for text in (*SCALAR.values(), *VECTOR.values()))
