"""``drawbar export``: file names, what it prints, and mistakes."""

import argparse
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.orchestrator.cli.export_command import call, configure
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    recorder = Recorder(tmp_path / "runs" / "a-001", {}, [Rate(Fraction(1), (Column("car.u", "m/s"),))])
    recorder.write(0, np.array([[0.0, 1.0], [1.0, 2.0]]))
    return recorder.folder


def export(*words: str) -> int:
    parser = argparse.ArgumentParser()
    configure(parser)
    parser.add_argument("--json", action="store_true")
    return call(parser.parse_args(words))


def test_the_file_has_the_name_of_the_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(str(folder), "--csv") == 0
    assert Path("a-001.csv").read_text("utf-8").replace('"', "").splitlines() == ["time,car.u", "0,1", "1,2"]
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "a-001.csv"
    assert out[1] == "the run was not finished: its 1 signals go up to its last complete file"
    assert export(str(folder), "--mat", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"files": ["a-001.mat"], "complete": False}
    assert export(str(folder), "--mcap", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"files": ["a-001.mcap"], "complete": False}
    assert Path("a-001.mcap").stat().st_size > 0


def test_mistakes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match=r"--out x\.txt: name the file \*\.csv"):
        export(str(folder), "--csv", "--out", "x.txt")
    with pytest.raises(UsageError, match="no run at gone"):
        export("gone", "--mat")
    for words in ((), ("--csv", "--mat")):
        with pytest.raises(SystemExit):
            export(str(folder), *words)
    assert "--csv" in capsys.readouterr().err
