"""Declarations become ports: causality, variability, start values and limits."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks import DefinitionError, Derived, Input, Local, Output, Parameter, State
from drawbar.blocks.authoring.variables import (
    MAX_NAME_LENGTH,
    MAX_SCALARS,
    RESERVED,
    Variable,
    check_limits,
    check_names,
)
from drawbar.blocks.core.interface import Port


def port(word: Variable, name: str = "y", *, sampled: bool = False) -> Port:
    word.__set_name__(object, name)
    return word.port("Block", sampled)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        (Input("m", "a"), ("input", "continuous", None)),
        (Output("m", "a"), ("output", "continuous", "calculated")),
        (Local("m", "a", type=int), ("local", "discrete", "calculated")),
        (Parameter(1.0, "m", "a"), ("parameter", "fixed", "exact")),
        (Parameter(1.0, "m", "a", tunable=True), ("parameter", "tunable", "exact")),
        (Derived("m", "a"), ("calculatedParameter", "fixed", "calculated")),
        (State(1.0, "m", "a"), ("local", "continuous", "exact")),
        (State(1.0, "m", "a", output=True, solve=True), ("output", "continuous", "approx")),
    ],
)
def test_each_word_has_its_attributes_of_fmi(word: Variable, kind: tuple[str, str, str | None]) -> None:
    found = port(word)
    assert (found.causality, found.variability, found.initial) == kind


def test_in_a_sampled_block_inputs_alone_are_continuous() -> None:
    assert port(Input("m", "a"), sampled=True).variability == "continuous"
    assert port(Output("m", "a"), sampled=True).variability == "discrete"


def test_one_start_value_is_that_of_each_element_row_by_row() -> None:
    assert port(Parameter(2.5, "m", "a", size=3)).start == (2.5, 2.5, 2.5)
    assert port(Parameter([[1, 2, 3], [4, 5, 6]], "m", "a", size=(2, 3))).start == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert port(Input("1", "a", type=int, start=3)).start == (3,)
    assert port(Output("m", "a")).start == ()


def test_limits_are_part_of_the_range() -> None:
    check_limits("Block.y", 1.0, 1.0, 1.0)
    check_limits("Block.y", -1e300, None, 0.0)
    for value in (0.5, 1.5, np.nan, np.inf):
        with pytest.raises(DefinitionError, match=r"^Block\.y = "):
            check_limits("Block.y", value, 1.0, 1.0)


@pytest.mark.parametrize(
    ("value", "limits", "message"),
    [
        (0.5, (1.0, None, "kg"), "mass = 0.5 is too small; it must be at least 1 kg"),
        (2.0, (None, 1.5, "1"), "mass = 2 is too large; it must be at most 1.5"),
        (0.5, (1.0, 2.0, "kg"), "mass = 0.5 lies outside its limits 1 to 2 kg"),
    ],
)
def test_limits_are_told_with_their_unit_and_without_infinity(
    value: float, limits: tuple[float | None, float | None, str], message: str
) -> None:
    with pytest.raises(DefinitionError, match=rf"^{message}$"):
        check_limits("mass", value, *limits)


@pytest.mark.parametrize("name", ["_y", "1y", "der", "time", "lambda", "grün", "a" * (MAX_NAME_LENGTH + 1)])
def test_a_name_that_some_tool_refuses_is_refused(name: str) -> None:
    with pytest.raises(DefinitionError, match=name):
        port(Input("m", "a"), name)


def test_the_longest_name_and_the_largest_array_are_taken() -> None:
    assert port(Input("m", "a"), "a" * MAX_NAME_LENGTH).name == "a" * MAX_NAME_LENGTH
    assert port(Input("m", "a", size=MAX_SCALARS)).shape == (MAX_SCALARS,)
    with pytest.raises(DefinitionError, match=f"at most {MAX_SCALARS}"):
        port(Input("m", "a", size=MAX_SCALARS + 1))
    assert "y" not in RESERVED


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Input("m", 3), "give a unit and a meaning"),  # type: ignore[arg-type]
        (lambda: Derived("m", "a", start=1.0), "derived\\(\\) gives it"),
        (lambda: State(0, "1", "a", type=int, solve=True), "only real numbers are solved for"),
    ],
)
def test_a_wrong_word_is_refused_at_once(make: Any, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        make()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"heigth": 1.0}, "sets 'heigth', which is not declared; did you mean 'height'"),
        ({"height": 1.0, "y": 1.0}, "sets 'y', which is not its to set"),
        ({"height": 1.0}, "does not return 'speed'"),
        ({}, "does not return 'height'; it is empty"),
    ],
)
def test_names_that_a_method_returns_are_compared_with_the_declared_ones(given: dict[str, Any], message: str) -> None:
    with pytest.raises(DefinitionError, match=rf"^Body\.derivatives\(\) {message}"):
        check_names("Body", "derivatives", given, ["height", "speed"], ["height", "speed", "y"])


def test_some_of_the_names_may_be_enough() -> None:
    check_names("Body", "initial", {"speed": 1.0}, ["height", "speed"], ["height", "speed"], all_of_them=False)
