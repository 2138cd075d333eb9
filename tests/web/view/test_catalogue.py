"""The runs of a folder as rows, whatever lies there."""

import json
import os
import time

import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.web.view.catalogue import TIMEOUT, Catalogue


def read_catalogue(root):
    catalogue = Catalogue(root)
    catalogue.refresh()
    return catalogue


def test_a_row_shows_the_facts_of_a_run(lane_change, tmp_path):
    lane_change("a")
    entry = read_catalogue(tmp_path).entries["a"]
    assert (entry.outcome, entry.diagram, entry.stop, entry.simulated) == ("ok", "double_lane_change", 12.0, 12.0)
    assert abs(entry.date - time.time()) < 60


def test_changes_are_as_they_are_typed_and_hashes_short(lane_change, tmp_path):
    changes = [
        {"time": 2.5, "part": "tire", "values": {"friction": 0.3, "C_a": 1}},
        {"time": 3, "part": "a", "values": {}},
    ]
    lane_change("a", changes=changes, inputs_sha256="0123456789abcdef" * 4, until="x.y > 2")
    parameters = read_catalogue(tmp_path).entries["a"].parameters
    chosen = {name: parameters[name] for name in ("changes", "inputs_sha256", "until")}
    assert chosen == {
        "changes": "2.5:tire.friction=0.3, 2.5:tire.C_a=1",
        "inputs_sha256": "01234567",
        "until": "x.y > 2",
    }
    for name, other in (("b", [1, {"time": 2}]), ("c", []), ("d", [{"time": 1, "part": "p", "values": 3}])):
        lane_change(name, changes=other)
        assert read_catalogue(tmp_path).entries[name].parameters["changes"] == other, "not as Drawbar writes it"


def test_a_run_in_progress_is_as_long_as_its_last_file(lane_change, tmp_path):
    lane_change("a", finish=False)
    entry = read_catalogue(tmp_path).entries["a"]
    assert (entry.outcome, entry.simulated) == ("running", 12.0)


def test_a_run_that_writes_nothing_any_more_is_incomplete(lane_change, tmp_path):
    folder = lane_change("a", finish=False)
    for file in folder.rglob("*"):
        os.utime(file, (0, time.time() - 2 * TIMEOUT))
    assert read_catalogue(tmp_path).entries["a"].outcome == "incomplete"


def test_runs_inside_a_run_are_listed_below_it(with_cases, tmp_path):
    with_cases("0.60 g", "0.65 g")
    assert list(read_catalogue(tmp_path).entries) == ["run", "run/0.60_g", "run/0.65_g"]


def test_the_newest_run_comes_first(lane_change, tmp_path):
    for i, name in enumerate(("b", "a", "c")):
        folder = lane_change(name)
        os.utime(folder / "signals", (0, 1000 + i))
    assert list(read_catalogue(tmp_path).entries) == ["c", "a", "b"]


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_a_broken_run_is_a_row_with_its_reason(lane_change, tmp_path, content):
    lane_change("good")
    bad = lane_change("bad")
    (bad / "run.json").write_bytes(content)
    entries = read_catalogue(tmp_path).entries
    assert entries["bad"].outcome == "unreadable"
    assert entries["bad"].fault.startswith("bad: run.json cannot be read: ")
    assert entries["good"].fault == ""


@pytest.mark.parametrize("number", ["1" + "0" * 400, "1e999", "-Infinity", "NaN"])
def test_a_number_that_is_none_hides_neither_its_run_nor_others(lane_change, tmp_path, number):
    lane_change("good")
    bad = lane_change("bad")
    (bad / "run.json").write_text(f'{{"outcome": "ok", "stop": {number}}}')
    (bad / "timing.json").write_text(f'{{"simulated_s": {number}}}')
    entries = read_catalogue(tmp_path).entries
    assert (entries["bad"].outcome, entries["bad"].stop, entries["bad"].simulated) == ("ok", None, None)
    assert (entries["good"].outcome, entries["good"].stop) == ("ok", 12.0)


def test_facts_of_the_wrong_kind_are_omitted(lane_change, tmp_path):
    folder = lane_change("a")
    (folder / "run.json").write_text(json.dumps({"outcome": 3, "stop": "x", "diagram": ["y"]}))
    (folder / "timing.json").write_text(json.dumps({"simulated_s": None}))
    entry = read_catalogue(tmp_path).entries["a"]
    assert (entry.outcome, entry.stop, entry.simulated, entry.fault) == ("3", None, 12.0, "")


def test_links_out_of_the_folder_are_not_followed(lane_change, tmp_path):
    lane_change("elsewhere/a")
    root = tmp_path / "runs"
    root.mkdir()
    (root / "link").symlink_to(tmp_path / "elsewhere" / "a", target_is_directory=True)
    assert read_catalogue(root).entries == {}
    assert list(read_catalogue(tmp_path / "elsewhere").entries) == ["a"]


@pytest.mark.parametrize("name", ["", "..", "../a", "a/..", "/a", "a/../a", None, 3, ["a"]])
def test_only_what_is_listed_has_a_name(lane_change, tmp_path, name):
    lane_change("a")
    catalogue = read_catalogue(tmp_path)
    assert catalogue.entry("a").folder == tmp_path / "a"
    with pytest.raises(UsageError, match="there is no run"):
        catalogue.entry(name)


def test_a_folder_that_does_not_exist_yet_is_empty_and_then_not(lane_change, tmp_path):
    catalogue = read_catalogue(tmp_path / "runs")
    assert catalogue.entries == {}
    lane_change("runs/a")
    catalogue._next = 0.0
    catalogue.refresh()
    assert list(catalogue.entries) == ["a"]


def test_the_folder_is_not_looked_at_more_often_than_pays(lane_change, tmp_path):
    catalogue = read_catalogue(tmp_path)
    lane_change("a")
    catalogue.refresh()
    assert catalogue.entries == {}


def test_the_run_that_was_asked_for_is_listed_among_very_many(lane_change, tmp_path, monkeypatch):
    monkeypatch.setattr("drawbar.web.view.catalogue.MAX_RUNS", 1)
    for i, name in enumerate("ab"):
        os.utime(lane_change(name) / "signals", (0, 1000 + i))
    assert list(read_catalogue(tmp_path).entries) == ["b"]
    catalogue = Catalogue(tmp_path, tmp_path / "a")
    catalogue.refresh()
    assert (list(catalogue.entries), catalogue.omitted) == (["b", "a"], 0)
