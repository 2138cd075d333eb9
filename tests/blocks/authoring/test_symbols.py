"""Numpy on symbols gives what it gives on numbers, or says what to write; warnings are errors in these tests."""

import re
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks import Continuous, DefinitionError, Input, Output
from drawbar.blocks.authoring.symbols import guarded_symbols

A, B = np.array([0.3, -0.7, 0.9]), np.array([1.5, 0.4, -2.0])
M = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

ONE = "sin cos tan arcsin arccos arctan sinh cosh tanh exp sign floor ceil abs fabs square negative positive deg2rad "
ONE += "radians rad2deg degrees logical_not"
TWO = "add subtract multiply divide floor_divide mod remainder fmod arctan2 hypot maximum minimum fmax fmin less "
TWO += "less_equal greater greater_equal equal not_equal logical_and logical_or"


def of_one(name: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: getattr(np, name)(a)


def of_two(name: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: getattr(np, name)(a, b)


SAME: dict[str, Callable[[Any, Any], Any]] = {
    **{name: of_one(name) for name in ONE.split()},
    **{name: of_two(name) for name in TWO.split()},
    "log": lambda a, b: np.log(a * a),
    "sqrt": lambda a, b: np.sqrt(a * a + 1),
    "power": lambda a, b: np.power(a * a, b),
    "number on the left": lambda a, b: np.float64(3.0) * a - np.int64(2) / b,
    "array on the left": lambda a, b: B / a + np.maximum(A, b),
    "comparison with an array": lambda a, b: B.__gt__(a),
    "matrix times vector": lambda a, b: M @ a,
    "vector times vector": lambda a, b: np.atleast_1d(B @ a) if isinstance(a, np.ndarray) else B @ a,
    "vector times matrix": lambda a, b: np.array([1.0, 2.0]) @ (M * 2 if isinstance(a, np.ndarray) else M * ca.SX(2)),
    "array of symbols": lambda a, b: np.sin(np.array([a[0], b[1]])),
    "array of symbols and numbers": lambda a, b: b * np.array([a[0], 1.0, a[2]]),
}


def block(outputs: Callable[[Any], Any], size: int = 3) -> Any:
    body = {"a": Input("1", "a", size=3), "b": Input("1", "b", size=3), "y": Output("1", "y", size=size)}
    return type(Continuous)("Body", (Continuous,), {**body, "outputs": lambda self: {"y": outputs(self)}})


@pytest.mark.parametrize("name", SAME)
def test_a_symbol_gives_what_a_number_gives(name: str) -> None:
    wanted = np.asarray(SAME[name](A, B), float)
    found = block(lambda self: SAME[name](self.a, self.b), wanted.size).model().out(0, [], [], [*A, *B], [])
    assert np.asarray(found).ravel() == pytest.approx(wanted, rel=1e-15)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (lambda s: np.clip(s.a, 0, 1), "numpy.clip() needs numbers, not a symbol; use fmin and fmax from drawbar"),
        (lambda s: np.linalg.norm(s.a), "numpy.linalg.norm() needs numbers, not a symbol; use norm_2 from"),
        (lambda s: np.sum(s.a), "numpy.sum() needs numbers, not a symbol; use sum1 from drawbar.blocks"),
        (lambda s: np.add.reduce(s.a), "numpy.add.reduce() needs numbers, not a symbol; use sum1 from drawbar.blocks"),
        (lambda s: np.isnan(s.a), "numpy.isnan() needs numbers, not a symbol; write it with sin, if_else, dot"),
        (lambda s: np.cbrt(s.a), "numpy.cbrt() needs numbers, not a symbol; write it with"),
        (lambda s: np.interp(s.a[0], [0, 1], [0, 1]), "numpy.interp() needs numbers, not a symbol; write it with"),
        (lambda s: np.add(s.a, 1, where=False), "numpy.add() needs numbers, not a symbol; write it with"),
        (lambda s: A.copy().__iadd__(s.a), "an array of numpy takes no symbol in place; write a = a + b for a += b"),
        (lambda s: np.zeros(3).__setitem__(0, s.a[0]), "need a number, not a symbol, and so do arrays of numbers"),
        (lambda s: np.ones((1, 1, 3)) * s.a, "an array of shape (1, 1, 3) has too many dimensions"),
        (lambda s: 1.0 if np.greater(s.a[0], 1.0) else 0.0, "use if_else(condition, a, b)"),
    ],
)
def test_what_has_no_word_is_refused_with_the_word_to_use(outputs: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(DefinitionError, match=re.escape(message)) as caught:
        block(outputs).model()
    assert re.search(r"Body\.outputs\(\) \(test_symbols\.py:\d+\): ", str(caught.value))


def test_an_array_of_symbols_is_a_result() -> None:
    """CasADi on its own makes it an array of NaN without a word."""
    body = block(lambda self: np.array([[self.a[0]], [2.0], [self.b[1]]], dtype=object))
    assert np.asarray(body.model().out(0, [], [], [*A, *B], [])).ravel() == pytest.approx([A[0], 2.0, B[1]])


def test_numpy_on_numbers_and_casadi_elsewhere_stay_as_they_were() -> None:
    names = ("__float__", "__array_ufunc__", "__array_function__")
    before = {name: vars(ca.SX).get(name) for name in names}
    with pytest.raises(ZeroDivisionError), guarded_symbols():
        assert vars(ca.SX)["__float__"] is not before["__float__"]
        assert np.linalg.norm(np.sin(A)) > 0
        raise ZeroDivisionError
    assert {name: vars(ca.SX).get(name) for name in names} == before


def test_a_hook_that_casadi_has_not_is_taken_away_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(ca.SX, "__array_function__", raising=False)  # as in version 3.6
    with guarded_symbols():
        assert "__array_function__" in vars(ca.SX)
    assert "__array_function__" not in vars(ca.SX)
