"""`drawbar compare`."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from drawbar.orchestrator.cli.commands import main


def test_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str], record: Any) -> None:
    record(tmp_path / "a", {"p.y": [1.0, 2.0]})
    record(tmp_path / "b", {"p.y": [1.0, 2.5]})
    words = ["compare", str(tmp_path / "a"), str(tmp_path / "b")]
    assert main([*words, "--abs", "0.6"]) == 0
    assert "1 signals compared, 0 out of tolerance" in capsys.readouterr().out
    assert main([*words, "--rel", "0.1"]) == 1
    assert "p.y  2 against 2.5 m at t = 0.01 s: differs by 0.5, tolerance 0.2" in capsys.readouterr().out
    assert main([*words, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["worst"]["signal"] == "p.y"
    assert main([*words, "--abs", "-1"]) == 2
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "none")]) == 2
    assert "no run at" in capsys.readouterr().err


def test_json_has_no_numbers_that_json_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str], record: Any) -> None:
    record(tmp_path / "a", {"p.y": [1.0]})
    record(tmp_path / "b", {"p.y": [math.nan]})
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--json"]) == 1
    found = json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(word))
    assert found["worst"]["difference"] == "inf"
