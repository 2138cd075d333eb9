"""`drawbar doctor`."""

import json

import pytest

from drawbar.orchestrator.cli.commands import main


def test_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    assert "C compiler" in capsys.readouterr().out
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"drawbar", "python", "platform", "compiler", "backend", "cache", "libraries"} <= set(found)
