"""The page's model, asked as the browser would: good questions, bad ones, and what the disk does meanwhile."""

import json
import shutil
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.envelope import window
from drawbar.web.view.board import PLOTS
from drawbar.web.view.panel import STYLES


def shown(page):
    return [run["name"] for run in page.told("runs") if run["style"] is not None]


def test_the_newest_good_run_is_open_with_the_plots_of_its_report(lane_change, opened_page, tmp_path):
    lane_change("a")
    page = opened_page(tmp_path)
    assert shown(page) == ["a"]
    assert list(page.told("plotted"))[:5] == [*(f"vehicle.wheel_load[{i}]" for i in (1, 2, 3, 4)), "vehicle.a_y"]
    assert page.told("notes") == []
    names = {name: (unit, elements) for name, unit, elements, _ in page.told("signals")}
    assert names["vehicle.a_y"] == ("m/s²", [])
    assert len(names["vehicle.wheel_load"][1]) == 4


def test_the_run_that_was_named_is_open(lane_change, opened_page, tmp_path):
    lane_change("a")
    lane_change("b")
    for name in "ab":
        assert shown(opened_page(tmp_path, chosen=name)) == [name]


def test_an_empty_folder_is_a_page_too(opened_page, tmp_path):
    page = opened_page(tmp_path / "none")
    assert (page.told("runs"), page.told("signals"), page.told("notes")) == ([], [], [])
    assert "error" in page.told("picture")


def test_a_run_that_comes_is_opened(lane_change, opened_page, tmp_path):
    page = opened_page(tmp_path)
    lane_change("a")
    page.tick()
    assert shown(page) == ["a"]


def test_runs_are_drawn_over_each_other_in_the_colour_of_the_signal(lane_change, opened_page, tmp_path):
    runs = [Run(lane_change(name, peak=peak)) for name, peak in (("a", 4.0), ("b", 5.0))]
    page = opened_page(tmp_path, chosen="a")
    page.ask(do="show", run="b", alone=False)
    assert {run["name"]: run["style"] for run in page.told("runs")} == {"a": 0, "b": 1}
    figures = page.document.get_model_by_name("plots").children
    lines = [r for r in figures[1].renderers if r.tags]
    assert [r.tags[:2] for r in lines] == [["a", "vehicle.a_y"], ["b", "vehicle.a_y"]]
    assert len({r.glyph.line_color for r in lines}) == 1
    assert [r.glyph.line_dash for r in lines] == [[], [6]]
    drawn = [r.data_source.data[r.glyph.y].max() for r in lines]
    assert drawn == pytest.approx([run["vehicle.a_y"].max() for run in runs])
    page.ask(do="show", run="a", alone=False)
    assert shown(page) == ["b"]
    page.ask(do="show", run="b", alone=False)
    assert shown(page) == ["b"], "the last one stays"


def test_only_so_many_runs_are_drawn_over_each_other(lane_change, opened_page, tmp_path):
    for i in range(len(STYLES) + 1):
        lane_change(f"r{i}", samples=11)
    page = opened_page(tmp_path, chosen="r0")
    for i in range(1, len(STYLES) + 1):
        page.ask(do="show", run=f"r{i}", alone=False)
    assert len(shown(page)) == len(STYLES)
    assert "take one away" in page.told("notes")[0]


def test_all_plots_have_one_axis_and_one_cursor(lane_change, opened_page, tmp_path):
    lane_change("a")
    page = opened_page(tmp_path)
    figures = page.document.get_model_by_name("plots").children
    assert len(figures) == 3
    assert len({f.x_range for f in figures}) == 1
    assert (
        len(
            {tool.overlay for f in figures for tool in f.toolbar.tools if hasattr(tool, "overlay")}
            & {page.document.get_model_by_name("cursor")}
        )
        == 1
    )


def test_zooming_in_gives_every_sample_and_fits_the_values(lane_change, opened_page, tmp_path):
    lane_change("a", samples=120_001)
    page = opened_page(tmp_path)
    line = next(r for r in page.document.get_model_by_name("plots").children[1].renderers if r.tags)
    figure = page.document.get_model_by_name("plots").children[1]
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
def test_an_axis_that_is_none_does_no_harm(lane_change, opened_page, tmp_path, start, end):
    lane_change("a")
    page = opened_page(tmp_path)
    page.session.curves.range.update(start=start, end=end)
    page.settle()
    assert page.told("notes") == []


def test_an_angle_is_told_in_degrees(lane_change, opened_page, tmp_path):
    run = Run(lane_change("a"))
    page = opened_page(tmp_path)
    page.ask(do="clear")
    page.ask(do="plot", signal="vehicle.steer")
    (figure,) = page.document.get_model_by_name("plots").children
    line = next(r for r in figure.renderers if r.tags)
    assert figure.yaxis.axis_label == "steer [°]"
    assert line.data_source.data[line.glyph.y].max() == pytest.approx(np.degrees(run["vehicle.steer"].max()), rel=1e-6)


def test_what_counts_or_switches_is_drawn_in_steps(lane_change, opened_page, tmp_path):
    lane_change("a")
    page = opened_page(tmp_path)
    page.ask(do="clear")
    for name in ("driver.gear", "brake.on"):
        page.ask(do="plot", signal=name)
    kinds = [
        next(r for r in f.renderers if r.tags).glyph.__class__.__name__
        for f in page.document.get_model_by_name("plots").children
    ]
    assert kinds == ["Step", "Step"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"plot"',
        "[" * 50_000,
        json.dumps({"do": "no such thing"}),
        json.dumps({"do": ["plot"]}),
        json.dumps({"do": "plot", "signal": "vehicle.nothing"}),
        json.dumps({"do": "plot", "signal": {"a": 1}}),
        json.dumps({"do": "plot", "signal": "x" * 30_000}),
        json.dumps({"do": "show", "run": "../a"}),
        json.dumps({"do": "show", "run": ["a"]}),
        json.dumps({"do": "show"}),
        json.dumps({"do": "zoom", "by": "x"}),
        '{"do": "zoom", "by": NaN}',
        '{"do": "zoom", "by": -1}',
    ],
)
def test_a_bad_question_is_one_sentence_and_changes_nothing(lane_change, opened_page, tmp_path, text):
    lane_change("a")
    page = opened_page(tmp_path)
    before = page.told("runs"), page.told("plotted")
    page.session.page.ask = "something else"  # only what changes is seen
    page.session.page.ask = text
    (note,) = page.told("notes")
    assert "\n" not in note
    assert "fault in Drawbar" not in note
    assert (page.told("runs"), page.told("plotted")) == before


def test_too_many_plots_are_refused_with_a_sentence(lane_change, opened_page, tmp_path):
    columns = tuple(Column(f"p.s{i}", "m") for i in range(8))
    lane_change("a", columns=columns, report=None)
    lane_change("b", columns=tuple(Column(f"q.s{i}", "m") for i in range(8)), report=None)
    page = opened_page(tmp_path, chosen="a")
    page.ask(do="show", run="b", alone=False)
    page.ask(do="clear")
    for part in "pq":
        for i in range(8):
            page.ask(do="plot", signal=f"{part}.s{i}", alone=True)
    assert len(page.told("plotted")) == PLOTS
    assert "take one away" in page.told("notes")[0]


def test_another_run_keeps_the_plots_that_it_can_fill(lane_change, opened_page, tmp_path):
    lane_change("a")
    other = (Column("vehicle.x", "m"), *(Column(f"other.s{i}", "m") for i in range(7)))
    lane_change("b", columns=other, report=None)
    page = opened_page(tmp_path, chosen="a")
    page.ask(do="clear")
    for name in ("vehicle.x", "vehicle.a_y"):
        page.ask(do="plot", signal=name)
    page.ask(do="show", run="b", alone=True)
    assert list(page.told("plotted")) == ["vehicle.x"]


def test_a_signal_of_another_unit_is_told_and_not_drawn(lane_change, opened_page, tmp_path):
    lane_change("a")
    lane_change("b", columns=(Column("vehicle.x", "km"), *(Column(f"o.s{i}", "m") for i in range(7))), report=None)
    page = opened_page(tmp_path, chosen="a")
    page.ask(do="clear")
    page.ask(do="plot", signal="vehicle.x")
    page.ask(do="show", run="b", alone=False)
    (figure,) = page.document.get_model_by_name("plots").children
    assert [r.tags[0] for r in figure.renderers if r.tags] == ["a"]
    assert any("vehicle.x is in km and m" in note for note in page.told("notes"))


def test_a_folder_that_vanishes_is_one_sentence_and_the_others_stay(lane_change, opened_page, tmp_path):
    for name in "ab":
        lane_change(name)
    page = opened_page(tmp_path, chosen="a")
    page.ask(do="show", run="b", alone=False)
    shutil.rmtree(tmp_path / "a")
    page.tick()
    assert shown(page) == ["b"]
    assert page.told("notes") == ["a is no longer shown: its folder is gone"]


def test_a_file_that_vanishes_is_one_sentence(lane_change, opened_page, tmp_path):
    folder = lane_change("a", samples=1_000_001)
    (folder / "signals/0.000012s/00001.parquet").unlink()
    page = opened_page(tmp_path)
    (note,) = page.told("notes")
    assert "00001.parquet is missing" in note
    assert shown(page) == []


def test_a_damaged_file_is_one_sentence(lane_change, opened_page, tmp_path):
    folder = lane_change("a")
    next((folder / "signals/0.01s").iterdir()).write_bytes(b"PAR1 damaged")
    page = opened_page(tmp_path)
    (note,) = page.told("notes")
    assert "is damaged" in note


def test_a_run_that_failed_says_why(lane_change, opened_page, tmp_path):
    folder = lane_change("a")
    info = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**info, "outcome": "failed", "message": "the tire was lost"}))
    page = opened_page(tmp_path)
    assert page.told("notes") == ["a: the tire was lost"]


def test_the_picture_is_that_of_the_run(lane_change, opened_page, tmp_path):
    folder = lane_change("a")
    page = opened_page(tmp_path)
    assert "as it is now" in page.told("picture")["text"], "the library has a diagram of that name"
    (folder / "diagram.svg").write_text("<svg/>")
    page = opened_page(tmp_path)
    assert page.told("picture") == {"run": "a", "title": "double_lane_change", "text": ""}
    lane_change("b", diagram="../../secret")
    page = opened_page(tmp_path, chosen="b")
    assert "holds no picture" in page.told("picture")["error"]


def test_a_window_is_fine_where_one_looks_and_keeps_every_extreme():
    t = np.arange(100_001) * 1e-3
    y = np.sin(t)
    y[50_123] = 400.0
    for start, end in ((0.0, 100.0), (50.0, 50.2), (99.9, 100.0), (-5.0, 0.01)):
        time, columns = window(t, {"y": y}, start, end, 800)
        seen = (time >= start) & (time <= end)
        exact = y[(t >= start) & (t <= end)]
        assert len(time) <= 8 * 800 + 2
        assert (columns["y"][seen].max(), columns["y"][seen].min()) == pytest.approx(
            (exact.max(), exact.min()), abs=1e-3
        )
    assert window(t, {"y": y}, 200.0, 201.0, 800)[0].size <= 2


def test_the_bins_of_a_moved_window_stay_where_they_are():
    t = np.arange(100_001) * 1e-3
    first, _ = window(t, {"y": np.sin(t)}, 40.0, 60.0, 100)
    second, _ = window(t, {"y": np.sin(t)}, 41.0, 61.0, 100)
    common = np.intersect1d(first[1:-1], second[1:-1])
    assert len(common) > 0.9 * min(len(first), len(second))


def test_times_that_are_none_do_no_harm(opened_page, tmp_path):
    Recorder(tmp_path / "a", {}, [Rate(Fraction(1, 10), (Column("p.x", "m"),))])
    schema = pa.schema([pa.field("time", pa.float64()), pa.field("p.x", pa.float64())])
    table = pa.table([pa.array([np.nan, np.inf, -1.0]), pa.array([np.nan] * 3)], schema=schema)
    pq.write_table(table, tmp_path / "a/signals/0.1s/00001.parquet")
    page = opened_page(tmp_path)
    assert page.told("notes") == []
    assert page.session.curves.full == (0.0, 1.0)
