"""``drawbar new vehicle``: from a vehicle file to a body in a diagram, without a line of code by hand."""

import json
import math
import shutil
from pathlib import Path

import pytest

from drawbar.blocks.vehicle.bodies import vehicle_file
from drawbar.diagrams.parameters.parameter_set import read_set
from drawbar.orchestrator.cli.commands import main
from drawbar.orchestrator.runs.run import Run

VEHICLES = Path(str(vehicle_file.__file__)).parents[2] / "data" / "vehicles"


def test_a_new_vehicle_drives_in_the_place_of_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, run = tmp_path / "mine", tmp_path / "run"
    assert main(["new", "vehicle", "Humvee", "--folder", str(folder)]) == 0
    said = capsys.readouterr().out
    assert {p.name for p in folder.iterdir()} == {"humvee.json", "humvee.py", "humvee.ssv", "humvee_surface.ssv"}
    assert f"drawbar run double_lane_change_modular --use body=humvee:Humvee --params {folder / 'humvee.ssv'}" in said
    data = json.loads((folder / "humvee.json").read_text())
    data["chassis"]["sprung_mass_kg"] = 2500.0
    data["axles"][0]["tire"]["radius_m"] = 0.48
    (folder / "humvee.json").write_text(json.dumps(data))
    words = ["run", "double_lane_change_modular", "--use", "body=humvee:Humvee", "--params", str(folder / "humvee.ssv")]
    words += ["--set", "wheel_fl.radius=0.48", "--set", "wheel_fr.radius=0.48", "--stop", "0.1", "--no-page"]
    assert main([*words, "--workspace", str(folder), "--out", str(run), "--json"]) == 0
    capsys.readouterr()
    done = Run(run)
    loads = sum(done[f"wheel_{w}.load"][0] for w in ("fl", "fr", "rl", "rr"))
    assert loads == pytest.approx((2500.0 + 4 * 105.4) * 9.80665, rel=1e-3)


def test_all_numbers_of_its_tires_reach_surface_tires(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads((VEHICLES / "hmmwv_simple.json").read_text(encoding="utf-8"))
    data["axles"][1]["tire"] |= {"width_m": 0.35, "high_slip_crossover_angle_deg": 6.0}
    (tmp_path / "mine.json").write_text(json.dumps(data))
    file = str(tmp_path / "mine.json")
    assert main(["new", "vehicle", "Broad", "--folder", str(tmp_path / "new"), "--file", file]) == 0
    words = ["run", "double_lane_change_modular", "--stop", "0.01", "--no-page", "--out", str(tmp_path / "run")]
    words += ["--backend", "interpreted", "--use", "body=broad:Broad", "--workspace", str(tmp_path / "new")]
    wheels = [f"wheel_{w}" for w in ("fl", "fr", "rl", "rr")]
    words += [word for wheel in wheels for word in ("--use", f"{wheel}=SurfaceTire")]
    assert main([*words, "--params", str(tmp_path / "new" / "broad_surface.ssv")]) == 0, capsys.readouterr().err
    found = read_set(tmp_path / "new" / "broad_surface.ssv").parameters
    assert found["wheel_rl.width"].value == 0.35
    assert found["wheel_rl.crolla_angle"].value == pytest.approx(math.radians(6.0))


def test_three_axles_have_six_hubs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads((VEHICLES / "mavs_forester.json").read_text(encoding="utf-8"))
    front, rear = data["axles"]
    data["axles"] = [front, rear, rear | {"longitudinal_offset_m": -2.2, "powered": False}]
    (tmp_path / "truck.json").write_text(json.dumps(data))
    words = ["--folder", str(tmp_path), "--file", str(tmp_path / "truck.json")]
    assert main(["new", "vehicle", "SixWheels", *words]) == 0
    said = capsys.readouterr().out
    assert "note: the tires of axle 3 damp 62.45 kg by 169344 N.s/m, which needs steps below 0.37 ms" in said
    text = (tmp_path / "six_wheels.ssv").read_text()
    assert 'name="wheel_3r.radius"' in text and "damping" not in text
    assert main(["info", "six_wheels:SixWheels", "--workspace", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "drive[1..6]" in shown and "hub_3r.force[1..3]" in shown and "hub_fl" not in shown


def test_what_cannot_be_is_refused_and_nothing_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mine"
    words = ["new", "vehicle", "--folder", str(folder)]
    assert main([*words, "humvee"]) == 2
    assert "vehicle 'humvee': the name of a block is" in capsys.readouterr().err
    assert main([*words, "Mine", "--file", str(tmp_path / "no.json")]) == 2
    assert "vehicle 'Mine': no.json: No such file" in capsys.readouterr().err
    (tmp_path / "bad.json").write_text('{"name": "a"}')
    assert main([*words, "Mine", "--file", str(tmp_path / "bad.json")]) == 2
    assert "bad.json: it has the entries 'name', and neither 'chassis' nor 'axles'" in capsys.readouterr().err
    odd = tmp_path / 'a"b'
    odd.mkdir()
    shutil.copy(VEHICLES / "mavs_forester.json", odd / "v.json")
    assert main([*words, "Mine", "--file", str(odd / "v.json")]) == 2
    assert "must not contain quotes" in capsys.readouterr().err
    assert main(["new", "block", "Valve", "--folder", str(folder), "--file", "v.json"]) == 2
    assert "--file is for vehicles" in capsys.readouterr().err
    assert not folder.exists()
