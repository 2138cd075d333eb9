"""Numbers of JSON files, whose size JSON does not limit."""

import json
import math
from typing import Any

import pytest

from drawbar.blocks.core.numbers import MAX_INTEGER, MIN_INTEGER, are_integers, as_float, is_finite


@pytest.mark.parametrize(
    ("text", "number"),
    [("2", 2.0), ("-0.5", -0.5), ("1e400", math.inf), (f"1{400 * '0'}", math.inf), (f"-1{400 * '0'}", -math.inf)],
)
def test_a_number_is_a_float_infinite_beyond_the_range_of_floats(text: str, number: float) -> None:
    found = as_float(json.loads(text))
    assert isinstance(found, float)
    assert found == number
    assert is_finite(json.loads(text)) == math.isfinite(number)


@pytest.mark.parametrize("value", [True, False, None, "1", [1.0], {}])
def test_what_is_no_number_has_no_value(value: Any) -> None:
    assert as_float(value) is None
    assert not is_finite(value)


def test_nan_is_a_number_that_is_not_finite() -> None:
    found = as_float(json.loads("NaN"))
    assert found is not None
    assert math.isnan(found)
    assert not is_finite(found)


def test_which_numbers_are_integers_of_fmi() -> None:
    given = [MIN_INTEGER - 1.0, MIN_INTEGER, 0.0, 0.5, MAX_INTEGER, MAX_INTEGER + 1.0, math.nan, math.inf]
    assert are_integers(given).tolist() == [False, True, True, False, True, False, False, False]
