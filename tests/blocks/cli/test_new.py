"""The verb ``drawbar new``: its arguments, and the commands that it suggests."""

import importlib.util
import json
from pathlib import Path

import pytest

from drawbar.blocks.cli.verbs import new
from drawbar.orchestrator.cli.commands import main


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


@pytest.mark.parametrize("words", [["new"], ["new", "diagram", "X"], ["new", "block", "X", "--kind", "magic"]])
def test_wrong_words_are_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "--help shows the options)" in capsys.readouterr().err


def test_its_example_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = new.example.split()
    assert words[0] == "drawbar"
    assert main(words[1:]) == 0
    assert {p.name for p in (tmp_path / "brakes").iterdir()} == {"brake_valve.py", "test_brake_valve.py"}
