"""What ``drawbar new`` writes passes at once, and what it cannot write it refuses in one sentence."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from drawbar.blocks.authoring.registry import snake_case
from drawbar.blocks.cli.block_templates import BLOCKS, FILES
from drawbar.blocks.cli.verbs import new
from drawbar.orchestrator.cli.commands import main


def pytest_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


# what is written runs without a compiler too, but for a kernel
KINDS = [pytest.param(kind, marks=[pytest.mark.compiler] if kind == "kernel" else []) for kind in BLOCKS]


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_block_passes_its_test_and_shows_its_ports(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, name = tmp_path / "mine", f"Fresh{kind.capitalize()}"
    assert main(["new", "block", name, "--kind", kind, "--folder", str(folder)]) == 0
    said = capsys.readouterr().out
    module = f"fresh_{kind}"
    endings = [".py", *FILES.get(kind, {})]
    assert {p.name for p in folder.iterdir()} == {f"test_{module}.py", *(module + end for end in endings)}
    assert f"drawbar info {module}:{name} --workspace {folder}" in said
    for place, words in [(folder, []), (tmp_path, ["mine"]), (tmp_path, ["mine", "--import-mode=importlib"])]:
        done = pytest_in(place, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "2 passed" in done.stdout
    assert not (folder / "runs").exists(), "the test leaves no run behind"
    assert main(["info", f"{module}:{name}", "--workspace", str(folder)]) == 0
    assert "signal to" in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_the_written_test_fails_where_the_law_is_another(kind: str, tmp_path: Path) -> None:
    assert main(["new", "block", "Changed", "--kind", kind, "--folder", str(tmp_path)]) == 0
    path = tmp_path / ("changed.c" if kind == "kernel" else "changed.py")
    path.write_text(re.sub(r"self\.u - ", "2.0 * self.u - ", path.read_text()).replace(" > p->level", " < p->level"))
    assert "1 failed, 1 passed" in pytest_in(tmp_path).stdout


@pytest.mark.parametrize("kind", BLOCKS)
def test_what_is_written_keeps_to_the_style(kind: str, tmp_path: Path) -> None:
    """The longest name that fits, so that no line grows too long."""
    name = "Abcdefghijklmnopqrstuvwxyz"
    assert main(["new", "block", name, "--kind", kind, "--folder", str(tmp_path)]) == 0
    for path in tmp_path.iterdir():
        text = path.read_text()
        assert text.endswith("\n") and not text.endswith("\n\n")
        assert max(map(len, text.splitlines())) <= 120
        assert not re.search(r"\{\w", text), "a place that was not filled"


def test_json_names_the_files_and_the_next_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "with space"
    assert main(["new", "block", "Valve", "--folder", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["block"] == "valve:Valve"
    assert [Path(p).name for p in told["files"]] == ["valve.py", "test_valve.py"]
    assert told["next"][1] == f"drawbar info valve:Valve --workspace '{folder}'"


def test_where_pytest_is_missing_it_is_asked_for_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["new", "block", "Valve", "--json", "--folder"]
    find = importlib.util.find_spec
    assert main([*words, str(tmp_path / "a")]) == 0
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pytest" else find(name))
    assert main([*words, str(tmp_path / "b")]) == 0
    with_it, without = (json.loads(line)["next"] for line in capsys.readouterr().out.splitlines())
    assert without[0] == "python -m pip install pytest"
    assert len(without) == len(with_it) + 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("brake_valve", "first a capital one, as in RateLimiter; did you mean 'BrakeValve'?"),
        ("brakeValve", "did you mean 'BrakeValve'?"),
        ("Brake-Valve", "did you mean 'BrakeValve'?"),
        ("../Valve", "did you mean 'Valve'?"),
        ("2Stroke", "a block is named in letters and digits, first a capital one, as in RateLimiter"),
        ("", "a block is named in letters and digits"),
        ("Ventilé", "a block is named in letters and digits"),
        ("None", "'None' is a keyword of Python"),
        ("Class", "'class' is a keyword of Python"),
        ("State", "this is a word of drawbar.blocks; choose another name, such as MyState"),
        ("TestRig", "pytest takes what begins with Test for a test"),
        (
            "RateLimiter",
            "drawbar.blocks.signals.rate_limiter has a block of this name; choose another name, such as MyRat",
        ),
        ("Random", "random.py would be hidden by the installed module 'random'; choose another name"),
    ],
)
def test_a_bad_name_is_refused(name: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "block", name, "--folder", str(tmp_path / "mine")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"drawbar: error: block '{name}': ")
    assert message in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == [], "nothing was written"


@pytest.mark.parametrize("there", ["pump.py", "test_pump.py"])
def test_an_existing_file_is_kept(there: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / there).write_text("mine")
    assert main(["new", "block", "Pump", "--folder", str(tmp_path)]) == 2
    assert f"{tmp_path / there} exists already; nothing was written" in capsys.readouterr().err
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [(there, "mine")]


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("")
    assert main(["new", "block", "Pump", "--folder", str(tmp_path / "mine")]) == 1
    assert "cannot be written: " in capsys.readouterr().err


@pytest.mark.parametrize("words", [["new"], ["new", "diagram", "X"], ["new", "block", "X", "--kind", "magic"]])
def test_wrong_words_are_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "usage:" in capsys.readouterr().err


def test_its_example_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = new.example.split()
    assert words[0] == "drawbar"
    assert main(words[1:]) == 0
    assert {p.name for p in (tmp_path / "brakes").iterdir()} == {"brake_valve.py", "test_brake_valve.py"}


@pytest.mark.parametrize(
    ("name", "module"),
    [("RateLimiter", "rate_limiter"), ("PID", "pid"), ("PIDControl", "pid_control"), ("Tire2D", "tire2_d"), ("X", "x")],
)
def test_a_module_is_named_like_its_class(name: str, module: str) -> None:
    assert snake_case(name) == module
