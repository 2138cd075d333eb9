"""The plots as Bokeh figures: colours of signals, styles of runs, common axis and cursor."""

from fractions import Fraction

import numpy as np
import pytest

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run


def by_name(run):
    return run["name"]


def test_runs_are_drawn_over_each_other_in_a_colour_each(lane_change, open_page, tmp_path):
    runs = [Run(lane_change(name, peak=peak)) for name, peak in (("a", 4.0), ("b", 5.0))]
    page = open_page(tmp_path, chosen="a")
    page.send(action="show", run="b", alone=False)
    assert {run["name"]: run["style"] for run in page.state("runs")} == {"a": 0, "b": 1}
    figures = page.figures()
    lines = [r for r in figures[1].renderers if r.tags]
    assert [r.tags[:2] for r in lines] == [["a", "vehicle.a_y"], ["b", "vehicle.a_y"]]
    assert [r.glyph.line_color for r in lines] == [run["colour"] for run in sorted(page.state("runs"), key=by_name)]
    assert len({r.glyph.line_color for r in lines}) == 2
    loads = [r for r in figures[0].renderers if r.tags and r.tags[0] == "a"]
    assert len({tuple(r.glyph.line_dash) for r in loads}) == len(loads) == 4
    assert set(page.state("plotted").values()) == {"#333333"}, "a colour is that of a run"
    drawn = [r.data_source.data[r.glyph.y].max() for r in lines]
    assert drawn == pytest.approx([run["vehicle.a_y"].max() for run in runs])
    page.send(action="show", run="a", alone=False)
    assert page.shown() == ["b"]
    page.send(action="show", run="b", alone=False)
    assert page.shown() == ["b"], "the last one stays"


def test_all_plots_have_one_axis_and_one_cursor(lane_change, open_page, tmp_path):
    lane_change("a")
    page = open_page(tmp_path)
    figures = page.figures()
    assert len(figures) == 3
    assert len({f.x_range for f in figures}) == 1
    assert (
        len(
            {tool.overlay for f in figures for tool in f.toolbar.tools if hasattr(tool, "overlay")}
            & {page.document.get_model_by_name("cursor")}
        )
        == 1
    )


def test_angles_are_in_degrees(lane_change, open_page, tmp_path):
    run = Run(lane_change("a"))
    page = open_page(tmp_path)
    page.send(action="clear")
    page.send(action="plot", signal="vehicle.steer")
    (figure,) = page.figures()
    line = next(r for r in figure.renderers if r.tags)
    assert figure.yaxis.axis_label == "steer [°]"
    assert line.data_source.data[line.glyph.y].max() == pytest.approx(np.degrees(run["vehicle.steer"].max()), rel=1e-6)


def test_integers_and_booleans_are_drawn_in_steps(lane_change, open_page, tmp_path):
    lane_change("a")
    page = open_page(tmp_path)
    page.send(action="clear")
    for name in ("driver.gear", "brake.on"):
        page.send(action="plot", signal=name)
    kinds = [next(r for r in f.renderers if r.tags).glyph.__class__.__name__ for f in page.figures()]
    assert kinds == ["Step", "Step"]


def test_a_real_discrete_variable_is_drawn_in_steps(open_page, tmp_path):
    columns = (Column("gps.x", "m", variability="discrete"), Column("gps.v", "m/s"))
    recorder = Recorder(tmp_path / "a", {"diagram": "d"}, [Rate(Fraction(1), columns)])
    recorder.write(0, np.array([[0.0, 1.0, 1.0], [1.0, 2.0, 2.0]]))
    recorder.finish("ok")
    lines = [r for f in open_page(tmp_path).figures() for r in f.renderers if r.tags]
    assert {r.tags[1]: (type(r.glyph).__name__, r.tags[2]) for r in lines} == {
        "gps.x": ("Step", True),
        "gps.v": ("Line", False),
    }
