"""Two runs compared: the definition of the tolerance, common times, and what is named."""

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawbar.orchestrator.runs.compare import Comparison, compare


def both(record: Any, tmp_path: Path, a: list[float], b: list[float], **tolerance: float) -> Comparison:
    return compare(record(tmp_path / "a", {"p.y": a}), record(tmp_path / "b", {"p.y": b}), **tolerance)


def test_equal_runs_are_equal(tmp_path: Path, record: Any) -> None:
    found = both(record, tmp_path, [1.0, math.nan, math.inf], [1.0, math.nan, math.inf])
    assert found.within
    assert found.differences[0].difference == 0.0


@pytest.mark.parametrize(
    ("tolerance", "within"),
    [
        ({}, False),
        ({"absolute": 0.11}, True),
        ({"absolute": 0.09}, False),
        ({"relative": 0.011}, True),
        ({"relative": 0.009}, False),
        ({"absolute": 0.09, "relative": 0.011}, True),
    ],
)
def test_the_larger_tolerance_counts(tmp_path: Path, tolerance: dict[str, float], within: bool, record: Any) -> None:
    """10.1 against 10: 0.1 absolute, 1 % relative."""
    assert both(record, tmp_path, [0.0, 10.0], [0.0, 10.1], **tolerance).within is within


def test_the_worst_sample_is_named(tmp_path: Path, record: Any) -> None:
    worst = both(record, tmp_path, [1.0, 2.0, 3.0, 4.0], [1.0, 2.1, 3.5, 4.2], absolute=0.05).differences[0]
    assert (worst.signal, worst.unit, worst.time) == ("p.y", "m", 0.02)
    assert (worst.baseline, worst.other, worst.within) == (3.0, 3.5, False)


def test_the_signal_that_exceeds_its_tolerance_most_comes_first(tmp_path: Path, record: Any) -> None:
    """By 0.1 of 1, 0.3 of 10 and nothing: the ratios to a tolerance of 1 % are 10, 3 and 0."""
    a = record(tmp_path / "a", {"p.small": [1.0, 1.0], "p.large": [10.0, 10.0], "p.equal": [5.0, 5.0]})
    b = record(tmp_path / "b", {"p.small": [1.0, 1.1], "p.large": [10.0, 10.3], "p.equal": [5.0, 5.0]})
    found = compare(a, b, relative=0.01).differences
    assert [d.signal for d in found] == ["p.small", "p.large", "p.equal"]


@pytest.mark.parametrize(("a", "b"), [(1.0, math.nan), (math.nan, 1.0), (math.inf, -math.inf), (1.0, math.inf)])
def test_what_is_not_finite_in_one_run_differs(tmp_path: Path, a: float, b: float, record: Any) -> None:
    assert not both(record, tmp_path, [a], [b], absolute=1e300, relative=1e10).within


def test_whole_numbers_have_no_tolerance(tmp_path: Path, record: Any) -> None:
    a = record(tmp_path / "a", {"p.n": [1, 2]}, kind="Integer")
    b = record(tmp_path / "b", {"p.n": [1, 3]}, kind="Integer")
    assert not compare(a, b, absolute=10.0).within


def test_other_periods_meet_at_common_times(tmp_path: Path, record: Any) -> None:
    """Steps of 1/100 and 1/30 s meet every 1/10 s."""
    a = record(tmp_path / "a", {"p.y": [k / 100 for k in range(31)]}, "1/100")
    b = record(tmp_path / "b", {"p.y": [k / 30 for k in range(10)]}, "1/30")
    found = compare(a, b, absolute=1e-12)
    assert found.differences[0].within
    b = record(tmp_path / "c", {"p.y": [k / 30 + (k == 6) for k in range(10)]}, "1/30")
    assert compare(a, b, absolute=1e-12).differences[0].time == pytest.approx(0.2)


def test_missing_signals_and_shorter_runs_are_no_agreement(tmp_path: Path, record: Any) -> None:
    a = record(tmp_path / "a", {"p.y": [1.0, 2.0], "p.x": [0.0, 0.0]})
    b = record(tmp_path / "b", {"p.y": [1.0], "q.z": [0.0]})
    found = compare(a, b)
    assert (found.only_in_baseline, found.only_in_other) == (("p.x",), ("q.z",))
    assert "ends at 0.01 s" in found.shorter
    assert not found.within
    assert all(d.within for d in found.differences)


@settings(max_examples=60)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20),
    st.floats(0, 10),
    st.floats(0, 0.1),
    st.randoms(use_true_random=False),
)
def test_the_definition_holds(
    record: Any,
    tmp_path_factory: pytest.TempPathFactory,
    values: list[float],
    absolute: float,
    relative: float,
    random: object,
) -> None:
    other = [v + random.uniform(-2, 2) * max(absolute, relative * abs(v)) for v in values]  # type: ignore[attr-defined]
    found = both(record, tmp_path_factory.mktemp("runs"), values, other, absolute=absolute, relative=relative)
    expected = all(abs(o - v) <= max(absolute, relative * abs(v)) for v, o in zip(values, other, strict=True))
    assert found.within is expected
