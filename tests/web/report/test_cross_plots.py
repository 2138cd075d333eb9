"""Figures that are not over time: which runs have a curve, in which colour."""

import numpy as np

from drawbar.orchestrator.runs.recorder import Column
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.charts import Chart
from drawbar.web.report.cross_plots import DrawnRun, against_figure, spectrum_figure
from drawbar.web.report.style import COLOURS

NAMES = ("vehicle.a_y", "vehicle.steer")


def test_a_run_whose_signals_have_different_rates_has_no_curve_over_the_other(lane_change):
    runs = [DrawnRun("a", Run(lane_change("a")), 0), DrawnRun("b", Run(lane_change("b", samples=601)), 1)]
    chart = Chart("", ("vehicle.a_y",), ("vehicle.a_y",), "m/s2", against="vehicle.steer")
    notes = []
    assert len(against_figure(chart, runs, notes).renderers) == 2, "each with its own rate"
    mixed = tuple(Column(name, unit) for name, unit in (("vehicle.x", "m"), ("vehicle.a_y", "m/s2")))
    runs.append(DrawnRun("c", Run(lane_change("c", columns=(*mixed, *(Column(f"o{i}", "1") for i in range(6))))), 2))
    fig = against_figure(chart, runs, notes)
    assert (len(fig.renderers), notes) == (2, [])
    np.testing.assert_allclose(fig.renderers[1].data_source.data["x"] * np.pi / 180, runs[1].run["vehicle.steer"])


def test_a_run_whose_two_signals_have_different_rates_is_noted(lane_change):
    run = Run(lane_change())
    notes = []
    chart = Chart("", ("driver.gear",), ("driver.gear",), "1", against="vehicle.steer")
    assert against_figure(chart, [DrawnRun("a", run, 0)], notes).renderers == []
    (note,) = notes
    assert note.startswith("a: driver.gear is recorded every 0.25 s and vehicle.steer every 0.01 s")


def test_curves_have_the_colours_that_the_chart_names(lane_change):
    run = DrawnRun("a", Run(lane_change()), 3)
    notes = []
    chart = Chart("", NAMES, NAMES, "1", places=(4, 2))
    assert [r.glyph.line_color for r in spectrum_figure(chart, [run], notes).renderers] == [COLOURS[4], COLOURS[2]]
    other = DrawnRun("b", run.run, 5)
    lines = [r.glyph for r in spectrum_figure(chart, [run, other], notes).renderers]
    assert [line.line_color for line in lines] == [COLOURS[3], COLOURS[3], COLOURS[5], COLOURS[5]]
    assert lines[0].line_dash == lines[2].line_dash != lines[1].line_dash
    assert notes == []


def test_a_run_too_short_for_a_spectrum_is_noted(lane_change):
    notes = []
    chart = Chart("", NAMES[:1], NAMES[:1], "m/s2")
    assert spectrum_figure(chart, [DrawnRun("a", Run(lane_change(samples=13)), 0)], notes).renderers == []
    assert notes == ["vehicle.a_y has too few finite samples for a spectrum."]
