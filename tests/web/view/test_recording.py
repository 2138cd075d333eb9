"""Columns of a run that are read once and followed."""

from fractions import Fraction

import numpy as np
import pytest

from drawbar.blocks.core.errors import RunError
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.web.view.catalogue import Catalogue
from drawbar.web.view.recording import RecordingCache

MS = Fraction(1, 1000)


def rows(first, count):
    t = np.arange(first, first + count) * 1e-3
    return np.column_stack([t, np.sin(t), np.cos(t)])


@pytest.fixture
def live(tmp_path):
    """A run that is being written, and what is found of it at each look."""
    recorder = Recorder(tmp_path / "a", {"diagram": "d"}, [Rate(MS, (Column("p.x", "m"), Column("p.y", "m")))])
    catalogue, cache = Catalogue(tmp_path), RecordingCache()

    def look():
        catalogue._next = 0.0
        catalogue.refresh()
        return cache.recording(catalogue.entry("a"))

    return recorder, look


def test_a_growing_run_is_followed_file_by_file(live):
    recorder, look = live
    assert look().periods == []
    for file in range(5):
        recorder.write(0, rows(100 * file, 100))
        recording = look()
        time, columns = recording.columns(MS, ["p.x"])
        assert len(time) == len(columns["p.x"]) == 100 * (file + 1)
        np.testing.assert_array_equal(columns["p.x"], np.sin(time))
        assert recording.end() == pytest.approx(0.1 * (file + 1) - 1e-3)
    time, columns = recording.columns(MS, ["p.y", "p.x"])  # one that is requested later has all rows too
    np.testing.assert_array_equal(columns["p.y"], np.cos(time))
    recorder.finish("ok")
    assert look().run.outcome == "ok"


def test_what_is_known_is_not_read_again(live, monkeypatch):
    recorder, look = live
    recorder.write(0, rows(0, 100))
    look().columns(MS, ["p.x"])
    recorder.write(0, rows(100, 100))
    recording = look()
    read, calls = recording.run.read, []
    monkeypatch.setattr(recording.run, "read", lambda *words: calls.append(words) or read(*words))
    recording.columns(MS, ["p.x"])
    recording.columns(MS, ["p.x"])
    assert calls == [(MS, ["time", "p.x"], 1)]


def test_the_version_changes_with_rows_and_outcome(live):
    recorder, look = live
    recorder.write(0, rows(0, 100))
    first = look().version
    assert look().version == first
    recorder.write(0, rows(100, 100))
    second = look().version
    recorder.finish("failed", "why")
    assert len({first, second, look().version}) == 3


def test_a_folder_that_is_written_anew_is_read_anew(live, tmp_path):
    recorder, look = live
    recorder.write(0, rows(0, 100))
    look().columns(MS, ["p.x"])
    (tmp_path / "a").rename(tmp_path / "old")
    again = Recorder(tmp_path / "a", {"diagram": "d"}, [Rate(MS, (Column("p.x", "m"), Column("p.y", "m")))])
    again.write(0, -rows(1, 50))
    time, columns = look().columns(MS, ["p.x"])
    assert len(time) == 50
    np.testing.assert_array_equal(columns["p.x"], -rows(1, 50)[:, 1])


def test_a_damaged_file_is_named(live, tmp_path):
    recorder, look = live
    recorder.write(0, rows(0, 100))
    recording = look()
    (tmp_path / "a" / "signals" / "0.001s" / "00001.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(RunError, match=r"00001\.parquet is damaged"):
        recording.columns(MS, ["p.x"])


@pytest.mark.parametrize(("order", "gone"), [("abcb", "a"), ("abaca", "b")])
def test_what_was_not_asked_for_the_longest_goes_first(lane_change, tmp_path, order, gone):
    for name in "abc":
        lane_change(name)
    catalogue, cache = Catalogue(tmp_path), RecordingCache(limit=5000)
    catalogue.refresh()
    kept = {}
    for name in order:
        kept[name] = cache.recording(catalogue.entry(name))
        kept[name].columns(kept[name].periods[0], ["vehicle.x"])
    for name in sorted({*"abc"} - {gone}):
        assert cache.recording(catalogue.entry(name)) is kept[name]
    assert cache.recording(catalogue.entry(gone)) is not kept[gone]
