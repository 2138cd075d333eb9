"""``drawbar run double_lane_change``: the contract of its JSON, its page, and equal bytes."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from drawbar.orchestrator.cli.commands import main


def drive(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    assert main(["run", "double_lane_change", "--json", "--out", str(folder), *more]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1, "one JSON object and nothing else"
    found: dict[str, Any] = json.loads(out)
    return found


def digests(folder: Path) -> dict[str, str]:
    files = sorted((folder / "signals").rglob("*.parquet"))
    assert files
    return {str(f.relative_to(folder)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def test_json_contract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = drive(tmp_path / "run", capsys)
    assert found["outcome"] == "ok"
    assert found["simulated_s"] == 12.0
    assert found["real_time_factor"] == pytest.approx(found["simulated_s"] / found["wall_s"])
    assert found["run"] == str(tmp_path / "run")
    responses = found["responses"]
    loads = {f"wheel_load_{w}" for w in ("fl", "fr", "rl", "rr")}
    assert set(responses) == loads | {"lateral_acceleration", "roll", "roll_rate", "roll_gradient"}
    for response in responses.values():
        assert set(response) == {"max", "min", "unit", "published"}
        assert set(response["published"]) == {"adams", "roams"}
    assert responses["lateral_acceleration"]["max"] == pytest.approx(0.50, abs=0.005)
    assert responses["lateral_acceleration"]["published"] == {"adams": [0.5, -0.5], "roams": [0.6, -0.6]}
    assert responses["roll"]["published"] == {"adams": [4.1, -3.7], "roams": [4.8, -4.8]}
    gradient = responses["roll"]["max"] / responses["lateral_acceleration"]["max"]
    assert responses["roll_gradient"]["max"] == pytest.approx(gradient)
    assert responses["roll_gradient"]["published"] == {"adams": [8.2, 7.4], "roams": [8.0, 8.0]}
    assert responses["roll_rate"]["published"] == {"adams": [16.0, -17.8], "roams": [13.2, -14.4]}
    for wheel, published in (("fl", 1.0), ("fr", 1.0), ("rl", 1.5), ("rr", 1.5)):
        load = responses[f"wheel_load_{wheel}"]
        assert load["max"] - load["min"] == pytest.approx(published, rel=0.20), "ADAMS, 2015 paper, figure 10"
    case, old = found["cases"]
    assert case["name"] == "0.56 g"
    assert case["responses"]["lateral_acceleration"]["min"] == pytest.approx(-0.56, abs=0.01)
    assert old["name"] == "hmmwv_chrono"
    assert old["responses"]["roll"]["max"] < 0.6 * responses["roll"]["max"]
    page = Path(found["pages"][0]).read_text("utf-8")
    assert "cones" in page
    assert "wheel load, front left" in page


def test_text_report_shows_speed_peak_and_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "double_lane_change", "--out", str(tmp_path / "run"), "--no-page"]) == 0
    shown = capsys.readouterr().out
    for text in (
        "double_lane_change: ok",
        "preview_time = 0.55",
        "ADAMS",
        "ROAMS",
        "0.56 g",
        "hmmwv_chrono",
        "times real",
    ):
        assert text in shown
    assert not (tmp_path / "run" / "plot.html").exists()


def test_the_planar_vehicle_drives_the_same_course(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "double_lane_change_planar", "--json", "--out", str(tmp_path / "run"), "--no-page"]) == 0
    responses = json.loads(capsys.readouterr().out)["responses"]
    assert responses["lateral_acceleration"]["max"] == pytest.approx(0.50, abs=0.005)
    for wheel, published in (("fl", 1.0), ("fr", 1.0), ("rl", 1.5), ("rr", 1.5)):
        load = responses[f"wheel_load_{wheel}"]
        assert load["max"] - load["min"] == pytest.approx(published, rel=0.20), "ADAMS, 2015 paper, figure 10"


@pytest.mark.compiler
def test_signals_are_equal_byte_for_byte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs in C, and one by the Python oracle."""
    for name, engine in (("a", "c"), ("b", "c"), ("oracle", "python")):
        drive(tmp_path / name, capsys, "--engine", engine, "--no-page")
    assert digests(tmp_path / "a") == digests(tmp_path / "b") == digests(tmp_path / "oracle")
    same = [(tmp_path / name / "run.json").read_bytes() for name in ("a", "b")]
    assert same[0] == same[1]


@pytest.mark.compiler
def test_another_last_bit_of_speed_is_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Negative control."""
    drive(tmp_path / "a", capsys, "--no-page", "--stop", "1")
    drive(tmp_path / "b", capsys, "--no-page", "--stop", "1", "--set", "vehicle.speed=15.020000000000003")
    assert digests(tmp_path / "a") != digests(tmp_path / "b")
