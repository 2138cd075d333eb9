import json
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from drawbar.blocks.core.errors import RunError, UsageError
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder, chunk_name, next_folder, period_of, period_text
from drawbar.orchestrator.runs.run import Run

FAST, SLOW = Fraction(1, 1000), Fraction(1, 30)


def rates():
    return [
        Rate(FAST, (Column("body.z", "m", description="height"), Column("body.on", "1", "Boolean"))),
        Rate(SLOW, (Column("radar.count", "1", "Integer"),)),
    ]


def rows(n=5):
    t = np.arange(n) * 1e-3
    return np.column_stack([t, np.sin(t), np.arange(n) % 2])


def record(folder, first=0.0):
    recorder = Recorder(folder, {"diagram": "d", "parameters": {"body.mass": np.float64(2.5)}}, rates())
    values = rows()
    values[0, 1] += first
    recorder.write(0, values)
    recorder.write(1, np.array([[0.0, 7.0]]))
    recorder.write(0, rows() + np.array([1.0, 0.0, 0.0]))
    recorder.finish("ok", timing={"wall_s": 1.5 if first else 2.5})
    return folder


def content(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_folder_is_laid_out_as_documented(tmp_path):
    assert set(content(record(tmp_path / "run"))) == {
        "run.json",
        "timing.json",
        "signals/0.001s/00001.parquet",
        "signals/0.001s/00002.parquet",
        "signals/1over30s/00001.parquet",
    }


def test_a_working_directory_that_changes_moves_no_row(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    recorder = Recorder("run", {}, rates())
    monkeypatch.chdir(tmp_path / "elsewhere")
    recorder.write(0, rows())
    recorder.finish("ok")
    monkeypatch.chdir(tmp_path)
    resumed = Recorder.resume(recorder.folder, rates())
    monkeypatch.chdir(tmp_path / "elsewhere")
    resumed.write(0, rows() + np.array([1.0, 0.0, 0.0]))
    resumed.finish("failed")
    run = Run(tmp_path / "run")
    assert (run.outcome, len(run["body.z"])) == ("failed", 10)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_equal_recordings_give_equal_bytes_and_unequal_ones_do_not(tmp_path):
    one, two = content(record(tmp_path / "1")), content(record(tmp_path / "2"))
    assert one == two
    other = content(record(tmp_path / "3", first=1e-16))
    changed = {name for name in one if one[name] != other[name]}
    assert changed == {"signals/0.001s/00001.parquet", "timing.json"}


def test_columns_carry_type_unit_and_description_for_any_parquet_reader(tmp_path):
    schema = pq.read_schema(record(tmp_path / "run") / "signals/0.001s/00001.parquet")
    assert [str(t) for t in schema.types] == ["double", "double", "bool"]
    assert schema.field("body.z").metadata == {b"unit": b"m", b"type": b"Real", b"description": b"height"}
    assert schema.field("time").metadata[b"unit"] == b"s"
    slow = pq.read_table(tmp_path / "run/signals/1over30s/00001.parquet")
    assert str(slow.schema.field("radar.count").type) == "int64"
    assert slow.to_pylist() == [{"time": 0.0, "radar.count": 7}]


def test_the_chunks_of_a_rate_are_one_data_set(tmp_path):
    folder = record(tmp_path / "run") / "signals/0.001s"
    (folder / ".00003.parquet.part").write_bytes(b"half a chunk")
    assert pyarrow.dataset.dataset(folder).to_table().num_rows == 10


def test_values_come_back_bit_for_bit(tmp_path):
    values = np.array([[0.0, 0.1], [0.1, -0.0], [0.2, 5e-324], [0.3, np.nan], [0.4, -np.inf]])
    recorder = Recorder(tmp_path, {}, [Rate(Fraction(1, 10), (Column("a", "m"),))])
    recorder.write(0, values)
    assert Run(tmp_path)["a"].tobytes() == values[:, 1].tobytes()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.5])
def test_a_whole_number_that_is_none_is_refused_by_name(tmp_path, bad):
    recorder = Recorder(tmp_path, {}, rates())
    with pytest.raises(RunError, match=r"radar\.count"):
        recorder.write(1, np.array([[0.0, 1.0], [1.0, bad]]))
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_folder_that_holds_something_is_refused_and_left_as_it_was(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(UsageError, match=r"is not empty \(it holds thesis\.txt\); name another one or delete it"):
        Recorder(tmp_path, {}, rates())
    assert content(tmp_path) == {"thesis.txt": b"precious"}
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(UsageError, match="is a file"):
        Recorder(tmp_path / "thesis.txt", {}, rates())
    with pytest.raises(UsageError, match="cannot be made"):
        Recorder(tmp_path / "thesis.txt" / "run", {}, rates())


def test_an_empty_folder_is_accepted(tmp_path):
    Recorder(tmp_path, {"seed": 3}, rates())
    assert json.loads((tmp_path / "run.json").read_text()) == {"seed": 3, "outcome": "running"}


def test_what_cannot_be_recorded_is_refused_before_the_folder_is_made(tmp_path):
    twice = [Rate(FAST, (Column("a", "m"),)), Rate(SLOW, (Column("a", "m"),))]
    for wrong in (twice, [Rate(FAST, ()), Rate(FAST, ())], [Rate(FAST, (Column("time", "s"),))]):
        with pytest.raises(ValueError, match="recorded twice"):
            Recorder(tmp_path / "run", {}, wrong)
    with pytest.raises(ValueError, match="type 'String' cannot be recorded"):
        Recorder(tmp_path / "run", {}, [Rate(FAST, (Column("a", "1", "String"),))])
    assert not (tmp_path / "run").exists()


def test_rows_of_the_wrong_width_and_rows_after_the_end_are_refused(tmp_path):
    recorder = Recorder(tmp_path, {}, rates())
    with pytest.raises(ValueError, match=r"needs \(n, 3\)"):
        recorder.write(0, np.zeros((4, 2)))
    recorder.finish("ok")
    with pytest.raises(ValueError, match="finished"):
        recorder.write(0, rows())
    with pytest.raises(ValueError, match="finished"):
        recorder.finish("ok")


def test_no_rows_make_no_chunk(tmp_path):
    recorder = Recorder(tmp_path, {}, rates())
    recorder.write(0, np.empty((0, 3)))
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_chunk_that_fails_to_reach_the_disk_is_not_there(tmp_path, monkeypatch):
    recorder = Recorder(tmp_path, {}, rates())
    recorder.write(0, rows())

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match="could not be written: No space left on device"):
        recorder.write(0, rows() + np.array([1.0, 0.0, 0.0]))
    assert [p.name for p in tmp_path.rglob("*.parquet")] == ["00001.parquet"]
    assert len(Run(tmp_path)["body.z"]) == 5


def test_rows_that_are_written_already_are_left_out(tmp_path):
    """A write that was interrupted after its file was in place is done again."""
    recorder = Recorder(tmp_path, {}, rates())
    recorder.write(0, rows())
    recorder.write(0, rows())
    recorder.write(0, rows(7))
    assert Run(tmp_path).time("body.z").tolist() == rows(7)[:, 0].tolist()


def test_another_process_goes_on_with_the_recording(tmp_path):
    Recorder(tmp_path, {"diagram": "d"}, rates()).write(0, rows())
    (tmp_path / "signals" / "0.001s" / ".00002.parquet.part").write_bytes(b"half")
    recorder = Recorder.resume(tmp_path, rates())
    recorder.write(0, rows(7))
    recorder.write(1, np.array([[0.0, 7.0]]))
    recorder.finish("failed", "the other one died")
    run = Run(tmp_path)
    assert run.time("body.z").tolist() == rows(7)[:, 0].tolist()
    assert run.info == {"diagram": "d", "outcome": "failed", "message": "the other one died"}
    assert not list(tmp_path.rglob("*.part"))


def test_numbers_json_has_no_word_for_are_text(tmp_path):
    info = {"a": float("inf"), "b": np.array([1, 2]), "c": Fraction(1, 3), "d": (np.nan,), "e": np.bool_(True)}
    Recorder(tmp_path, info, []).finish("failed", "part body: z is NaN")
    assert json.loads((tmp_path / "run.json").read_text(), parse_constant=pytest.fail) == {
        "a": "inf",
        "b": [1, 2],
        "c": "1/3",
        "d": ["nan"],
        "e": True,
        "outcome": "failed",
        "message": "part body: z is NaN",
    }


@pytest.mark.parametrize(
    ("period", "text"),
    [
        (FAST, "0.001s"),
        (SLOW, "1over30s"),
        (Fraction(2), "2s"),
        (Fraction(5, 2), "2.5s"),
        (Fraction(100), "100s"),
        (Fraction(1, 1024), "0.0009765625s"),
        (Fraction(1, 2**20), "1over1048576s"),
        (Fraction(7, 3), "7over3s"),
    ],
)
def test_periods_and_folder_names_are_exact_both_ways(period, text):
    assert period_text(period) == text
    assert period_of(text) == period


@pytest.mark.parametrize(
    "text", ["0.0010s", "1s/..", "..", "2over60s", "1over0s", "0s", "1over2s", "01s", "s", "1e3s", "٣s", "0.001"]
)
def test_folder_names_a_recorder_never_writes_stand_for_no_period(text):
    assert period_of(text) is None


def test_a_period_must_be_positive():
    with pytest.raises(ValueError, match="not positive"):
        period_text(Fraction(0))


def test_chunk_names_sort_in_order():
    assert [chunk_name(n) for n in (1, 99999)] == ["00001.parquet", "99999.parquet"]


def test_the_name_of_a_diagram_never_leads_out_of_the_runs_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert next_folder("../../evil dir") == Path("runs") / "_.._evil_dir-001"
    assert next_folder("../../evil dir") == Path("runs") / "_.._evil_dir-002"
    assert [p.name for p in tmp_path.iterdir()] == ["here"]


def test_the_number_of_a_run_folder_follows_the_largest_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("demo-007", "demo-x-009", "demo-last", "demonstration-012"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    assert next_folder("demo").name == "demo-008"
    assert next_folder("demo").name == "demo-009"
