"""The samples in the browser: as fine as the visible range needs, whatever range the browser sends."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.web.view.curves import Curves


def test_zooming_in_gives_every_sample_and_fits_the_values(lane_change, open_page, tmp_path):
    lane_change("a", samples=120_001)
    page = open_page(tmp_path)
    line = next(r for r in page.figures()[1].renderers if r.tags)
    figure = page.figures()[1]
    rough = np.diff(line.data_source.data["t"]).max()
    assert len(line.data_source.data["t"]) < 10_000
    page.session.curves.range.update(start=3.0, end=3.05)
    page.settle()
    t, y = line.data_source.data["t"], line.data_source.data[line.glyph.y]
    assert np.diff(t).max() < rough / 5
    inside = (t >= 3.0) & (t <= 3.05)
    assert inside.sum() in (500, 501)
    assert figure.y_range.start <= y[inside].min() < y[inside].max() <= figure.y_range.end
    assert figure.y_range.end - figure.y_range.start < 1.3 * np.ptp(y[inside])


@pytest.mark.parametrize(
    ("start", "end"), [(float("nan"), 1.0), (0.0, float("inf")), (3.0, 3.0), (5.0, 2.0), (1e300, 2e300)]
)
def test_an_invalid_range_changes_nothing(lane_change, open_page, tmp_path, start, end):
    lane_change("a")
    page = open_page(tmp_path)
    page.session.curves.range.update(start=start, end=end)
    page.settle()
    assert page.state("notes") == []


def test_times_that_are_not_finite_do_not_stop_the_page(open_page, tmp_path):
    Recorder(tmp_path / "a", {}, [Rate(Fraction(1, 10), (Column("p.x", "m"),))])
    schema = pa.schema([pa.field("time", pa.float64()), pa.field("p.x", pa.float64())])
    table = pa.table([pa.array([np.nan, np.inf, -1.0]), pa.array([np.nan] * 3)], schema=schema)
    pq.write_table(table, tmp_path / "a/signals/0.1s/00001.parquet")
    page = open_page(tmp_path)
    assert page.state("notes") == []
    assert page.session.curves.full == (0.0, 1.0)


def lasting(start, end):
    """Return what stands in for a recording of that length."""
    return SimpleNamespace(start=lambda: start, end=lambda: end)


def test_an_axis_that_shows_everything_grows_with_the_run_and_a_zoomed_one_stays():
    curves = Curves()
    for end in (2.0, 3.0):
        curves.extend_range({"a": lasting(0.0, end), "b": lasting(-1.0, 1.0)})
        assert (curves.range.start, curves.range.end) == curves.full == (-1.0, end)
    curves.range.update(start=1.0, end=2.0)
    curves.extend_range({"a": lasting(0.0, 5.0)})
    assert (curves.range.start, curves.range.end) == (1.0, 2.0)
    assert (curves.range.reset_start, curves.range.reset_end) == curves.full == (0.0, 5.0)


def test_extremes_are_those_of_the_line_as_far_as_it_is_visible():
    """The line continues to one more sample on either side; what lies beyond does not count."""
    period, time, values = Fraction(1), np.arange(5.0), np.array([9.0, 1.0, 2.0, 3.0, -9.0])

    class OneSignal:
        def __contains__(self, name):
            return name == "p.y"

        def signal(self, name):
            return SimpleNamespace(period=period, unit="m")

    recording = SimpleNamespace(run=OneSignal(), columns=lambda rate, names: (time, {"p.y": values}))
    curves = Curves()
    curves.full = (0.0, 4.0)
    curves.range.update(start=1.5, end=2.5)
    curves.redraw({"a": recording}, ["p.y"], 1000)
    assert curves.extremes("a", period, "p.y") == (1.0, 3.0)
    assert curves.extremes("a", period, "p.z") is None
