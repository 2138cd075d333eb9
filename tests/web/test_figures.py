import numpy as np
import pytest
from bokeh.models import CrosshairTool, HoverTool, Legend, Span

from drawbar.orchestrator.recorder import Column, Rate, Recorder
from drawbar.orchestrator.run import Run
from drawbar.web import figures
from drawbar.web.charts import choose
from drawbar.web.figures import Figures, compact, plain, pretty, quantity, shown


def drawn(folder, patterns=()):
    run = Run(folder)
    return Figures(run, choose(run, patterns).charts)


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
    assert [item.label.value for item in loads.legend[0].items] == [
        "front left",
        "front right",
        "rear left",
        "rear right",
    ]
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


def test_one_tooltip_tells_all_curves_of_a_rate(lane_change):
    loads = drawn(lane_change()).figures[1]
    (hover,) = loads.select(HoverTool)
    assert [row[0] for row in hover.tooltips] == ["time", "front left", "front right", "rear left", "rear right"]
    assert hover.renderers[0].visible


def test_what_counts_or_switches_is_drawn_in_steps(lane_change):
    gear, brake, a_y = drawn(lane_change(), ["driver.gear", "brake.on", "vehicle.a_y"]).figures
    kinds = [type(fig.renderers[0].glyph).__name__ for fig in (gear, brake, a_y)]
    assert kinds == ["Step", "Step", "Line"]
    assert gear.renderers[0].glyph.mode == "after"


def test_the_map_has_equal_aspect_path_cones_reference_and_a_playhead(lane_change):
    fig = drawn(lane_change()).figures[0]
    assert fig.match_aspect
    assert [item.label.value for item in fig.legend[0].items] == ["path", "at the cursor", "cones", "reference"]
    glyphs = [type(r.glyph).__name__ for r in fig.renderers]
    assert sorted(glyphs) == ["Line", "Line", "Scatter", "Scatter"]
    assert (fig.xaxis[0].axis_label, fig.yaxis[0].axis_label) == ("x [m]", "y [m]")


def test_scene_items_that_cannot_be_drawn_are_told(lane_change):
    bad = [
        {"kind": "points", "name": "uneven", "x": [1, 2], "y": [1]},
        {"kind": "line", "x": ["a"], "y": [1]},
        {"kind": "area", "x": [1], "y": [1]},
        "cones",
        {"kind": "line", "x": ["inf"], "y": [1]},
    ]
    result = drawn(lane_change(scene=[*bad, {"kind": "points", "x": [1], "y": [2]}]))
    assert len(result.figures[0].legend[0].items) == 3
    assert result.notes == ["Scene items that are no points or line with as many x as y are left out."]
    assert drawn(lane_change("other", scene={"a": 1})).notes == result.notes


def test_up_to_the_limit_all_samples_are_drawn_beyond_it_envelopes_with_a_note(lane_change, monkeypatch):
    folder = lane_change()
    monkeypatch.setattr(figures, "SAMPLES", 2 * 1201)
    assert drawn(folder, ["vehicle.x", "vehicle.y"]).notes == []
    monkeypatch.setattr(figures, "SAMPLES", 2 * 1201 - 1)
    monkeypatch.setattr(figures, "BINS", 50)
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


@pytest.mark.parametrize(
    ("unit", "text"),
    [("m/s2", "m/s²"), ("kg.m2", "kg·m²"), ("1", ""), ("N", "N"), ("deg/s2", "°/s²"), ("degC", "degC")],
)
def test_units_are_printed_as_people_write_them(unit, text):
    assert pretty(unit) == text


def test_axis_texts():
    assert shown("m") == (1.0, "m")
    assert shown("rad/s")[0] == pytest.approx(57.29577951308232)
    assert quantity(["a.wheel_load[1]", "a.wheel_load[2]"], "N") == "wheel load [N]"
    assert quantity(["a.x", "a.y"], "m") == "[m]"
    assert quantity(["a.slip"], "1") == "slip [-]"


def test_text_that_looks_like_tex_is_left_as_text():
    for text in ("$$x$$", r"\[x\]", r"\(x\)"):
        assert plain(text) != text
        assert plain(text).replace("\u200b", "") == text
    assert plain("a.b[1] $5 \\n") == "a.b[1] $5 \\n"


def test_single_precision_is_used_only_where_no_eye_sees_it():
    t = np.linspace(0, 10, 1000)
    assert compact(np.sin(t)).dtype == np.float32
    easting = 5e6 + 0.1 * np.sin(t)
    np.testing.assert_array_equal(compact(easting), easting)
    assert compact(np.full(5, 0.1)).dtype == np.float64
    assert compact(np.array([0.0, 1e300])).dtype == np.float64
    assert np.isnan(compact(np.array([np.nan, 1.0, 2.0]))[0])
