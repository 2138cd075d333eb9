"""The command line as a whole: every verb has help with an example, and the verbs of this package and of FMUs work."""

import io
import json
import re
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.blocks.signals.gain import Gain
from drawbar.blocks.signals.sample_and_hold import SampleAndHold
from drawbar.blocks.signals.second_order_lag import SecondOrderLag
from drawbar.blocks.signals.transport_delay import TransportDelay
from drawbar.diagrams import Diagram, write
from drawbar.fmus import commands as build_command
from drawbar.orchestrator.cli import diagram_options
from drawbar.orchestrator.cli.commands import main

VERBS = sorted(entry.name for entry in entry_points(group="drawbar.commands"))


def test_the_verbs_are_there() -> None:
    assert VERBS == [
        "build",
        "check",
        "compare",
        "diff",
        "docs",
        "doctor",
        "export",
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
    shown = capsys.readouterr().err
    assert shown.startswith("drawbar: error: ")
    assert shown.endswith(f"(drawbar {words[0]} --help shows the options)\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "d", "--timeout", "x"], "--timeout: 'x' is not a number"),
        (["run", "d", "--pace", "fast"], "--pace: 'fast' is not a number"),
        (["run", "d", "--decimation", "1.5"], "--decimation: '1.5' is not a whole number"),
        (["compare", "a", "b", "--rel", "x"], "--rel: x is not a tolerance; give zero or a positive number"),
    ],
)
def test_a_wrong_number_of_an_option_is_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--json"]) == 2
    shown = capsys.readouterr()
    whole = f"{message} (drawbar {words[0]} --help shows the options)"
    assert shown.err == f"drawbar: error: {whole}\n"
    assert json.loads(shown.out) == {"outcome": "error", "message": whole}


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


class Terminal(io.StringIO):
    """A stderr that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.compiler
def test_a_terminal_sees_which_fmu_is_compiled_and_nothing_of_what_the_cache_has(
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
