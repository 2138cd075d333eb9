"""Conditions: what they mean, which the property test asks Python itself, and the message for each wrong text."""

import math
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawbar.blocks import UsageError
from drawbar.orchestrator.scenario.condition import MAX_DEPTH, MAX_LENGTH, Condition

LOADS = [f"vehicle.wheel_load[{i}]" for i in range(1, 5)]
NAMES = ["vehicle.y", "vehicle.yaw_rate", *LOADS, "p.J[1,1]", "p.J[1,2]", "wheel[1].load", "f.der(x)", "f.in"]


def holds(text: str, **columns: list[float]) -> list[bool]:
    """The condition on `y` (vehicle.y), `r` (vehicle.yaw_rate) and `time`."""
    length = len(next(iter(columns.values())))
    arrays = {"time": np.arange(float(length)), **{k: np.asarray(v) for k, v in columns.items()}}
    full = {{"y": "vehicle.y", "r": "vehicle.yaw_rate"}.get(k, k): v for k, v in arrays.items()}
    found = Condition(text, NAMES).evaluate(full)
    assert found.dtype == np.bool_
    return [bool(v) for v in found]


def test_a_condition_holds_sample_by_sample() -> None:
    text = "vehicle.y > 3.5 and abs(vehicle.yaw_rate) >= 0.2 or time > 4"
    y, r, time = [4.0, 4.0, 3.0, 4.0, 0.0], [0.1, -0.2, 0.3, math.nan, 0.0], [0.0, 1.0, 2.0, 3.0, 5.0]
    assert holds(text, y=y, r=r, time=time) == [False, True, False, False, True]
    assert Condition(text, NAMES).signals == ("vehicle.y", "vehicle.yaw_rate")


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("-vehicle.y**2 < -8", 3.0),  # the power binds more tightly than the minus
        ("2**3**2 == 512 + 0*vehicle.y", 3.0),
        ("1 < vehicle.y < 4 <= 5", 3.0),
        ("not vehicle.y < 3", 3.0),
        ("max(1, vehicle.y, 2) == 3 and min(4, vehicle.y) == 3", 3.0),
        ("abs(sin(vehicle.y) - 0.14112) < 1e-5 and abs(cos(vehicle.y) + 0.98999) < 1e-5", 3.0),
        ("sqrt(vehicle.y) == 1.5", 2.25),
        ("  vehicle.y\n  > 2", 3.0),
    ],
)
def test_operators_and_functions_mean_what_they_mean_in_python(text: str, at: float) -> None:
    assert holds(text, y=[at]) == [True]
    assert holds(f"not ({text})", y=[at]) == [False]


def test_elements_are_named_as_fmi_names_them() -> None:
    condition = Condition("p.J[1, 2] > wheel[1].load or p.J[1,2] > vehicle.wheel_load[4]", NAMES)
    assert condition.signals == ("p.J[1,2]", "wheel[1].load", "vehicle.wheel_load[4]")
    columns = {n: np.array([v, v]) for n, v in zip(condition.signals, (2.0, 3.0, 1.0), strict=True)}
    assert condition.evaluate({**columns, "time": np.zeros(2)}).tolist() == [True, True]


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "==", "!="])
def test_a_comparison_with_nan_is_false(operator: str) -> None:
    assert holds(f"vehicle.y {operator} 1", y=[math.nan]) == [False]
    assert holds(f"vehicle.y {operator} vehicle.yaw_rate", y=[1.0], r=[math.nan]) == [False]
    assert holds(f"max(0, vehicle.y) {operator} 1", y=[math.nan]) == [False]
    assert holds(f"min(vehicle.y, 0) {operator} 1", y=[math.nan]) == [False]


def test_not_equal_is_true_where_numbers_differ() -> None:
    assert holds("vehicle.y != 1", y=[1.0, 2.0, math.inf]) == [False, True, True]


def test_division_by_zero_roots_and_overflow_warn_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert holds("1/vehicle.y > 9 or sqrt(vehicle.y) > 1 or 0/0 > 1", y=[0.0, -1.0]) == [True, False]
        assert holds("time < 10**10**10", y=[0.0]) == [True]


def test_a_condition_on_time_alone_has_no_signals() -> None:
    assert Condition("time >= 2", NAMES).signals == ()
    assert holds("time >= 2", y=[0.0] * 4) == [False, False, True, True]


def test_whole_numbers_and_booleans_count_as_numbers() -> None:
    condition = Condition("-vehicle.y == -1 and vehicle.yaw_rate**-1 < 0.4", NAMES)
    columns = {"time": np.zeros(2), "vehicle.y": np.array([True, False]), "vehicle.yaw_rate": np.array([3, 3])}
    assert condition.evaluate(columns).tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("vehicle.y", 1, "'vehicle.y' is a number, not a condition; compare it, as in vehicle.y > 0"),
        ("time > 1 and vehicle.y", 14, "is a number, not a condition"),
        ("vehicle.yy > 1", 1, "there is no signal 'vehicle.yy'; did you mean 'vehicle.y'?"),
        ("  time > yaw_rate", 8, "there is no signal 'yaw_rate'; did you mean 'vehicle.yaw_rate'?"),
        ("vehicle > 1", 1, "'vehicle' has several signals; name one of them, as in vehicle.y"),
        ("vehicle.wheel_load > 1", 1, "is an array; name one of its elements, vehicle.wheel_load[1] to vehicle.wheel"),
        ("p.J[2,1] > 1", 1, "there is no 'p.J[2,1]'; the elements are p.J[1,1] to p.J[1,2]"),
        (
            "vehicle.wheel_load[0] > 1",
            1,
            "there is no 'vehicle.wheel_load[0]'; the elements are vehicle.wheel_load[1] to",
        ),
        ("vehicle.wheel_load[-1] > 1", 20, "brackets must hold whole numbers, as in vehicle.wheel_load[1]"),
        ("vehicle.wheel_load[vehicle.y] > 1", 20, "brackets must hold whole numbers, as in"),
        ("vehicle.y[1] > 1", 1, "'vehicle.y' is one number; leave the brackets out"),
        ("f.der(x) > 1", 1, "the signal 'f.der(x)' cannot be written in a condition"),
        ("1 < f.in", 5, "the signal 'f.in' cannot be written in a condition"),
        ("time = 3", 6, "'=' has no meaning here; write '=='"),
        ("time > 3 && time < 4", 10, "'&' has no meaning here; write 'and'"),
        ("time > 3 | time < 4", 10, "write 'or'"),
        ("!(time > 3)", 1, "write 'not'"),
        ("time ^ 2 > 3", 6, r"write '**'"),
        ("time > 3;", 9, "';' has no meaning here"),
        ("time > '3'", 8, "has no meaning here"),
        ("time > ²", 8, "has no meaning here"),
        ("time > 3\0", 9, "has no meaning here"),
        ("time // 2 > 1", 1, "'time // 2' has no meaning here"),
        ("+time > 1", 1, "'+time' has no meaning here"),
        ("time > 3,5", 1, "'time > 3,5' has no meaning here"),
        ("[time] > 1", 1, "'[time]' has no meaning here"),
        ("time if time else time", 1, "has no meaning here"),
        ("().__class__ > time", 1, "'().__class__' has no meaning here"),
        ("time in time", 1, "is not a comparison of numbers; these are < <= > >= == !="),
        ("(time > 3) > 2", 2, "'time > 3' is a condition; a number is needed here"),
        ("abs(not time > 3) > 2", 5, "is a condition; a number is needed here"),
        ("exec(time) > 1", 1, "there is no function 'exec'; there are abs, min, max, sqrt, sin, cos"),
        ("vehicle.y(time) > 1", 1, "there is no function 'vehicle.y'"),
        ("min(time) > 2", 1, "min takes two numbers or more"),
        ("max(*time) > 2", 1, "max takes two numbers or more"),
        ("abs(time, 2) > 2", 1, "abs takes one number"),
        ("abs(time, **time) > 2", 1, "abs takes one number"),
        ("max(1, *time) > 2", 8, "'*time' has no meaning here"),
        ("time > 1e999", 8, "'1e999' is too large a number"),
        ("time > 3j", 8, "'3j' is not a number"),
        ("True", 1, "'True' is not a number; a Boolean signal is 1 or 0"),
        ("vehicle.y == true", 14, "a Boolean signal is 1 or 0, as in part.locked == 1"),
        ("time > 1or time < 0", 8, "this is not a formula"),
        ("time >", 7, "this is not a formula"),
        ("(time > 3", 1, "a bracket is not closed or not opened"),
        ("time > 3) or (time < 4", 9, "a bracket is not closed or not opened"),
        ("1 > 0", 1, "it uses neither a signal nor time, so it never changes"),
    ],
)
def test_the_message_names_what_is_wrong_and_where(text: str, column: int, message: str) -> None:
    with pytest.raises(UsageError) as error:
        Condition(text, NAMES)
    told = str(error.value)
    assert f"', column {column}: " in told
    assert message in told


def test_an_empty_text_is_no_condition() -> None:
    with pytest.raises(UsageError, match="the condition is empty"):
        Condition(" \n", NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "not " * 400 + "time > 1",
        "-" * 1500 + "1 > time",
        "(" * 1500,
        "(" * 900 + "time" + ")" * 900 + " > 1",
        "time" + ".a" * 900 + " > 1",
        "time > " + "+".join("1" * 300),
        "9" * 1900 + " > time",
        "time > 1" + " " * MAX_LENGTH,
        "vehicle.wheel_load" + "[1]" * 600 + "> 1",
        "a(" * 150 + "time" + ")" * 150 + " > 1",
    ],
)
def test_hostile_texts_are_refused_in_short(text: str) -> None:
    with pytest.raises(UsageError) as error:
        Condition(text, NAMES)
    assert len(str(error.value)) < 300


def test_the_limits_leave_room_for_long_conditions() -> None:
    text = " or ".join(["vehicle.y > 3"] * 110)
    assert MAX_LENGTH - 200 < len(text) < MAX_LENGTH
    assert holds(text, y=[2.0, 4.0]) == [False, True]
    assert holds("vehicle.y > " + " + ".join(["1"] * (MAX_DEPTH - 10)), y=[MAX_DEPTH, 0.0]) == [True, False]


NUMBERS = st.sampled_from(["p.a", "p.b", "time", "0", "1", "2.5", "0.25", "7"])
_JOINED = st.sampled_from(["{} + {}", "{} - {}", "{} * {}", "{} / {}", "({}) * ({})", "min({}, {})", "max({}, {}, 1)"])
_ALONE = st.sampled_from(["-{}", "({})", "abs({})", "sqrt(abs({}))"])
FORMULAS = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.builds(lambda f, a, b: f.format(a, b), _JOINED, inner, inner),
        st.builds(lambda f, a: f.format(a), _ALONE, inner),
    ),
    max_leaves=6,
)
_COMPARED = st.sampled_from(["{} < {}", "{} <= {}", "{} > {}", "{} >= {}", "{} == {}", "{} != {}", "{} < {} <= 3"])
CONDITIONS = st.recursive(
    st.builds(lambda f, a, b: f.format(a, b), _COMPARED, FORMULAS, FORMULAS),
    lambda inner: st.one_of(
        st.builds(
            lambda f, a, b: f.format(a, b), st.sampled_from(["{} and {}", "{} or {}", "({}) and ({})"]), inner, inner
        ),
        st.builds(lambda f, a: f.format(a), st.sampled_from(["not {}", "({})"]), inner),
    ),
    max_leaves=4,
)
VALUES = st.integers(-8, 8).map(lambda n: n / 4)


@settings(deadline=None)
@given(text=CONDITIONS, samples=st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=6))
def test_conditions_agree_with_python(text: str, samples: list[tuple[float, float, float]]) -> None:
    """Numbers are exact in binary, so that ties are ties in both; where Python divides by zero it has no opinion."""
    a, b, time = (np.array(column) for column in zip(*samples, strict=True))
    with_time = f"({text}) or 0 > time * 0"  # so that a text without any variable is one as well
    found = Condition(with_time, ["p.a", "p.b"]).evaluate({"p.a": a, "p.b": b, "time": time})
    words = {"abs": abs, "min": min, "max": max, "sqrt": math.sqrt}
    for value, sample in zip(found, samples, strict=True):
        names = {**words, "p": SimpleNamespace(a=sample[0], b=sample[1]), "time": sample[2]}
        try:
            expected = eval(text, {"__builtins__": {}}, names)
        except ZeroDivisionError:
            continue
        assert value == expected


def test_a_variable_that_is_no_signal_is_named_for_what_it_is() -> None:
    with pytest.raises(
        UsageError, match=r"'tire.mu' is a fixed parameter; a condition may use outputs and local variables only"
    ):
        Condition("tire.mu > 1", NAMES, {"tire.mu": "a fixed parameter"})
