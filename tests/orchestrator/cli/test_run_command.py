"""`drawbar run`: warnings before the run, and the check at half the step."""

import json
from pathlib import Path

import pytest

from drawbar.blocks.authoring.registry import reference_of
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.blocks.signals.sample_and_hold import SampleAndHold
from drawbar.diagrams import Diagram, write
from drawbar.orchestrator.cli import commands
from drawbar.orchestrator.cli.commands import main
from drawbar.orchestrator.runs.run import Run


def test_the_example_of_run_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = commands.run.example.split()
    assert words[:2] == ["drawbar", "run"]
    assert main([*words[1:], "--stop", "1", "--no-page"]) == 0


def test_a_runs_folder_that_cannot_be_made_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").write_text("a file")
    assert main(["run", "double_lane_change_planar"]) == 2
    said = "drawbar: error: output folder runs cannot be made: File exists; name one that you may write to (--out)"
    assert capsys.readouterr().err.strip() == said


def long_steps(folder: Path) -> list[str]:
    """The words that run a diagram whose macro step is far too long."""
    d = Diagram("d", step=0.2, stop=2.0)
    d.connect(d.add("lag", FirstOrderLag).y, d.add("hold", SampleAndHold).u)
    write(d, folder / "d.ssd")
    return ["run", str(folder / "d.ssd"), "--backend", "interpreted", "--no-page", "--out", str(folder / "r")]


def test_a_macro_step_far_too_long_is_a_warning_and_a_note_of_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*long_steps(tmp_path), "--json", "--check"]) == 0
    told = capsys.readouterr()
    (note,) = [note for note in json.loads(told.out)["notes"] if "macro step" in note]
    assert told.err == f"drawbar: warning: {note}\n"
    assert "the macro step of 0.2 s is very long" in note
    assert "lag takes 200 micro-steps, hold takes 20 samples" in note
    assert note in Run(tmp_path / "r").info["notes"]


def test_a_warning_is_not_repeated_as_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(long_steps(tmp_path)) == 0
    told = capsys.readouterr()
    assert told.err.startswith("drawbar: warning: the macro step of 0.2 s is very long")
    assert "macro step" not in told.out
    assert "note: 2 inputs keep their start values, nothing drives them: lag.u, hold.hold" in told.out


def test_a_diagram_that_cannot_run_gets_its_faults_and_no_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = long_steps(tmp_path)
    assert main([*words, "--set", "lag.tau=1"]) == 2
    said = capsys.readouterr().err
    assert "tau" in said
    assert "macro step" not in said
    file = tmp_path / "d.ssd"
    file.write_text(file.read_text().replace(reference_of(SampleAndHold), "elsewhere:SampleAndHold"))
    assert main(words) == 1
    said = capsys.readouterr().err
    assert "part 'hold': block 'elsewhere" in said
    assert "macro step" not in said


def test_check_reports_errors_latencies_and_costs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "double_lane_change_planar", "--stop", "4", "--no-page", "--check"]
    assert main([*words, "--out", str(tmp_path / "text")]) == 0
    said = capsys.readouterr().out
    assert "error that the coupling adds, from a second run at half the macro step (order 2 in the step;" in said
    assert "course -> follower -> vehicle -> course\n      15 steps, 0.015 s" in said
    assert "cost of the parts, from one step in 256:" in said
    assert main([*words, "--out", str(tmp_path / "json"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    errors = {e["signal"]: e for e in told["check"]["errors"]}
    assert 0.0 < errors["vehicle.a_y"]["error"] < 1e-6
    assert [loop["steps"] for loop in told["check"]["loops"]] == [15.0, 15.0, 15.0]
    assert told["parts"]["vehicle"]["steps"] == 4000
    assert told["parts"]["vehicle"]["us_per_step"] > 0.0
    half = Run(tmp_path / "json" / "half_step")
    assert half.info["step"] == "1/2000"
