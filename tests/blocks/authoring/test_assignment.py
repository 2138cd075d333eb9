"""Values that a script assigns are taken in the declared type, or refused where they would change."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks import DefinitionError, Output
from drawbar.blocks.authoring.assignment import (
    PYTHON_FORMS,
    assignment_checks,
    check_array,
    nearest_output,
)
from drawbar.blocks.core.numbers import MAX_INTEGER, MIN_INTEGER


def check(type_: Any, value: Any, size: Any = None) -> Any:
    word = Output("1", "output", type=type_, size=size)
    word.name = "y"
    ((port, checked),) = assignment_checks([word.port("Block", sampled=True)])
    assert port.name == "y"
    return checked(value)


@pytest.mark.parametrize(
    ("type_", "value", "kept"),
    [(float, 2, 2.0), (int, 7.0, 7), (bool, 1, True), (int, MIN_INTEGER, MIN_INTEGER), (float, np.float32(0.5), 0.5)],
)
def test_a_value_that_does_not_change_is_taken_in_the_declared_type(type_: Any, value: Any, kept: Any) -> None:
    assert check(type_, value) == kept and type(check(type_, value)) is type_


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (float, float("nan")),
        (float, float("-inf")),
        (int, 2.5),
        (int, MAX_INTEGER + 1),
        (int, MIN_INTEGER - 1),
        (bool, 2),
        (float, "3"),
    ],
)
def test_a_value_that_would_change_or_cannot_be_sent_is_refused(type_: Any, value: Any) -> None:
    with pytest.raises(DefinitionError, match=r"^'y' is "):
        check(type_, value)


def test_an_array_is_copied_and_converted() -> None:
    given = np.array([[1, 2], [3, 4]])
    kept = check(float, given, size=(2, 2))
    given[0, 0] = 9
    assert kept.dtype == np.float64 and kept.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1.0, 2.0, 3.0], r"'y' has shape \(3,\), but its declaration says \(2,\)"),
        ([1.0, np.inf], r"'y\[2\]' is inf"),
    ],
)
def test_a_wrong_array_is_refused_with_its_place(value: Any, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        check(float, value, size=2)


def test_an_array_that_was_changed_in_place_is_checked_again() -> None:
    with pytest.raises(DefinitionError, match=r"'y\[1,2\]' is 2147483648"):
        check_array("y", np.array([[0, MAX_INTEGER + 1]]))
    with pytest.raises(DefinitionError, match=r"'y\[1\]' is -9223372036854775808"):  # whose magnitude overflows
        check_array("y", np.array([-(2**63)]))
    flags = np.array([True, False])
    assert check_array("y", flags) is flags


def test_the_elements_of_a_port_are_read_as_a_python_value() -> None:
    assert PYTHON_FORMS["Integer"].read([3], ()) == 3
    assert PYTHON_FORMS["Real"].read([1, 2, 3, 4], (2, 2)).tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("alram", "output 'alarm'"), ("Alarm", "output 'alarm'"), ("_alarm", None), ("previous", None)],
)
def test_a_misspelt_output_is_found(name: str, meant: str | None) -> None:
    assert nearest_output(name, ["alarm", "count"]) == meant
