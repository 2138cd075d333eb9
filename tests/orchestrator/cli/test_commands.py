"""The command line as a whole: every verb has help with an example, and the verbs of this package and of FMUs work."""

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks.authoring.registry import reference_of
from drawbar.blocks.autonomy.circle import Circle
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.blocks.signals.gain import Gain
from drawbar.blocks.signals.sample_and_hold import SampleAndHold
from drawbar.blocks.signals.second_order_lag import SecondOrderLag
from drawbar.blocks.signals.transport_delay import TransportDelay
from drawbar.diagrams import Diagram, write
from drawbar.fmus import commands as build_command
from drawbar.fmus.export import package
from drawbar.orchestrator.cli import commands, diagram_options
from drawbar.orchestrator.cli.commands import main
from drawbar.orchestrator.runs.run import Run

VERBS = sorted(entry.name for entry in entry_points(group="drawbar.commands"))
DRAWBAR = str(Path(sys.executable).with_name("drawbar"))


def test_the_verbs_are_there() -> None:
    assert VERBS == [
        "build",
        "check",
        "compare",
        "diff",
        "docs",
        "doctor",
        "info",
        "list",
        "new",
        "pack",
        "plot",
        "run",
        "terrain",
        "view",
    ]


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"example: drawbar {verb}" in shown
    assert "--json" in shown


def test_overview_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {verb} " in shown for verb in VERBS)
    assert main([]) == 2
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("drawbar ")


@pytest.mark.parametrize(
    "words", [["run"], ["run", "double_lane_change_planar", "--bogus"], ["info"], ["run", "x", "--engine", "d"]]
)
def test_wrong_words_exit_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "usage:" in capsys.readouterr().err


def test_a_fault_of_drawbar_itself_is_one_line_and_debug_shows_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(path: Any) -> Any:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(diagram_options, "read", broken)
    assert main(["run", "double_lane_change_planar"]) == 1
    assert capsys.readouterr().err.startswith("drawbar: error: ZeroDivisionError: inside (a fault in Drawbar itself")
    with pytest.raises(ZeroDivisionError):
        main(["run", "double_lane_change_planar", "--debug"])


def test_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    assert "C compiler" in capsys.readouterr().out
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"drawbar", "python", "platform", "compiler", "backend", "cache", "libraries"} <= set(found)


def test_info_of_a_block(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "SingleTrack"]) == 0
    shown = capsys.readouterr().out
    for text in ("steer [rad]", "wheel_load[1..4] [N]", "rk4", "direct feedthrough"):
        assert text in shown
    assert main(["info", "SingleTrack", "--json"]) == 0
    ports = {p["name"]: p for p in json.loads(capsys.readouterr().out)["ports"]}
    assert ports["wheel_load"]["shape"] == [4]
    assert main(["info", "SingelTrack"]) == 2
    assert "did you mean 'SingleTrack'" in capsys.readouterr().err


@pytest.mark.compiler
def test_build_then_info_then_run_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "FirstOrderLag", "--out", str(tmp_path / "out"), "--json"]) == 0
    built = json.loads(capsys.readouterr().out)["built"]
    assert built[0]["fmu"] == str(tmp_path / "out" / "FirstOrderLag.fmu")
    assert main(["info", built[0]["fmu"]]) == 0
    assert "time_constant [s]" in capsys.readouterr().out


@pytest.mark.compiler
def test_build_without_names_builds_every_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that are installed, of which three stand here for all: each is built in tests/fmus/backends."""
    assert {"SingleTrack", "Gain", "FirstOrderLag"} < set(build_command.block_classes())
    few = {block.__name__: block for block in (Gain, FirstOrderLag, SampleAndHold)}
    monkeypatch.setattr(build_command, "block_classes", lambda: few)
    assert main(["build", "--out", str(tmp_path)]) == 0
    assert {p.name for p in tmp_path.iterdir()} == {"Gain.fmu", "FirstOrderLag.fmu", "SampleAndHold.fmu"}


def test_build_without_compiler_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("drawbar.fmus.toolchain.compilers.find_compiler", lambda: None)
    assert main(["build", "FirstOrderLag", "--out", str(tmp_path / "out")]) == 1
    assert "no C compiler found; install gcc or clang" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_installed_command_is_quiet_when_piped(tmp_path: Path) -> None:
    words = ["run", "double_lane_change_planar", "--stop", "1", "--out", str(tmp_path / "r"), "--no-page"]
    command = [DRAWBAR, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def on_a_terminal(*words: str) -> str:
    """What a verb says to a pseudo-terminal that is its stderr."""
    import pty

    ours, theirs = pty.openpty()
    command = [DRAWBAR, *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "COLUMNS": "90"}):
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # Linux ends a terminal by an error
            while piece := os.read(ours, 4096):
                said += piece
    os.close(ours)
    return said.decode()


def test_a_terminal_sees_how_far_a_run_is(tmp_path: Path) -> None:
    """Through the child process that steps."""
    out = str(tmp_path / "r")
    said = on_a_terminal("run", "double_lane_change_planar", "--stop", "300", "--out", out, "--no-page")
    shown = [int(n) for n in re.findall(r"double_lane_change_planar +(\d+) %", said)]
    assert len(set(shown)) > 2, said[:500]
    assert "of 300 s" in said


class Terminal(io.StringIO):
    """A stderr that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.compiler
def test_a_terminal_sees_which_unit_is_compiled_and_nothing_of_what_the_cache_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    lags = Diagram("lags", step=0.01)
    for name in ("a", "b"):
        lags.add(name, FirstOrderLag)
    lags.add("c", Gain)
    write(lags, tmp_path / "lags.ssd")

    def compiled(words: str) -> list[str]:
        monkeypatch.setattr(sys, "stderr", Terminal())
        assert main(words.split()) == 0
        return list(dict.fromkeys(re.findall(r"compiling \w+, \d of \d", sys.stderr.getvalue())))

    assert compiled("build FirstOrderLag --json") == []  # though it is compiled
    assert compiled("build FirstOrderLag Gain") == ["compiling Gain, 2 of 2"]
    assert compiled("build FirstOrderLag Gain") == [] and sys.stderr.getvalue() == ""
    for verb, block in {"run": SecondOrderLag, "pack": TransportDelay}.items():
        lags.use("c", block)
        write(lags, tmp_path / "lags.ssd")
        words = f"{verb} lags.ssd" + (" --no-page --backend native --engine python" if verb == "run" else "")
        assert compiled(words) == [f"compiling {block.__name__}, 2 of 2"]
        assert compiled(words) == []


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{DRAWBAR}" info SingleTrack | head -1'], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert "SingleTrack" in done.stdout


# words, and whether Python writes at once or at the end of what fits its buffer
PRINTING = [
    ("list", ""),
    ("list --json", "1"),
    ("--help", ""),
    ("--help", "1"),
    ("--version", ""),
    ("info -h", "1"),
    ("run double_lane_change_planar --stop 1", ""),
    ("run double_lane_change_planar --stop 1", "1"),
    ("view nowhere --json", ""),
]


def printing(words: str, tmp_path: Path, end: str, unbuffered: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-c", f'"{DRAWBAR}" {words} {end}']
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)


@pytest.mark.parametrize(("words", "unbuffered"), PRINTING)
def test_a_reader_that_leaves_before_the_end_is_no_error(words: str, unbuffered: str, tmp_path: Path) -> None:
    done = printing(words, tmp_path, "| true; exit ${PIPESTATUS[0]}", unbuffered)
    fails = "nowhere" in words
    assert done.returncode in ((0, 2) if fails else (0,)), "that of the verb, if it came to its end"
    assert [line for line in done.stderr.splitlines() if "'nowhere'" not in line] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(("words", "unbuffered"), PRINTING[:-1])
def test_a_full_stdout_is_one_message(words: str, unbuffered: str, tmp_path: Path) -> None:
    done = printing(words, tmp_path, "> /dev/full", unbuffered)
    assert done.stderr == "drawbar: error: standard output: No space left on device\n"
    assert done.returncode == 1


def test_the_example_of_run_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = commands.run.example.split()
    assert words[:2] == ["drawbar", "run"]
    assert main([*words[1:], "--stop", "1", "--no-page"]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--stop", "1e400"], "too many steps"),
        (["--set", "speed.gain=" + "9" * 400], "too large"),
        (["--set", "speed.gain=" + "9" * 5000], "speed.gain"),
        (["--set", "vehicle.u=[" * 3000], "--set"),
        (["--set", "vehicle.u=7 kg"], "vehicle.u is given in [kg], but the variable is in [m/s]"),
        (["--set", "vehicle.u=7 mph"], "unit 'mph': 'mph' is unknown"),
        (
            ["--set", "vehicle.method=rosenbrock"],
            "derive one, class Mine(SingleTrack, method='rosenbrock'),",
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


def test_a_value_may_be_in_another_unit(tmp_path: Path) -> None:
    words = ["run", "double_lane_change_planar", "--out", str(tmp_path / "r"), "--stop", "0.1", "--no-page"]
    assert main([*words, "--backend", "interpreted", "--engine", "python", "--set", "vehicle.u=36km/h"]) == 0
    assert Run(tmp_path / "r")["vehicle.u"][0] == 10.0


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


def test_who_was_warned_is_not_told_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(long_steps(tmp_path)) == 0
    told = capsys.readouterr()
    assert told.err.startswith("drawbar: warning: the macro step of 0.2 s is very long")
    assert "macro step" not in told.out
    assert "note: 2 inputs keep their start values, nothing drives them: lag.u, hold.hold" in told.out


def test_a_diagram_that_cannot_run_is_told_its_faults_and_no_warning(
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


def test_check_tells_errors_lateness_and_costs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
