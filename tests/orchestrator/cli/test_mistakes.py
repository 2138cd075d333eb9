"""What a newcomer gets wrong, at the command line: one message on stderr, the right exit code, no traceback."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from drawbar.diagrams.library import find
from drawbar.orchestrator.cli.commands import main

SSD = """<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
 xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0" name="mine">
  <ssd:System name="mine">
    <ssd:Elements>
      <ssd:Component name="lag" source="resources/{fmu}" type="application/x-fmu-sharedlibrary">
        <ssd:Connectors>
          <ssd:Connector name="u" kind="input"><ssc:Real unit="1"/></ssd:Connector>
          <ssd:Connector name="y" kind="output"><ssc:Real unit="1"/></ssd:Connector>
        </ssd:Connectors>{annotation}
      </ssd:Component>
    </ssd:Elements>
    {connections}
  </ssd:System>
</ssd:SystemStructureDescription>
"""
BLOCK = """<ssd:Annotations><ssc:Annotation type="org.drawbar"><drawbar:Component xmlns:drawbar="urn:drawbar:diagram"
 block="{block}"/></ssc:Annotation></ssd:Annotations>"""
LAG = "drawbar.blocks.signals.first_order_lag:FirstOrderLag"


def ssd(folder: Path, block: str | None = LAG, connections: str = "", fmu: str = "Lag.fmu") -> str:
    annotation = BLOCK.format(block=block) if block else ""
    section = f"<ssd:Connections>{connections}</ssd:Connections>" if connections else ""
    file = folder / "SystemStructure.ssd"
    file.write_text(SSD.format(fmu=fmu, annotation=annotation, connections=section), encoding="utf-8")
    return str(file)


def connection(a: str, b: str) -> str:
    (pa, ca), (pb, cb) = a.split("."), b.split(".")
    return f'<ssd:Connection startElement="{pa}" startConnector="{ca}" endElement="{pb}" endConnector="{cb}"/>'


def edited(folder: Path, old: str, new: str) -> str:
    """The double lane change with one thing wrong."""
    text = find("double_lane_change_planar").read_text("utf-8")
    assert old in text
    file = folder / "SystemStructure.ssd"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return str(file)


def evil_fmu(folder: Path, entry: str | None) -> None:
    (folder / "resources").mkdir()
    path = folder / "resources" / "Lag.fmu"
    if entry is None:
        path.write_bytes(b"PK\x03\x04 half a download")
        return
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("modelDescription.xml", "<fmiModelDescription/>")
        z.writestr(entry, "evil")


def wrong_port(folder: Path) -> list[str]:
    return ["run", ssd(folder, connections=connection("lag.yy", "lag.u"))]


def wrong_unit(folder: Path) -> list[str]:
    return ["run", edited(folder, connection("vehicle.u", "speed.u"), connection("vehicle.yaw", "speed.u"))]


def wrong_size(folder: Path) -> list[str]:
    script = folder / "study.py"
    script.write_text(
        "from drawbar.diagrams.model.diagram import Diagram\n"
        "from drawbar.blocks.vehicle.bodies.single_track import SingleTrack\n"
        "from drawbar.blocks.signals.first_order_lag import FirstOrderLag\n"
        "from drawbar.blocks import DrawbarError\n"
        "import sys\n"
        "d = Diagram('study', step=1e-3, stop=1)\n"
        "v = d.add('vehicle', SingleTrack)\n"
        "l = d.add('lag', FirstOrderLag)\n"
        "try:\n    d.connect(v.wheel_load, l.u)\n"
        "except DrawbarError as error:\n    sys.exit(f'drawbar: error: {error}')\n"
    )
    return ["script", str(script)]


def second_driver(folder: Path) -> list[str]:
    # the path follower and the speed control both want to steer
    old = connection("follower.steer", "vehicle.steer")
    return ["run", edited(folder, old, old + connection("vehicle.yaw", "vehicle.steer"))]


def missing_fmu(folder: Path) -> list[str]:
    return ["run", ssd(folder, block=None, fmu="Wheel.fmu")]


def corrupt_fmu(folder: Path) -> list[str]:
    evil_fmu(folder, None)
    return ["run", ssd(folder, block=None)]


def zip_slip(folder: Path) -> list[str]:
    evil_fmu(folder, "../../.bashrc")
    return ["run", ssd(folder, block=None)]


def not_a_number(folder: Path) -> list[str]:
    return ["run", "double_lane_change_planar", "--set", "vehicle.u=NaN", "--out", str(folder / "run")]


def negative_step(folder: Path) -> list[str]:
    return ["run", edited(folder, 'step="0.001"', 'step="-0.001"')]


def unknown_block(folder: Path) -> list[str]:
    return ["run", edited(folder, "single_track:SingleTrack", "single_track:SingelTrack")]


def unknown_diagram(folder: Path) -> list[str]:
    return ["run", "double_lane_chnage"]


def unknown_parameter(folder: Path) -> list[str]:
    return ["run", "double_lane_change_planar", "--set", "vehicle.stear=0.1"]


def unknown_part(folder: Path) -> list[str]:
    return ["run", "double_lane_change_planar", "--set", "vehicel.u=10"]


def uneven_stop(folder: Path) -> list[str]:
    return ["run", "double_lane_change_planar", "--stop", "1.00005", "--out", str(folder / "run")]


def full_folder(folder: Path) -> list[str]:
    (folder / "thesis.txt").write_text("precious")
    return ["run", "double_lane_change_planar", "--out", str(folder)]


def unknown_verb(folder: Path) -> list[str]:
    return ["rnu", "double_lane_change_planar"]


# mistake, exit code, and what the message must contain
MISTAKES: list[tuple[Any, int, list[str]]] = [
    (wrong_port, 1, ["SystemStructure.ssd:", "lag", "'yy'", "'y'"]),
    (wrong_unit, 1, ["SystemStructure.ssd:", "vehicle.yaw [rad]", "speed.u [m/s]", "units differ"]),
    (wrong_size, 1, ["vehicle.wheel_load", "lag.u", "4 against scalar"]),
    (second_driver, 1, ["SystemStructure.ssd:", "vehicle.steer", "follower.steer"]),
    (missing_fmu, 1, ["SystemStructure.ssd:", "lag", "resources/Wheel.fmu"]),
    (corrupt_fmu, 1, ["Lag.fmu", "not a readable FMU"]),
    (zip_slip, 1, ["Lag.fmu", "'../../.bashrc'", "not to be trusted"]),
    (not_a_number, 2, ["vehicle.u", "nan", "finite"]),
    (negative_step, 1, ["step", "-0.001", "positive"]),
    (unknown_block, 1, ["SingelTrack", "did you mean", "SingleTrack"]),
    (unknown_diagram, 2, ["double_lane_chnage", "did you mean 'double_lane_change'"]),
    (unknown_parameter, 2, ["'stear'", "did you mean 'steer'"]),
    (unknown_part, 2, ["'vehicel'", "did you mean 'vehicle'"]),
    (uneven_stop, 2, ["1.00005 s", "no whole number of steps", "nearest"]),
    (full_folder, 2, ["not empty"]),
    (unknown_verb, 2, ["'rnu'", "did you mean 'run'"]),
]


@pytest.mark.parametrize(("make", "code", "words"), MISTAKES, ids=[m[0].__name__ for m in MISTAKES])
def test_one_message_and_no_traceback(
    make: Any,
    code: int,
    words: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = make(tmp_path)
    before = sorted(p.name for p in tmp_path.rglob("*"))
    if arguments[0] == "script":
        done = subprocess.run([sys.executable, arguments[1]], capture_output=True, text=True, check=False)
        exit_code, error = done.returncode, done.stderr
    else:
        exit_code = main(arguments)
        error = capsys.readouterr().err
    print(error)
    assert exit_code == code
    for word in words:
        assert word in error
    assert "Traceback" not in error
    assert len(error.strip().splitlines()) == 1, "one line"
    assert sorted(p.name for p in tmp_path.rglob("*")) == before, "nothing is half-written"


def test_json_errors_are_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "no_such_diagram", "--json"]) == 2
    out = capsys.readouterr().out
    assert json.loads(out)["outcome"] == "error"
    assert "no_such_diagram" in json.loads(out)["message"]


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ("{", "the report cannot be read"),
        ("[]", "not a list"),
        ('{"responses": []}', "'responses' must be an object"),
        ('{"cases": 5}', "'cases' must be a list"),
        ('{"cases": [5]}', "case 1 needs a 'name', and a 'set'"),
        ('{"cases": [{"name": "a"}]}', "case 1 needs a 'name', and a 'set'"),
        ('{"judge": 3}', "'judge' needs a 'column' and a 'tolerance'"),
        ('{"notes": "none"}', "'notes' must be a list"),
        (
            '{"responses": {"y": {"signal": "lag.y", "unit": "kN"}}}',
            "response 'y': lag.y is in 1, and its 'unit' is kN, which measures something else",
        ),
    ],
)
def test_a_report_that_cannot_be_used_stops_before_the_run(
    report: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = ssd(tmp_path)
    (tmp_path / "report.json").write_text(report)
    assert main(["run", file, "--out", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert "report.json: " in error
    assert message in error
    assert not (tmp_path / "run").exists()


def test_a_sound_report_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Negative control."""
    file = ssd(tmp_path)
    (tmp_path / "report.json").write_text('{"responses": {"y": {"signal": "lag.y"}}, "notes": ["a note"]}')
    assert main(["run", file, "--out", str(tmp_path / "run"), "--no-page"]) == 0
    assert "a note" in capsys.readouterr().out


def test_what_is_no_signal_is_named_for_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in [
        (["--record", "course.yaw"], "course.yaw is an input, and outputs and locals are recorded"),
        (
            ["--until", "course.yaw > 1"],
            "'course.yaw' is an input; a condition may use outputs and local variables only",
        ),
    ]:
        assert main(["run", "double_lane_change_planar", "--out", str(tmp_path / "r"), *words]) == 2
        assert message in capsys.readouterr().err
