"""What `--use`, `--params` and `--set` change in a diagram."""

import hashlib
import shutil
from pathlib import Path

import pytest

from drawbar.blocks.autonomy.circle import Circle
from drawbar.diagrams.library import find
from drawbar.fmus.export import package
from drawbar.orchestrator.cli.commands import main
from drawbar.orchestrator.cli.diagram_options import DiagramOptions
from drawbar.orchestrator.runs.run import Run


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--stop", "1e400"], "too many steps"),
        (["--set", "speed.gain=" + "9" * 400], "too large"),
        (["--set", "speed.gain=" + "9" * 5000], "speed.gain"),
        (["--set", "vehicle.u=[" * 3000], "--set"),
        (["--set", "vehicle.u=7 kg"], "vehicle.u is given in [kg], but the variable is in [m/s]"),
        (["--set", "vehicle.u=7 knots"], "unit 'knots': 'knots' is unknown"),
        (
            ["--set", "vehicle.method=rosenbrock"],
            "derive one, class Mine(SingleTrack, method='rosenbrock'),",
        ),
        (
            ["--set", "speed.gain=3", "--set", "speed.gain=4"],
            "--set speed.gain=3 and --set speed.gain=4 set speed.gain to 3.0 and to 4.0; leave one out",
        ),
        (
            ["--use", "course=Circle", "--use", "course=DoubleLaneChange"],
            "--use course=Circle and --use course=DoubleLaneChange give one part two blocks; leave one out",
        ),
        (
            ["--set", "vehicle.step=0"],
            "derive one, class Mine(SingleTrack, step=1e-3), and use it with --use vehicle=Mine",
        ),
    ],
)
def test_numbers_beyond_all_bounds(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "double_lane_change_planar", "--out", str(tmp_path / "r"), *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "fault in Drawbar" not in error


def test_a_value_may_be_given_twice_and_a_case_wins_over_it() -> None:
    options = DiagramOptions(find("double_lane_change_planar"), settings=["speed.gain=3", "speed.gain=3.0"])
    assert options.read().parts["speed"].overrides["gain"] == 3.0
    case = options.with_case({"name": "stiff", "set": {"speed.gain": 4.0}})
    assert case.read().parts["speed"].overrides["gain"] == 4.0
    assert case.describe()["settings"] == {"speed.gain": "4.0"}


def test_a_value_may_be_in_another_unit(tmp_path: Path) -> None:
    words = ["run", "double_lane_change_planar", "--out", str(tmp_path / "r"), "--stop", "0.1", "--no-page"]
    assert main([*words, "--backend", "interpreted", "--engine", "python", "--set", "vehicle.u=36km/h"]) == 0
    assert Run(tmp_path / "r")["vehicle.u"][0] == 10.0


def test_use_puts_another_block_in_the_place_of_a_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A path that is a circle instead of the lane change, which the driver follows all the same."""
    words = ["run", "double_lane_change_planar", "--stop", "0.1", "--no-page", "--json", "--out", str(tmp_path / "run")]
    assert main([*words, "--use", "torque=WheelTorque"]) == 2
    assert "there is no part 'torque'" in capsys.readouterr().err
    assert main([*words, "--use", "speed"]) == 2
    assert "write it as part=Block, for instance wheel_fl=FialaTire" in capsys.readouterr().err
    assert main([*words, "--use", "speed=SpedControl"]) == 2
    assert "did you mean 'SpeedControl'" in capsys.readouterr().err
    assert main([*words, "--use", "vehicle=FialaTire"]) == 2
    assert "FialaTire does not fit 10 of the 10 connections of part 'vehicle': it has no " in capsys.readouterr().err
    assert main([*words, "--use", " course = Circle"]) == 0
    run = Run(tmp_path / "run")
    assert run.info["replaced_blocks"] == {"course": "Circle"}
    assert "part 'course' is now Circle, in place of DoubleLaneChange" in run.info["notes"]


@pytest.mark.compiler
def test_a_run_names_an_fmu_by_its_content_and_not_by_where_it_lies(tmp_path: Path) -> None:
    fmu = shutil.copy(package.build(Circle), tmp_path / "mine.fmu")
    words = ["run", "double_lane_change_planar", "--stop", "0.01", "--no-page", "--out", str(tmp_path / "run")]
    assert main([*words, "--use", f" course = {fmu}"]) == 0
    told = Run(tmp_path / "run").info
    assert told["replaced_blocks"] == {
        "course": {"file": "mine.fmu", "sha256": hashlib.sha256(fmu.read_bytes()).hexdigest()}
    }


def test_one_block_under_two_names_is_one_block() -> None:
    name = "drawbar.blocks.autonomy.circle:Circle"
    path = find("double_lane_change_planar")
    diagram = DiagramOptions(path, uses=["course=Circle", f"course={name}", "course= Circle"]).read()
    assert diagram.parts["course"].kind == "Circle"
