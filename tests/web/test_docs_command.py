"""The verb ``drawbar docs``: the page of all blocks, the same as data, and what it never overwrites."""

import json
from pathlib import Path

import pytest

from drawbar.orchestrator.cli.commands import main

OWN = """from drawbar.blocks import Continuous, Input, Output


class Doubler(Continuous):
    \"\"\"Twice its input.\"\"\"

    u = Input("m", "a length")
    y = Output("m", "twice that length")

    def outputs(self):
        return {"y": 2.0 * self.u}
"""


def test_all_blocks_those_of_the_user_too_as_data_and_as_one_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "doubler.py").write_text(OWN)
    arguments = ["docs", "--workspace", str(tmp_path)]
    assert main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["broken"] == {}
    found = {entry["block"]: entry for entry in result["blocks"]}
    assert "drawbar.blocks.signals.ramp:Ramp" in found
    assert found["doubler:Doubler"]["kind"] == "continuous"
    assert main([*arguments, "--out", str(tmp_path / "reference")]) == 0
    page = (tmp_path / "reference" / "blocks.html").read_text()
    assert "Doubler" in page and "Twice its input." in page and "Saturation" in page
    assert main([*arguments, "--out", str(tmp_path / "reference")]) == 0, "a page of ours is written anew"


def test_what_is_no_page_of_ours_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "blocks.html").write_text("mine")
    assert main(["docs", "--out", str(tmp_path)]) == 2
    assert "was not written by drawbar" in capsys.readouterr().err
    assert (tmp_path / "blocks.html").read_text() == "mine"
    assert main(["docs", "--out", str(tmp_path / "blocks.html")]) == 2
    assert "name a folder" in capsys.readouterr().err


def test_a_module_that_does_not_import_is_named_and_the_rest_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken_block.py").write_text(OWN.replace("Doubler", "BrokenBlock") + "\n1 / 0\n")
    assert main(["docs", "--workspace", str(tmp_path), "--json"]) == 1
    captured = capsys.readouterr()
    assert "broken_block" in json.loads(captured.out)["broken"]
    assert "broken_block is left out: division by zero" in captured.err
