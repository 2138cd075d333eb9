import numpy as np
import pytest
from bokeh.models import CrosshairTool, HoverTool, Legend, Span

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report import figures, samples
from drawbar.web.report.charts import select_charts
from drawbar.web.report.figures import Figures
from drawbar.web.report.run_folder import find_cases


def drawn(folder, patterns=()):
    run = Run(folder)
    return Figures(run, select_charts(run, patterns).charts, find_cases(run).found)


def labels(fig):
    return [item.label.value for item in fig.legend[0].items]


def test_time_axes_are_one_and_so_is_the_cursor(lane_change):
    timed = drawn(lane_change()).figures[1:]
    assert len(timed) == 3
    assert len({fig.x_range.id for fig in timed}) == 1
    assert (timed[0].x_range.start, timed[0].x_range.end) == (0.0, 12.0)
    cursors = [fig.select_one(CrosshairTool).overlay for fig in timed]
    assert len({cursor.id for cursor in cursors}) == 1
    assert isinstance(cursors[0], Span)
    assert cursors[0].dimension == "height"


def test_legend_click_hides_and_axes_carry_units(lane_change):
    _, loads, a_y, steer = drawn(lane_change()).figures
    assert loads.select_one(Legend).click_policy == "hide"
    assert labels(loads) == ["front left", "front right", "rear left", "rear right"]
    assert (loads.xaxis[0].axis_label, loads.yaxis[0].axis_label) == ("time [s]", "wheel load [N]")
    assert a_y.yaxis[0].axis_label == "a_y [m/s²]"
    assert steer.yaxis[0].axis_label == "steer [°]"


def test_all_samples_are_drawn_and_times_are_shared_by_a_rate(lane_change):
    folder = lane_change()
    result = drawn(folder, ["vehicle.wheel_load", "vehicle.a_y", "driver.gear"])
    sources = {r.data_source for fig in result.figures for r in fig.renderers}
    assert sorted(len(s.data["t"]) for s in sources) == [3, 1201]
    source = max(sources, key=lambda s: len(s.data["t"]))
    np.testing.assert_allclose(source.data["c4"], Run(folder)["vehicle.a_y"], atol=1e-4)
    assert result.notes == []


def test_angles_are_shown_in_degrees(lane_change):
    folder = lane_change()
    curve = drawn(folder).figures[3].renderers[0]
    degrees = np.degrees(Run(folder)["vehicle.steer"])
    np.testing.assert_allclose(curve.data_source.data[curve.glyph.y], degrees, atol=1e-4)


def test_one_tooltip_shows_all_curves_of_a_rate(lane_change):
    loads = drawn(lane_change()).figures[1]
    (hover,) = loads.select(HoverTool)
    assert [row[0] for row in hover.tooltips] == ["time", "front left", "front right", "rear left", "rear right"]
    assert hover.renderers[0].visible


def test_integers_and_booleans_are_drawn_in_steps(lane_change):
    gear, brake, a_y = drawn(lane_change(), ["driver.gear", "brake.on", "vehicle.a_y"]).figures
    kinds = [type(fig.renderers[0].glyph).__name__ for fig in (gear, brake, a_y)]
    assert kinds == ["Step", "Step", "Line"]
    assert gear.renderers[0].glyph.mode == "after"


def test_the_map_has_equal_aspect_path_cones_reference_and_a_playhead(lane_change):
    fig = drawn(lane_change()).figures[0]
    assert fig.match_aspect
    assert labels(fig) == ["path", "at the cursor", "cones", "reference"]
    glyphs = [type(r.glyph).__name__ for r in fig.renderers]
    assert sorted(glyphs) == ["Line", "Line", "Scatter", "Scatter"]
    assert (fig.xaxis[0].axis_label, fig.yaxis[0].axis_label) == ("x [m]", "y [m]")


def test_scene_items_that_cannot_be_drawn_are_noted(lane_change):
    bad = [
        {"kind": "points", "name": "uneven", "x": [1, 2], "y": [1]},
        {"kind": "line", "x": ["a"], "y": [1]},
        {"kind": "area", "x": [1], "y": [1]},
        "cones",
        {"kind": "line", "x": ["inf"], "y": [1]},
    ]
    result = drawn(lane_change(scene=[*bad, {"kind": "points", "x": [1], "y": [2]}]))
    assert len(result.figures[0].legend[0].items) == 3
    assert result.notes == ["Scene items that are not points or a line with as many x as y are left out."]
    assert drawn(lane_change("other", scene={"a": 1})).notes == result.notes


def test_up_to_the_limit_all_samples_are_drawn_beyond_it_envelopes_with_a_note(lane_change, monkeypatch):
    folder = lane_change()
    monkeypatch.setattr(samples, "MAX_SAMPLES", 2 * 1201)
    assert drawn(folder, ["vehicle.x", "vehicle.y"]).notes == []
    monkeypatch.setattr(samples, "MAX_SAMPLES", 2 * 1201 - 1)
    monkeypatch.setattr(samples, "BINS", 50)
    result = drawn(folder, ["vehicle.a_y", "vehicle.y"])
    (note,) = result.notes
    assert "2,402 samples are drawn as min/max envelopes of 50 bins" in note
    curve = result.figures[0].renderers[0]
    values = curve.data_source.data[curve.glyph.y]
    exact = Run(folder)["vehicle.a_y"]
    assert len(values) == 2 * -(-1201 // -(-1201 // 50)) + 2
    np.testing.assert_allclose([values.max(), values.min()], [exact.max(), exact.min()], rtol=1e-6)
    assert curve.data_source.data["t"][-1] == pytest.approx(12.0)


def test_a_long_path_is_thinned_to_its_last_point(lane_change, monkeypatch):
    monkeypatch.setattr(figures, "BINS", 50)
    fig = drawn(lane_change()).figures[0]
    path = max((r.data_source.data for r in fig.renderers if "t" in r.data_source.data), key=lambda d: len(d["t"]))
    assert len(path["t"]) <= 101
    assert (path["t"][0], path["t"][-1]) == (0.0, pytest.approx(12.0))


def test_a_run_of_one_sample_is_drawn(tmp_path):
    folder = tmp_path / "one"
    recorder = Recorder(folder, {}, [Rate(1, (Column("a.x", "m"), Column("a.n", "m")))])
    recorder.write(0, np.array([[0.0, 5.0, np.nan]]))
    (fig,) = drawn(folder).figures
    assert (fig.x_range.start, fig.x_range.end) == (0.0, 1.0)


def test_cases_are_dashed_over_several_curves_and_have_one_entry_in_the_legend(with_cases):
    loads = drawn(with_cases("0.60 g", "0.70 g")).figures[1]
    assert labels(loads) == ["front left", "front right", "rear left", "rear right", "0.60 g", "0.70 g"]
    curves = [r for r in loads.renderers if r.glyph.line_alpha != 0 and "t" in r.data_source.data]
    assert [curve.glyph.line_dash for curve in curves] == [[]] * 4 + [[6]] * 4 + [[2, 4]] * 4
    assert len({curve.glyph.line_color for curve in curves}) == 4
    signs = [item.renderers[0] for item in loads.legend[0].items[4:]]
    assert [sign.glyph.line_dash for sign in signs] == [[6], [2, 4]]
    assert set(loads.y_range.renderers) == set(curves)


def test_cases_have_a_colour_of_their_own_beside_a_single_curve_and_on_the_map(with_cases):
    folder = with_cases("0.60 g", "0.70 g")
    path, _, a_y, _ = drawn(folder).figures
    assert labels(a_y) == ["vehicle.a_y", "0.60 g", "0.70 g"]
    curves = [item.renderers[0] for item in a_y.legend[0].items]
    assert len({curve.glyph.line_color for curve in curves}) == 3
    peaks = [np.abs(curve.data_source.data[curve.glyph.y]).max() for curve in curves]
    np.testing.assert_allclose(np.divide(peaks, peaks[0]), [1, 5.9 / 4.9, 6.9 / 4.9], atol=1e-4)
    assert labels(path)[:4] == ["path", "path, 0.60 g", "path, 0.70 g", "at the cursor"]
    assert len({item.renderers[0].glyph.line_color for item in path.legend[0].items[:3]}) == 3
    assert len(path.legend[0].items[3].renderers) == 3


def test_one_tooltip_shows_run_and_cases_with_the_same_times(with_cases):
    folder = with_cases("0.60 g")
    _, _, a_y, _ = drawn(folder).figures
    (hover,) = a_y.select(HoverTool)
    assert [row[0] for row in hover.tooltips] == ["time", "vehicle.a_y", "vehicle.a_y, 0.60 g"]


def test_a_case_with_other_times_has_a_tooltip_of_its_own(lane_change):
    case = {"name": "short", "set": {}}
    folder = lane_change(report={"plots": [{"signals": ["vehicle.a_y"]}], "cases": [case]})
    lane_change(f"{folder.name}/cases/short", samples=601, report=None)
    (a_y,) = drawn(folder).figures
    rows = [[row[0] for row in hover.tooltips] for hover in a_y.select(HoverTool)]
    assert sorted(rows) == [["time", "vehicle.a_y"], ["time", "vehicle.a_y, short"]]


def test_signals_that_a_case_does_not_share_are_drawn_of_the_run_alone(lane_change):
    report = {"plots": [{"signals": ["vehicle.a_y"]}, {"kind": "map", "x": "vehicle.x", "y": "vehicle.y"}]}
    folder = lane_change(report={**report, "cases": [{"name": "other", "set": {}}]})
    names = ["vehicle.x", "vehicle.q", *(f"vehicle.wheel_load[{i}]" for i in (1, 2, 3, 4)), "vehicle.a_y", "vehicle.s"]
    units = ["m", "m", "N", "N", "N", "N", "1", "rad"]
    columns = tuple(Column(*pair) for pair in zip(names, units, strict=True))
    lane_change(f"{folder.name}/cases/other", report=None, columns=columns)
    a_y, path = drawn(folder).figures
    assert labels(a_y) == ["vehicle.a_y"]
    assert labels(path)[:2] == ["path", "at the cursor"]


def test_more_cases_than_line_styles_are_left_out_with_a_note(with_cases):
    result = drawn(with_cases(*(f"case {i}" for i in range(5))))
    assert labels(result.figures[2]) == ["vehicle.a_y", "case 0", "case 1", "case 2"]
    assert result.notes == ["The first 3 of 5 cases are drawn; drawbar plot makes a page of each."]


def test_a_signal_over_another_is_drawn_of_the_run_and_its_cases(lane_change):
    plot = {"title": "Grip", "signals": ["vehicle.a_y"], "against": "vehicle.steer"}
    folder = lane_change(report={"plots": [plot], "cases": [{"name": "fast", "set": {}}]})
    lane_change(f"{folder.name}/cases/fast", report=None, peak=5.9)
    (fig,) = drawn(folder).figures
    assert labels(fig) == ["vehicle.a_y", "vehicle.a_y, fast"]
    assert (fig.xaxis[0].axis_label, fig.yaxis[0].axis_label) == ("steer [°]", "a_y [m/s²]")
    own, case = (item.renderers[0].data_source.data for item in fig.legend[0].items)
    run = Run(folder)
    np.testing.assert_array_equal(own["y"], run["vehicle.a_y"])
    np.testing.assert_allclose(own["x"], np.degrees(run["vehicle.steer"]))
    assert case["y"].max() > 1.1 * own["y"].max()


def test_a_signal_over_another_is_drawn_within_the_window_of_the_report(lane_change):
    plot = {"signals": ["vehicle.a_y"], "against": "vehicle.steer"}
    (fig,) = drawn(lane_change(report={"plots": [plot], "window": [3, 5]})).figures
    times = fig.legend[0].items[0].renderers[0].data_source.data["t"]
    assert (times[0], times[-1]) == (3.0, 5.0)
