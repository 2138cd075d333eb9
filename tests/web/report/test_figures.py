import numpy as np
import pytest
from bokeh.models import CrosshairTool, Legend, Span

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report import cross_plots, samples
from drawbar.web.report.charts import select_charts
from drawbar.web.report.figures import Figures
from drawbar.web.report.run_folder import find_cases


def drawn(folder, patterns=()):
    run = Run(folder)
    return Figures(run, select_charts(run, patterns).charts, find_cases(run).found)


@pytest.fixture
def columns():
    """All columns of the recorded lane change, of which some may be made discrete."""
    names = [
        "vehicle.x",
        "vehicle.y",
        *(f"vehicle.wheel_load[{i}]" for i in (1, 2, 3, 4)),
        "vehicle.a_y",
        "vehicle.steer",
    ]
    units = ["m", "m", "N", "N", "N", "N", "m/s2", "rad"]

    def made(*held):
        kinds = ["discrete" if name in held else "continuous" for name in names]
        return tuple(Column(n, u, variability=k) for n, u, k in zip(names, units, kinds, strict=True))

    return made


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


def test_curves_carry_what_the_readout_shows(lane_change):
    loads = drawn(lane_change()).figures[1]
    name, label = [f"vehicle.wheel_load[{i}]" for i in (1, 2)], ["front left", "front right"]
    tags = [r.tags for r in loads.renderers][:2]
    assert tags == [["as it stands", name[i], False, label[i]] for i in (0, 1)]
    assert loads.tags == ["N"]


def test_discrete_variables_are_drawn_held(lane_change, columns):
    names = ["driver.gear", "brake.on", "vehicle.steer", "vehicle.a_y"]
    figures = drawn(lane_change(columns=columns("vehicle.steer")), names).figures
    assert [type(fig.renderers[0].glyph).__name__ for fig in figures] == ["Step", "Step", "Step", "Line"]
    assert {fig.renderers[0].glyph.mode for fig in figures[:3]} == {"after"}
    assert [fig.renderers[0].tags[2] for fig in figures] == [True, True, True, False]


@pytest.mark.parametrize(
    ("held", "glyph", "mode"),
    [([], "Line", None), (["vehicle.a_y"], "Step", "after"), (["vehicle.steer"], "Step", "before")],
)
def test_a_signal_over_another_is_held_if_one_of_them_is(lane_change, columns, held, glyph, mode):
    plot = {"signals": ["vehicle.a_y"], "against": "vehicle.steer"}
    (fig,) = drawn(lane_change(report={"plots": [plot]}, columns=columns(*held))).figures
    line = fig.legend[0].items[0].renderers[0]
    assert (type(line.glyph).__name__, getattr(line.glyph, "mode", None)) == (glyph, mode)


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
    monkeypatch.setattr(cross_plots, "BINS", 50)
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


def test_each_run_has_a_colour_and_each_signal_a_dash(with_cases):
    loads = drawn(with_cases("0.60 g", "0.70 g")).figures[1]
    signals = ["front left", "front right", "rear left", "rear right"]
    assert labels(loads) == [*signals, "as it stands", "0.60 g", "0.70 g"]
    curves = [r for r in loads.renderers if r.tags]
    dashes = [curve.glyph.line_dash for curve in curves]
    assert dashes == dashes[:4] * 3
    assert len({tuple(dash) for dash in dashes}) == 4
    colours = [curve.glyph.line_color for curve in curves]
    assert colours == [colour for colour in colours[::4] for _ in range(4)]
    assert len(set(colours)) == 3
    signs = [item.renderers[0].glyph for item in loads.legend[0].items]
    assert [sign.line_dash for sign in signs[:4]] == dashes[:4]
    assert [sign.line_color for sign in signs[4:]] == colours[::4]
    assert set(loads.y_range.renderers) == set(curves)


def test_cases_have_a_colour_of_their_own_beside_a_single_curve_and_on_the_map(with_cases):
    folder = with_cases("0.60 g", "0.70 g")
    path, _, a_y, _ = drawn(folder).figures
    assert labels(a_y) == ["vehicle.a_y", "as it stands", "0.60 g", "0.70 g"]
    curves = [r for r in a_y.renderers if r.tags]
    assert len({curve.glyph.line_color for curve in curves}) == 3
    peaks = [np.abs(curve.data_source.data[curve.glyph.y]).max() for curve in curves]
    np.testing.assert_allclose(np.divide(peaks, peaks[0]), [1, 5.9 / 4.9, 6.9 / 4.9], atol=1e-4)
    assert labels(path)[:4] == ["path, as it stands", "path, 0.60 g", "path, 0.70 g", "at the cursor"]
    assert len({item.renderers[0].glyph.line_color for item in path.legend[0].items[:3]}) == 3
    assert len(path.legend[0].items[3].renderers) == 3


def test_a_case_with_other_times_has_a_source_of_its_own(lane_change):
    case = {"name": "short", "set": {}}
    folder = lane_change(report={"plots": [{"signals": ["vehicle.a_y"]}], "cases": [case]})
    lane_change(f"{folder.name}/cases/short", samples=601, report=None)
    (a_y,) = drawn(folder).figures
    assert [len(r.data_source.data["t"]) for r in a_y.renderers if r.tags] == [1201, 601]


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


def test_more_cases_than_colours_are_left_out_with_a_note(with_cases):
    result = drawn(with_cases(*(f"case {i}" for i in range(9))))
    assert labels(result.figures[2])[-2:] == ["case 5", "case 6"]
    assert result.notes == ["The first 7 of 9 cases are drawn; drawbar plot makes a page of each."]


def test_a_signal_over_another_is_drawn_of_the_run_and_its_cases(lane_change):
    plot = {"title": "Grip", "signals": ["vehicle.a_y"], "against": "vehicle.steer"}
    folder = lane_change(report={"plots": [plot], "cases": [{"name": "fast", "set": {}}]})
    lane_change(f"{folder.name}/cases/fast", report=None, peak=5.9)
    (fig,) = drawn(folder).figures
    assert labels(fig) == ["vehicle.a_y, as it stands", "vehicle.a_y, fast"]
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
