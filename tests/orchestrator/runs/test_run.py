import json
import random
import shutil
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pyarrow.parquet as pq
import pytest

from drawbar.blocks.core.errors import DrawbarError, RunError, UsageError
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import RENAMED_KEYS, Run

COLUMNS = (
    *(Column(f"vehicle.wheel_load[{i}]", "N") for i in (1, 2, 3, 4)),
    *(Column(f"vehicle.J[{i},{j}]", "kg.m2") for i in (1, 2) for j in (1, 2, 3)),
    Column("vehicle.x", "m", description="position"),
    Column("vehicle.x.rate", "m/s"),
    Column("ray[1]", "m"),
    Column("ray[3]", "m"),
    Column("odd[1]", "m"),
    Column("odd[2]", "rad"),
)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "run"
    recorder = Recorder(place, {"diagram": "d"}, [Rate(Fraction(1, 10), COLUMNS), Rate(Fraction(1, 3), (GEAR,))])
    for chunk in range(3):
        t = (np.arange(4) + 4 * chunk) / 10
        recorder.write(0, np.column_stack([t, *(t + 100 * i for i in range(len(COLUMNS)))]))
    recorder.write(1, np.array([[0.0, 1.0], [1 / 3, 2.0]]))
    recorder.finish("ok", timing={"wall_s": 2.0})
    return place


GEAR = Column("box.gear", "1", "Integer")


def test_arrays_are_folded_row_major_and_scalars_are_found_by_their_fmi_name(folder):
    run = Run(folder)
    assert run["vehicle.wheel_load"].shape == (12, 4)
    assert run["vehicle.J"].shape == (12, 2, 3)
    np.testing.assert_array_equal(run["vehicle.wheel_load"][:, 2], run["vehicle.wheel_load[3]"])
    np.testing.assert_array_equal(run["vehicle.J"][:, 1, 0], run["vehicle.J[2,1]"])
    assert run["vehicle.J[2,1]"][0] == 700.0
    np.testing.assert_array_equal(run["vehicle.x"], run.time("vehicle.x") + 1000)


def test_what_is_no_whole_array_of_one_kind_stays_scalar(folder):
    assert list(Run(folder).signals) == [
        "vehicle.wheel_load",
        "vehicle.J",
        "vehicle.x",
        "vehicle.x.rate",
        "ray[1]",
        "ray[3]",
        "odd[1]",
        "odd[2]",
        "box.gear",
    ]


def test_signals_tell_their_unit_type_size_and_period(folder):
    run = Run(folder)
    signal = run.signals["vehicle.x"]
    assert (signal.unit, signal.type, signal.description, signal.shape) == ("m", "Real", "position", ())
    assert run.signals["vehicle.wheel_load"].shape == (4,)
    assert run.signals["box.gear"].period == Fraction(1, 3)
    assert run["box.gear"].dtype == np.int64
    np.testing.assert_array_equal(run.time("box.gear"), [0.0, 1 / 3])
    assert "vehicle.J[1,1]" in run
    assert "vehicle.J[3,1]" not in run
    assert list(run) == list(run.signals)


def test_an_unknown_name_is_answered_with_the_nearest(folder):
    with pytest.raises(UsageError, match=r"no signal 'vehicle.wheel_loads'; did you mean 'vehicle.wheel_load'\?"):
        Run(folder)["vehicle.wheel_loads"]
    with pytest.raises(UsageError, match=r"no signal 'boxx\.gear'"):
        Run(folder).time("boxx.gear")


def test_patterns_choose_signals(folder):
    run = Run(folder)
    assert run.select(["box.*", "vehicle.wheel_load"]) == ["box.gear", "vehicle.wheel_load"]
    assert run.select(["vehicle.wheel_load[2]"]) == ["vehicle.wheel_load[2]"]
    assert run.select(["vehicle.J[1,*]"]) == [f"vehicle.J[1,{j}]" for j in (1, 2, 3)]
    with pytest.raises(UsageError, match=r"no signal 'wheel\.\*'"):
        run.select(["vehicle.x", "wheel.*"])


def test_a_finished_run_has_outcome_and_timing(folder):
    run = Run(folder)
    assert (run.outcome, run.complete, run.timing) == ("ok", True, {"wall_s": 2.0})


def test_a_killed_run_is_read_up_to_its_last_chunk(tmp_path):
    recorder = Recorder(tmp_path, {}, [Rate(Fraction(1, 10), (Column("a.x", "m"),)), Rate(Fraction(1), (GEAR,))])
    recorder.write(0, np.array([[0.0, 1.0], [0.1, 2.0]]))
    (tmp_path / "signals/0.1s/.00002.parquet.part").write_bytes(b"PAR1 killed while writing")
    run = Run(tmp_path)
    assert (run.outcome, run.complete, run.timing) == ("running", False, {})
    np.testing.assert_array_equal(run["a.x"], [1.0, 2.0])
    assert list(run.signals) == ["a.x"]


FOREVER = """
import sys
from fractions import Fraction
import numpy as np
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
recorder = Recorder(sys.argv[1], {}, [Rate(Fraction(1), (Column("a.x", "m"),))])
for first in range(0, 10**9, 1000):
    t = np.arange(first, first + 1000.0)
    recorder.write(0, np.column_stack([t, 2 * t]))
    print(first, flush=True)
"""


def test_a_run_whose_process_is_killed_keeps_every_chunk_it_reported(tmp_path):
    with subprocess.Popen([sys.executable, "-c", FOREVER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as child:
        reported = [int(child.stdout.readline()) for _ in range(5)]
        child.kill()
    run = Run(tmp_path)
    assert not run.complete
    assert len(run["a.x"]) >= reported[-1] + 1000
    np.testing.assert_array_equal(run["a.x"], 2.0 * np.arange(len(run["a.x"])))


def test_what_is_no_run_is_said_in_one_sentence(tmp_path, folder):
    with pytest.raises(UsageError, match="does not exist"):
        Run(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="is a file"):
        Run(folder / "run.json")
    with pytest.raises(UsageError, match=r"is no run, it has no run\.json; runs inside it: run"):
        Run(tmp_path)
    with pytest.raises(UsageError, match=r"is no run, it has no run\.json; name the folder"):
        Run(folder / "signals")


@pytest.mark.parametrize("text", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_run_file_is_named(folder, text):
    (folder / "run.json").write_bytes(text)
    with pytest.raises(RunError, match=r"run\.json"):
        Run(folder)


def test_a_missing_a_foreign_and_a_cut_chunk_are_named(folder):
    second = folder / "signals/0.1s/00002.parquet"
    whole = second.read_bytes()
    second.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RunError, match=r"00002\.parquet is damaged"):
        Run(folder)["vehicle.x"]
    shutil.copy(folder / "signals/1over3s/00001.parquet", second)
    with pytest.raises(RunError, match=r"00002\.parquet has other columns"):
        Run(folder)["vehicle.x"]
    second.unlink()
    with pytest.raises(RunError, match=r"00002\.parquet is missing though later chunks are there"):
        Run(folder)


def test_a_file_with_a_column_twice_is_no_recording(folder):
    file = folder / "signals/0.1s/00001.parquet"
    table = pq.read_table(file)
    pq.write_table(
        table.rename_columns(["vehicle.x" if n == "vehicle.x.rate" else n for n in table.column_names]), file
    )
    with pytest.raises(RunError, match=r"00001\.parquet is no recording"):
        Run(folder)


def test_rows_of_files_that_were_read_before_are_skipped(folder):
    x, time = Run(folder).read(Fraction(1, 10), ["vehicle.x", "time"], skip=2)
    np.testing.assert_array_equal(time, np.arange(8, 12) / 10)
    np.testing.assert_array_equal(x, time + 1000)


def test_a_chunk_with_flipped_bytes_never_gives_another_error(folder):
    path = folder / "signals/0.1s/00001.parquet"
    whole = path.read_bytes()
    rng = random.Random(1)
    refused = 0
    for _ in range(300):
        broken = bytearray(whole)
        for _ in range(rng.randint(1, 20)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        path.write_bytes(bytes(broken))
        try:
            Run(folder)["vehicle.wheel_load"]
        except DrawbarError:
            refused += 1
    assert refused > 50


def test_names_in_files_never_become_paths(tmp_path):
    place = tmp_path / "run"
    name = "../../secret"
    recorder = Recorder(place, {"diagram": name}, [Rate(Fraction(1), (Column(name, "m"), Column("/etc/x", "m")))])
    recorder.write(0, np.array([[0.0, 1.0, 2.0]]))
    recorder.finish("ok")
    assert list(Run(place).signals) == [name, "/etc/x"]
    assert [p.name for p in tmp_path.iterdir()] == ["run"]
    files = sorted(p.relative_to(place).as_posix() for p in place.rglob("*") if p.is_file())
    assert files == ["run.json", "signals/1s/00001.parquet", "timing.json"]


def test_files_a_recorder_never_writes_are_left_alone(folder):
    (folder / "signals/notes").mkdir()
    (folder / "signals/README").write_text("mine")
    (folder / "signals/0.1s/backup.parquet").write_text("mine")
    assert len(Run(folder)["vehicle.x"]) == 12


def test_info_is_what_was_given(folder):
    assert Run(folder).info == {"diagram": "d", "outcome": "ok"}
    assert json.loads((folder / "timing.json").read_text()) == {"wall_s": 2.0}


@pytest.mark.parametrize("old", ["units", "remarks", "changed", "used"])
def test_a_run_with_a_renamed_key_is_refused_with_the_new_name(folder, old):
    info = json.loads((folder / "run.json").read_bytes())
    (folder / "run.json").write_text(json.dumps({**info, old: {}}))
    with pytest.raises(RunError, match=rf"run.json .*'{old}' is now '{RENAMED_KEYS[old]}'"):
        Run(folder)
