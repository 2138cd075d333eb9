from fractions import Fraction

import pytest

from drawbar.diagrams import Diagram, faults, read, write
from drawbar.diagrams.model.master_settings import exact_stop_time, stop_time_fault


@pytest.mark.parametrize(
    ("seconds", "step"), [(1.0, "0.001"), (0.3, "0.1"), (1 / 3, "1/30"), (2.5, "1/30"), (1e6, "1")]
)
def test_whole_numbers_of_steps_are_no_fault(seconds, step):
    assert stop_time_fault(seconds, Fraction(step)) is None


@pytest.mark.parametrize(
    ("seconds", "step", "nearest"),
    [(1.0, "0.3", "0.9"), (0.01, "0.3", "0.3"), (1.0004, "0.001", "1"), (2.5, "1/7", "2.57142857143")],
)
def test_the_nearest_stop_time_is_named(seconds, step, nearest):
    found = stop_time_fault(seconds, Fraction(step))
    what = f"stop time {seconds:g} s is no whole number of steps of {float(Fraction(step)):g} s"
    assert found == f"{what}; the nearest is {nearest} s"


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("inf"), float("nan")])
def test_times_that_no_run_ends_at(seconds):
    assert stop_time_fault(seconds, Fraction(1)) == f"stop time {seconds:g} s is not positive and finite"


def test_a_number_is_the_simple_fraction_that_rounds_to_it():
    assert exact_stop_time(1 / 3) == Fraction(1, 3)
    assert exact_stop_time(0.1) == Fraction(1, 10)
    assert exact_stop_time(1e-9) == Fraction(1, 10**9)


def test_the_own_stop_time_is_judged_only_where_it_is_asked_for(tmp_path):
    d = Diagram("d", step=0.3, stop=1.0)
    assert faults(d) == []  # a run may be given another
    wanted = "diagram d: stop time 1 s is no whole number of steps of 0.3 s; the nearest is 0.9 s"
    assert faults(d, stop=True) == [wanted]
    file = tmp_path / "SystemStructure.ssd"
    write(d, file)
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if "stopTime" in text)
    assert faults(read(file), stop=True) == [f"{file}:{line}: {wanted}"]
    d.stop = 0.9
    assert faults(d, stop=True) == []
