"""The difference of two runs, its largest value and its root mean square, beside values computed by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

from drawbar.orchestrator.runs.difference import RunDifference
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run

COLUMNS = (
    Column("car.x", "m"),
    Column("car.range", "m", variability="discrete"),
    Column("car.force[1]", "N"),
    Column("car.force[2]", "N"),
)


@pytest.fixture
def record(tmp_path):
    def recorded(name, period, rows, columns=COLUMNS):
        recorder = Recorder(tmp_path / name, {}, [Rate(Fraction(period), columns)])
        recorder.write(0, np.array(rows, dtype=float))
        recorder.finish("ok")
        return Run(tmp_path / name)

    return recorded


def test_at_all_times_of_both_linear_if_continuous_held_if_discrete(record):
    a = record("a", "1", [[0, 0, 5, 0, 0], [1, 2, 6, 0, 0], [2, 2, 7, 0, 0]])
    b = record("b", "1/2", [[0, 1, 5, 1, 2], [0.5, 1, 5, 1, 2], [1, 5, 9, 1, 2], [1.5, 2, 9, 1, 2]])
    both = RunDifference(a, b)
    assert both.time("car.x").tolist() == [0, 0.5, 1, 1.5], "2 s is past the end of the second run"
    assert both["car.x"].tolist() == [1, 0, 3, 0]
    assert both["car.range"].tolist() == [0, 0, 3, 3]
    assert both["car.force"].tolist() == [[1, 2]] * 4
    assert RunDifference(b, a)["car.x"].tolist() == [-1, 0, -3, 0]


def test_the_largest_difference_and_the_root_mean_square(record):
    a = record("a", "1", [[t, 0, 0, 0, 0] for t in range(4)])
    b = record("b", "1", [[0, 0, 0, 1, 0], [1, -3, 4, 1, 0], [2, 0, 0, 1, 0], [3, 0, 0, 1, 0]])
    linear, held, constant = (RunDifference(a, b).deviation(n) for n in ("car.x", "car.range", "car.force[1]"))
    # a triangle of height 3 over 2 of 3 seconds: the integral of its square is 2 * 3^2 / 3
    assert (linear.largest, linear.time) == (-3.0, 1.0)
    assert linear.rms == pytest.approx(math.sqrt(6 / 3), rel=1e-15)
    assert (held.largest, held.time) == (4.0, 1.0)
    assert held.rms == pytest.approx(math.sqrt(16 / 3), rel=1e-15)
    assert (constant.largest, constant.rms) == (1.0, 1.0)


def test_the_root_mean_square_does_not_depend_on_the_rates(record):
    coarse = record("a", "1/4", [[t / 4, math.sin(t / 4), 0, 0, 0] for t in range(9)])
    fine = record(
        "b",
        "1/20",
        [[t / 20, np.interp(t / 20, coarse.time("car.x"), coarse["car.x"]) + 0.1, 0, 0, 0] for t in range(41)],
    )
    found = RunDifference(coarse, fine).deviation("car.x")
    assert found.largest == pytest.approx(0.1, rel=1e-12)
    assert found.rms == pytest.approx(0.1, rel=1e-12)
    assert RunDifference(coarse, coarse).deviation("car.x").rms == 0.0


def test_what_is_no_number_is_left_out_and_counted(record):
    a = record("a", "1", [[0, 0, 0, 0, 0], [1, math.nan, 0, 0, 0], [2, 0, math.inf, 0, 0], [3, 0, 0, 0, 0]])
    b = record("b", "1", [[0, 2, 0, 0, 0], [1, 2, 0, 0, 0], [2, 2, math.inf, 0, 0], [3, 2, 1, 0, 0]])
    both = RunDifference(a, b)
    found = both.deviation("car.x")
    assert (found.largest, found.rms, found.left_out) == (2.0, 2.0, 1)
    held = both.deviation("car.range")
    assert (held.largest, held.rms, held.left_out) == (1.0, 0.0, 1), "the last sample is held for no time"
    none = RunDifference(record("c", "1", [[0] + [math.nan] * 4]), record("d", "1", [[0] * 5])).deviation("car.x")
    assert math.isnan(none.largest)
    assert none.left_out == 1


def test_only_signals_of_the_same_unit_type_and_size_have_one(record):
    a = record("a", "1", [[0, 0, 0, 0, 0]])
    others = (Column("car.x", "km"), Column("car.range", "m"), Column("car.force", "N"), Column("car.y", "m"))
    assert list(RunDifference(a, record("b", "1", [[0, 0, 0, 0, 0]], others)).signals) == ["car.range"]


def test_runs_without_a_common_time_have_no_difference(record):
    a = record("a", "1", [[0, 0, 0, 0, 0], [1, 0, 0, 0, 0]])
    b = record("b", "1", [[5, 0, 0, 0, 0], [6, 0, 0, 0, 0]])
    both = RunDifference(a, b)
    assert len(both.time("car.x")) == len(both["car.x"]) == 0
    assert math.isnan(both.deviation("car.x").largest)
