"""What other programs read of an exported run is what was recorded."""

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import loadmat

from drawbar.blocks.core.errors import RunError, UsageError
from drawbar.orchestrator.runs.export import export_csv, export_mat
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.scenario.input_file import TableFile

FAST = (
    Column("car.load[1]", "N", description="load, front"),
    Column("car.load[2]", "N", description="load, front"),
    Column("car.u", "m/s"),
    Column("axle.spring.f", "N"),
    Column("axle.J[1,1]", "kg.m2"),
    Column("axle.J[1,2]", "kg.m2"),
    Column("axle.J[2,1]", "kg.m2"),
    Column("axle.J[2,2]", "kg.m2"),
)
SLOW = (Column("car.gear", "1", "Integer"), Column("car.on", "1", "Boolean"))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Two rates; values with all digits, one of them no number."""
    rows = np.column_stack([np.arange(5) / 1000.0, np.random.default_rng(3).normal(0.0, 1e3, (5, len(FAST)))])
    rows[2, 3] = np.nan
    recorder = Recorder(tmp_path / "run", {}, [Rate(Fraction(1, 1000), FAST), Rate(Fraction(1, 250), SLOW)])
    recorder.write(0, rows)
    recorder.write(1, np.array([[0.0, 1.0, 0.0], [0.004, -2.0, 1.0]]))
    recorder.finish("ok")
    return Run(tmp_path / "run")


def table(path: Path) -> tuple[list[str], list[list[str]]]:
    head, *rows = csv.reader(path.read_text("utf-8").splitlines())
    return head, rows


def test_csv_has_a_table_for_each_rate_bit_for_bit(run: Run, tmp_path: Path) -> None:
    fast, slow = export_csv(run, tmp_path / "out.csv")
    assert (fast.name, slow.name) == ("out-0.001s.csv", "out-0.004s.csv")
    head, rows = table(fast)
    assert head == ["time", *(column.name for column in FAST)]
    for i, name in enumerate(head):
        recorded = run.time("car.u") if name == "time" else run[name]
        assert np.array_equal([float(row[i]) for row in rows], recorded, equal_nan=True), name
    assert table(slow) == (["time", "car.gear", "car.on"], [["0", "1", "false"], ["0.004", "-2", "true"]])


def test_csv_of_one_rate_is_one_file_that_an_input_file_can_be(run: Run, tmp_path: Path) -> None:
    (only,) = export_csv(run, tmp_path / "out.csv", ["car.u", "car.load"])
    assert only == tmp_path / "out.csv"
    assert TableFile(only).header == ["car.u", "car.load[1]", "car.load[2]"]


def test_units_and_types_are_in_the_metadata(run: Run, tmp_path: Path) -> None:
    for path in export_csv(run, tmp_path / "out.csv"):
        told = json.loads(path.with_name(f"{path.name}-metadata.json").read_text("utf-8"))
        assert (told["@context"], told["url"]) == ("http://www.w3.org/ns/csvw", path.name)
        columns = told["tableSchema"]["columns"]
        assert [c["name"] for c in columns] == table(path)[0]
        for c in columns[1:]:
            signal = run.signal(c["name"])
            assert (c["schema:unitText"], c["dc:description"]) == (signal.unit, signal.description)
    assert [c["datatype"] for c in columns] == ["double", "integer", "boolean"]


def test_mat_keeps_arrays_units_and_sample_times(run: Run, tmp_path: Path) -> None:
    (path,) = export_mat(run, tmp_path / "out.mat")
    found: dict[str, Any] = loadmat(path, simplify_cells=True)
    car, axle = found["car"], found["axle"]
    assert np.array_equal(car["load"]["values"], run["car.load"])
    assert (car["load"]["values"].shape, axle["J"]["values"].shape) == ((5, 2), (5, 2, 2))
    assert np.array_equal(axle["J"]["values"], run["axle.J"])
    assert (axle["spring"]["f"]["unit"], car["load"]["description"]) == ("N", "load, front")
    assert np.array_equal(car["u"]["time"], run.time("car.u"))
    assert (car["u"]["period"], car["gear"]["period"]) == (0.001, 0.004)
    assert car["gear"]["values"].tolist() == [1, -2]
    assert car["on"]["values"].astype(bool).tolist() == [False, True]


def test_equal_runs_give_equal_files(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (export_mat(run, tmp_path / f"{n}.mat")[0].read_bytes() for n in (1, 2))
    monkeypatch.setattr("time.asctime", lambda *_: "Thu Jan  1 00:00:00 1970")
    third = export_mat(run, tmp_path / "3.mat")[0].read_bytes()
    assert first == second == third


def test_names_that_matlab_does_not_take_are_made_so_and_kept_beside(tmp_path: Path) -> None:
    names = ["a.der(x)", "a.der_x_", "a.1st", "b", f"c.{'long' * 20}", "part.t.x"]
    recorder = Recorder(tmp_path / "run", {}, [Rate(Fraction(1), tuple(Column(name, "1") for name in names))])
    recorder.write(0, np.arange(7.0)[None])
    recorder.finish("ok")
    (path,) = export_mat(Run(tmp_path / "run"), tmp_path / "out.mat")
    found = loadmat(path, simplify_cells=True)
    leaves = [*found["a"].values(), found["b"], *found["c"].values(), *found["part"]["t"].values()]
    assert {leaf["name"]: float(leaf["values"]) for leaf in leaves} == dict(
        zip(names, np.arange(1.0, 7.0), strict=True)
    )
    assert all(len(key) <= 63 for key in found["c"])


def test_mistakes_are_named(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no signal 'car\.lod'; did you mean 'car\.load'"):
        export_csv(run, tmp_path / "out.csv", ["car.lod"])
    with pytest.raises(RunError, match="could not be written: No such file"):
        export_mat(run, tmp_path / "nowhere" / "out.mat")
    recorder = Recorder(tmp_path / "empty", {}, [])
    recorder.finish("ok")
    with pytest.raises(RunError, match="has no signals to export"):
        export_mat(Run(tmp_path / "empty"), tmp_path / "out.mat")
