"""A case of a report that fails is told, and the other cases are run."""

import json
from pathlib import Path

import pytest

from drawbar.diagrams.library import find
from drawbar.orchestrator.cli.commands import main

PLANAR = find("double_lane_change_planar")


def test_a_case_that_fails_leaves_the_others_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The planar vehicle does not drive backwards."""
    (tmp_path / "d.ssd").write_text(PLANAR.read_text("utf-8"), "utf-8")
    cases = [{"name": name, "set": {"vehicle.u": u}} for name, u in (("back", -1.0), ("slow", 14.0))]
    report = {"responses": {"speed": {"signal": "vehicle.u"}}, "cases": cases}
    (tmp_path / "report.json").write_text(json.dumps(report))
    words = ["run", str(tmp_path / "d.ssd"), "--no-page", "--stop", "0.1", "--out", str(tmp_path / "run")]
    assert main([*words, "--backend", "interpreted", "--json"]) == 1
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert [case["name"] for case in found["cases"]] == ["slow"]
    assert found["cases"][0]["outcome"] == "ok"
    assert "case 'back': part 'vehicle'" in found["message"]
    assert "case 'back': part 'vehicle'" in printed.err
