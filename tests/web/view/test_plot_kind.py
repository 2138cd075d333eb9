"""What the plots show beside signals over time: differences of runs, spectra, signals over another one."""

import numpy as np
import pytest

from drawbar.orchestrator.runs.recorder import Column
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.spectrum import power_spectral_density


@pytest.fixture
def page(lane_change, open_page, tmp_path):
    """A page with two runs; lateral acceleration and steering are plotted."""
    lane_change("a", peak=4.0)
    lane_change("b", peak=5.0)
    page = open_page(tmp_path, chosen="a")
    page.send(action="clear")
    page.send(action="plot", signal="vehicle.a_y")
    page.send(action="plot", signal="vehicle.steer")
    return page


def curves(page):
    return [[r for r in figure.renderers if len(r.data_source.data)] for figure in page.figures()]


def test_the_difference_of_two_runs_is_drawn_with_its_largest_value(page, tmp_path):
    page.send(action="kind", name="difference")
    assert page.figures() == []
    assert page.state("kind")["text"] == "Draw a second run over the first to see their difference."
    page.send(action="show", run="b", alone=False)
    first, _ = page.figures()
    (line,) = [r for r in first.renderers if r.tags]
    assert line.tags[:2] == ["b \N{MINUS SIGN} a", "vehicle.a_y"]
    run = Run(tmp_path / "a")
    data = line.data_source.data
    exact = np.interp(data["t"], run.time("vehicle.a_y"), 0.25 * run["vehicle.a_y"])
    np.testing.assert_allclose(data[line.glyph.y], exact, atol=1e-5)
    state = page.state("kind")
    assert (state["text"], state["several"]) == ("b \N{MINUS SIGN} a", False)
    title, name, largest, *_ = state["rows"][0]
    assert (title, name) == ("b \N{MINUS SIGN} a", "vehicle.a_y")
    assert largest.lstrip("-") == f"{0.25 * np.abs(run['vehicle.a_y']).max():.4g} m/s²"
    page.send(action="zoom", by=0.25)
    page.settle()
    assert 0 < first.y_range.end < 1.1 * np.abs(exact).max()
    page.send(action="kind", name="time")
    assert {r.tags[0] for r in page.figures()[0].renderers if r.tags} == {"a", "b"}
    assert page.state("kind")["rows"] == []


def test_the_spectrum_is_that_of_the_plot_page(page, tmp_path):
    page.send(action="kind", name="spectrum")
    (line,), _ = curves(page)
    run = Run(tmp_path / "a")
    frequency, density = power_spectral_density(run["vehicle.a_y"], 0.01)
    np.testing.assert_array_equal(line.data_source.data["f"], frequency)
    np.testing.assert_array_equal(line.data_source.data["p"], density)
    page.send(action="show", run="b", alone=False)
    assert [len(lines) for lines in curves(page)] == [2, 2]
    (legend,) = page.figures()[0].legend
    assert [item.label.value for item in legend.items] == ["a_y, a", "a_y, b"]
    page.send(action="zoom", by=0.5)
    page.settle()
    assert page.state("notes") == []


def test_signals_are_drawn_over_another_one_of_their_rate(page, lane_change, tmp_path):
    page.send(action="kind", name="against")
    assert (page.figures(), page.state("kind")["text"]) == ([], "Name the signal over which to draw.")
    page.send(action="plot", signal="driver.gear")
    page.send(action="kind", name="against", against="vehicle.x")
    (first,), _ = curves(page)
    np.testing.assert_allclose(first.data_source.data["x"], Run(tmp_path / "a")["vehicle.x"])
    np.testing.assert_allclose(first.data_source.data["y"], Run(tmp_path / "a")["vehicle.a_y"])
    assert page.state("notes") == [
        "driver.gear is recorded every 0.25 s and vehicle.x every 0.01 s: "
        "a signal is drawn over another one of the same rate only"
    ]
    lane_change("c", columns=tuple(Column(f"vehicle.{n}", "m/s2") for n in ("a_y", *"bcdefgh")), report=None)
    page.refresh()
    page.send(action="show", run="c", alone=False)
    assert [len(lines) for lines in curves(page)] == [1, 1], "the third run has no such signal"
    page.send(action="show", run="c", alone=True)
    assert (page.figures(), page.state("kind")["text"]) == ([], "No shown run has vehicle.x.")


def test_the_kind_is_restored_unless_its_signal_is_gone(page):
    restored = {"runs": ["a"], "plots": [["vehicle.a_y"]]}
    page.send(action="restore", **restored, kind={"name": "against", "against": "vehicle.x"})
    assert len(page.figures()) == 1
    assert page.state("kind")["against"] == "vehicle.x"
    for kind in ({"name": "against", "against": "gone"}, {"name": 3}, "x", None):
        page.send(action="kind", name="time")
        page.send(action="restore", **restored, kind=kind)
        assert (page.state("kind")["name"], page.state("notes")) == ("time", [])
