"""The curves of a page as Bokeh sources: one for each set of common times, comparable cases only."""

from fractions import Fraction

import numpy as np
import pytest

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.samples import Samples


@pytest.fixture
def record(tmp_path):
    """Records two signals at 10 Hz, with the unit of the second one and the last time as given."""

    def make(name, unit="m", last=1.0):
        recorder = Recorder(tmp_path / name, {}, [Rate(Fraction(1, 10), (Column("p.a", "rad"), Column("p.b", unit)))])
        time = np.arange(round(10 * last) + 1) / 10
        recorder.write(0, np.column_stack([time, time, 2 * time]))
        return Run(tmp_path / name)

    return make


def test_signals_with_the_same_times_share_a_source_and_angles_are_in_degrees(record):
    samples = Samples([record("run")], ["p.a", "p.b"])
    (first, a), (second, b) = samples.curve(0, "p.a"), samples.curve(0, "p.b")
    assert first is second
    assert first.data[a][-1] == pytest.approx(180 / np.pi)
    assert first.data[b][-1] == 2.0


def test_the_axis_reaches_to_the_end_of_the_longest_run(record):
    samples = Samples([record("run"), record("case", last=3.0)], ["p.a"])
    assert (samples.range.start, samples.range.end) == (0.0, 3.0)
    assert samples.curve(0, "p.a")[0] is not samples.curve(1, "p.a")[0]


def test_a_signal_whose_unit_differs_in_a_case_is_not_drawn_for_the_case(record):
    samples = Samples([record("run"), record("case", unit="km")], ["p.a", "p.b"])
    assert samples.curve(1, "p.a") is not None
    assert samples.curve(1, "p.b") is None
