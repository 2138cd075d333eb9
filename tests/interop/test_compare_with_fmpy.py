"""FMUs without any code of Drawbar give the same in Drawbar and in FMPy, and what does not is seen."""

import json
import runpy
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPT = runpy.run_path(str(Path(__file__).with_name("compare_with_fmpy.py")))
build = runpy.run_path(str(Path(__file__).parents[1] / "foreign" / "builder.py"))["build"]


def table(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, dict[str, Any]], dict[str, Any]]:
    """The exit code of the script, its rows by the names of the FMUs, and its summary."""
    code = SCRIPT["main"]([*words, "--json", "--steps", "40"])
    found = json.loads(capsys.readouterr().out)
    return code, {Path(row["fmu"]).stem: row for row in found["fmus"]}, found["summary"]


@pytest.mark.compiler
@pytest.mark.slow
def test_foreign_fmus_give_the_same_as_in_fmpy(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "below"
    folder.mkdir()
    build(tmp_path, "through", maximum={"u": 0.05}, minimum={"u": -0.05})
    build(folder, "oscillator", side=2, starts={"x": 0.5, "k": 20.0})
    build(folder, "misbehaving", name="lag-2.1", canHandleVariableCommunicationStepSize=False, stepSize=1 / 30)
    (folder / "again.fmu").write_bytes((tmp_path / "through.fmu").read_bytes())
    code, rows, summary = table(capsys, str(tmp_path))
    assert {name: row["verdict"] for name, row in rows.items()} == dict.fromkeys(rows, "equal")
    assert code == 0
    assert sorted(rows) == ["again", "lag-2.1", "oscillator2"], "equal files count once"
    assert [summary["largest_absolute"], summary["largest_relative"]] == [0.0, 0.0]
    assert [row["rows"] for row in rows.values()] == [41] * 3
    assert (summary["outputs"], summary["verdicts"]) == (8, {"equal": 3})
    assert rows["lag-2.1"]["step"] == 1 / 30


@pytest.mark.compiler
@pytest.mark.slow
def test_what_differs_fails_or_is_refused_is_in_the_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Negative control: a clock is never equal. An FMU that crashes does not end the table."""
    build(tmp_path, "clock")
    build(tmp_path, "misbehaving", name="crash", starts={"fault": 1, "at": 0.1})
    build(tmp_path, "misbehaving", name="nan", starts={"fault": 7, "at": 0.1})
    build(tmp_path, "spy", needs="libabsent.so.7")
    code, rows, summary = table(capsys, str(tmp_path))
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "clock": "differs",
        "crash": "fails in both",
        "nan": "fails",
        "spy": "fails in both",
    }
    assert code == 1
    assert 0.0 < rows["clock"]["relative"] < 1e-6
    assert (rows["crash"]["drawbar"], rows["crash"]["fmpy"]) == ("ended by SIGSEGV",) * 2
    assert "fmu.y is nan" in rows["nan"]["drawbar"]
    assert "libabsent.so.7" in rows["spy"]["drawbar"]
    assert summary["largest_absolute"] == rows["clock"]["absolute"]


def test_an_fmu_of_another_version_is_counted_by_its_reason(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "three.fmu", "w") as archive:
        archive.writestr(
            "modelDescription.xml",
            '<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="x">'
            "<ModelVariables/><ModelStructure/></fmiModelDescription>",
        )
    code, rows, summary = table(capsys, str(tmp_path / "three.fmu"))
    assert (code, summary["not_stepped"]) == (0, {"FMI 3.0": 1})
    assert "FMI 3.0; Drawbar takes FMI 2.0" in rows["three"]["drawbar"]


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ([1.0, 2.0], [1.0, 2.0], (0.0, 0.0, [])),
        ([1.0, -4.0], [1.0, -4.5], (0.5, 0.125, [])),
        ([1.0, np.nan], [1.0, np.nan], (0.0, 0.0, [])),
        ([1.0, np.nan], [1.0, 2.0], (0.0, 0.0, ["y"])),
        ([1.0, 2.0, 3.0], [1.0, 2.0], (0.0, 0.0, [])),
    ],
)
def test_differences_of_a_real(a: list[float], b: list[float], found: Any) -> None:
    row = SCRIPT["differences"]({"y": "Real"}, {"y": np.array(a)}, {"y": np.array(b)})
    assert (row["absolute"], row["relative"], row["unequal"]) == found
    assert row["rows"] == 2
    assert row["unequal_rows"] == (len(a) != len(b))


def test_missing_rows_and_outputs_are_a_difference_unless_a_tool_has_failed() -> None:
    row = {"relative": 0.0, "unequal": [], "fmpy": "", "drawbar": "", "rows": 200, "unequal_rows": False}
    row |= {"outputs": 2, "compared": 2}
    verdict = SCRIPT["verdict"]
    assert verdict(row, {}, {}, 0.0) == "equal"
    assert verdict(row | {"rows": 1, "unequal_rows": True}, {}, {}, 0.0) == "differs"
    assert verdict(row | {"compared": 1}, {}, {}, 0.0) == verdict(row | {"compared": 0}, {}, {}, 0.0) == "differs"
    assert verdict(row | {"outputs": 0, "compared": 0}, {}, {}, 0.0) == "nothing to compare"
    assert verdict(row | {"unequal_rows": True, "fmpy": "no", "drawbar": "no"}, {}, {}, 0.0) == "fails in both"


def test_whole_numbers_are_equal_or_not() -> None:
    types, one, other = {"n": "Integer"}, {"n": np.array([1.0, 2.0])}, {"n": np.array([1.0, 3.0])}
    assert SCRIPT["differences"](types, one, other)["unequal"] == ["n"]
    assert SCRIPT["differences"](types, one, {"m": one["n"]})["unequal"] == ["n"], "an output that is not there"


def test_a_folder_without_fmus_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        SCRIPT["main"]([str(tmp_path)])
    assert caught.value.code == 2
