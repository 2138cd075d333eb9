"""The model of a page: requests as the browser sends them, invalid ones, and changes of the run folder."""

import json
import shutil

import pytest

from drawbar.orchestrator.runs.recorder import Column
from drawbar.web.view.panel import MAX_RUNS
from drawbar.web.view.plot_layout import MAX_PLOTS


def test_the_newest_good_run_is_open_with_the_plots_of_its_report(lane_change, open_page, tmp_path):
    lane_change("a")
    page = open_page(tmp_path)
    assert page.shown() == ["a"]
    assert list(page.state("plotted"))[:5] == [*(f"vehicle.wheel_load[{i}]" for i in (1, 2, 3, 4)), "vehicle.a_y"]
    assert page.state("notes") == []
    names = {name: (unit, elements) for name, unit, elements, _ in page.state("signals")}
    assert names["vehicle.a_y"] == ("m/s²", [])
    assert len(names["vehicle.wheel_load"][1]) == 4


def test_the_run_that_was_named_is_open(lane_change, open_page, tmp_path):
    lane_change("a")
    lane_change("b")
    for name in "ab":
        assert open_page(tmp_path, chosen=name).shown() == [name]


def test_an_empty_folder_is_a_page_too(open_page, tmp_path):
    page = open_page(tmp_path / "none")
    assert (page.state("runs"), page.state("signals"), page.state("notes")) == ([], [], [])
    assert "error" in page.state("picture")


def test_a_new_run_is_opened(lane_change, open_page, tmp_path):
    page = open_page(tmp_path)
    lane_change("a")
    page.refresh()
    assert page.shown() == ["a"]


def test_only_so_many_runs_are_drawn_over_each_other(lane_change, open_page, tmp_path):
    for i in range(MAX_RUNS + 1):
        lane_change(f"r{i}", samples=11)
    page = open_page(tmp_path, chosen="r0")
    for i in range(1, MAX_RUNS + 1):
        page.send(action="show", run=f"r{i}", alone=False)
    assert len(page.shown()) == MAX_RUNS
    assert "remove one first" in page.state("notes")[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"plot"',
        "[" * 50_000,
        json.dumps({"action": "no such thing"}),
        json.dumps({"action": ["plot"]}),
        json.dumps({"action": "plot", "signal": "vehicle.nothing"}),
        json.dumps({"action": "plot", "signal": {"a": 1}}),
        json.dumps({"action": "plot", "signal": "x" * 30_000}),
        json.dumps({"action": "show", "run": "../a"}),
        json.dumps({"action": "show", "run": ["a"]}),
        json.dumps({"action": "show"}),
        json.dumps({"action": "zoom", "by": "x"}),
        json.dumps({"action": "kind", "name": "no such kind"}),
        json.dumps({"action": "kind", "name": ["spectrum"]}),
        json.dumps({"action": "kind", "name": "against", "against": "vehicle.nothing"}),
        json.dumps({"action": "kind", "name": "against", "against": "vehicle.wheel_load"}),
        json.dumps({"action": "kind", "name": "against", "against": ["vehicle.x"]}),
        '{"action": "zoom", "by": NaN}',
        '{"action": "zoom", "by": -1}',
    ],
)
def test_an_invalid_request_is_one_sentence_and_changes_nothing(lane_change, open_page, tmp_path, text):
    lane_change("a")
    page = open_page(tmp_path)
    before = page.state("runs"), page.state("plotted")
    page.session.page.request = "something else"  # only what changes is seen
    page.session.page.request = text
    (note,) = page.state("notes")
    assert "\n" not in note
    assert "internal error" not in note
    assert (page.state("runs"), page.state("plotted")) == before


def test_too_many_plots_are_refused_with_a_sentence(lane_change, open_page, tmp_path):
    columns = tuple(Column(f"p.s{i}", "m") for i in range(8))
    lane_change("a", columns=columns, report=None)
    lane_change("b", columns=tuple(Column(f"q.s{i}", "m") for i in range(8)), report=None)
    page = open_page(tmp_path, chosen="a")
    page.send(action="show", run="b", alone=False)
    page.send(action="clear")
    for part in "pq":
        for i in range(8):
            page.send(action="plot", signal=f"{part}.s{i}", alone=True)
    assert len(page.state("plotted")) == MAX_PLOTS
    assert "remove one first" in page.state("notes")[0]


def test_another_run_keeps_the_plots_that_it_can_fill(lane_change, open_page, tmp_path):
    lane_change("a")
    other = (Column("vehicle.x", "m"), *(Column(f"other.s{i}", "m") for i in range(7)))
    lane_change("b", columns=other, report=None)
    page = open_page(tmp_path, chosen="a")
    page.send(action="clear")
    for name in ("vehicle.x", "vehicle.a_y"):
        page.send(action="plot", signal=name)
    page.send(action="show", run="b", alone=True)
    assert list(page.state("plotted")) == ["vehicle.x"]


def test_a_folder_that_vanishes_is_one_sentence_and_the_others_stay(lane_change, open_page, tmp_path):
    for name in "ab":
        lane_change(name)
    page = open_page(tmp_path, chosen="a")
    page.send(action="show", run="b", alone=False)
    shutil.rmtree(tmp_path / "a")
    page.refresh()
    assert page.shown() == ["b"]
    assert page.state("notes") == ["a is no longer shown: its folder no longer exists"]


def test_a_file_that_vanishes_is_one_sentence(lane_change, open_page, tmp_path):
    folder = lane_change("a", samples=1_000_001)
    (folder / "signals/0.000012s/00001.parquet").unlink()
    page = open_page(tmp_path)
    (note,) = page.state("notes")
    assert "00001.parquet is missing" in note
    assert page.shown() == []


def test_a_damaged_file_is_one_sentence(lane_change, open_page, tmp_path):
    folder = lane_change("a")
    next((folder / "signals/0.01s").iterdir()).write_bytes(b"PAR1 damaged")
    page = open_page(tmp_path)
    (note,) = page.state("notes")
    assert "is damaged" in note


def test_choices_are_restored_and_what_is_gone_is_left_out(lane_change, open_page, tmp_path):
    lane_change("a")
    lane_change("b", peak=5.0)
    page = open_page(tmp_path, chosen="a")
    page.send(action="clear")
    page.send(action="plot", signal="vehicle.a_y")
    page.send(action="plot", signal="vehicle.wheel_load[2]")
    page.send(action="show", run="b", alone=False)
    runs, plots = page.shown(), page.state("layout")
    assert (sorted(runs), plots) == (["a", "b"], [["vehicle.a_y"], ["vehicle.wheel_load[2]"]])
    again = open_page(tmp_path, chosen="a")
    again.send(action="restore", runs=["gone", *runs], plots=[["gone"], *plots])
    assert (sorted(again.shown()), again.state("layout")) == (["a", "b"], plots)
    assert again.state("notes") == []
    for wrong in ({"runs": 1, "plots": []}, {"runs": [], "plots": "x"}, {}):
        again.send(action="restore", **wrong)
        assert "invalid choices" in again.state("notes")[0]
    again.send(
        action="restore", runs=["a", 1, None], plots=[[1, None], "x", ["vehicle.a_y", "vehicle.a_y", "vehicle.x"]]
    )
    assert again.state("layout") == [["vehicle.a_y"]], "a plot has one unit"


def test_the_time_axis_moves_within_the_whole_time(lane_change, open_page, tmp_path):
    lane_change("a")
    page = open_page(tmp_path)
    page.send(action="zoom", by=0.5)
    page.send(action="pan", by=0.25)
    assert page.session.curves.visible() == (4.5, 10.5)
    page.send(action="pan", by=1)
    assert page.session.curves.visible() == (6.0, 12.0)
    page.send(action="pan", by="x")
    assert "invalid step" in page.state("notes")[0]
