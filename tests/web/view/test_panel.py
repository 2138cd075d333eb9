"""The plots as Bokeh figures: colours of signals, styles of runs, common axis and cursor."""

import numpy as np
import pytest

from drawbar.orchestrator.runs.run import Run


def test_runs_are_drawn_over_each_other_in_the_colour_of_the_signal(lane_change, open_page, tmp_path):
    runs = [Run(lane_change(name, peak=peak)) for name, peak in (("a", 4.0), ("b", 5.0))]
    page = open_page(tmp_path, chosen="a")
    page.send(action="show", run="b", alone=False)
    assert {run["name"]: run["style"] for run in page.state("runs")} == {"a": 0, "b": 1}
    figures = page.figures()
    lines = [r for r in figures[1].renderers if r.tags]
    assert [r.tags[:2] for r in lines] == [["a", "vehicle.a_y"], ["b", "vehicle.a_y"]]
    assert len({r.glyph.line_color for r in lines}) == 1
    assert [r.glyph.line_dash for r in lines] == [[], [6]]
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
