"""What `drawbar info` says of an FMU."""

import argparse
import json
import zipfile
from pathlib import Path

import pytest

from drawbar.blocks import UsageError
from drawbar.blocks.cli.new_block import write_block
from drawbar.blocks.core.errors import FmuError
from drawbar.blocks.core.verb import Verb
from drawbar.fmus.verbs import build, info

DESCRIPTION = """<fmiModelDescription fmiVersion="2.0" modelName="Theirs" guid="{1}">
  <CoSimulation modelIdentifier="Theirs" canInterpolateInputs="true"/>
  <DefaultExperiment stepSize="0.02"/>
  <VendorAnnotations/>
  <ModelVariables>
    <ScalarVariable name="y" valueReference="0" causality="output"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure>
</fmiModelDescription>
"""
NOTE = """<VendorAnnotations><Tool name="org.drawbar">
    <Fmu xmlns="urn:drawbar:fmu" period="1/30" freshRead="false"/></Tool></VendorAnnotations>"""


@pytest.fixture(params=["other", "sampled"])
def fmu(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    path = tmp_path / "theirs.fmu"
    text = DESCRIPTION if request.param == "other" else DESCRIPTION.replace("<VendorAnnotations/>", NOTE)
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("modelDescription.xml", text)
    return request.param, str(path)


def shown(capsys: pytest.CaptureFixture[str], path: str, *, as_json: bool) -> str:
    parser = argparse.ArgumentParser()
    info.configure(parser)
    options = parser.parse_args([path])
    options.json = as_json
    assert info.call(options) == 0
    return capsys.readouterr().out


def test_the_step_of_an_fmu_is_told(fmu: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """A sampled unit of ours has a period, an FMU that takes one step only has that one."""
    kind, path = fmu
    lines = shown(capsys, path, as_json=False).splitlines()
    sentence = {"other": "  takes no other step than 1/50 s", "sampled": "  sampled every 1/30 s"}[kind]
    assert sentence in lines
    assert sum("1/50" in line or "1/30" in line for line in lines) == 1


def test_an_fmu_of_an_older_drawbar_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "old.fmu"
    old = NOTE.replace("<Fmu ", "<Unit ").replace("urn:drawbar:fmu", "urn:drawbar:unit")
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("modelDescription.xml", DESCRIPTION.replace("<VendorAnnotations/>", old))
    with pytest.raises(FmuError, match=r"old\.fmu: .* drawbar:Unit, now drawbar:Fmu"):
        called(info, str(path))


def test_what_a_master_learns_is_told_as_json(fmu: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    kind, path = fmu
    facts = json.loads(shown(capsys, path, as_json=True))
    period = {"other": "1/50", "sampled": "1/30"}[kind]
    assert (facts["period"], facts["sampled"]) == (period, kind == "sampled")
    assert (facts["input_derivatives"], facts["directional_derivatives"], facts["fresh_read"]) == (True, False, False)


def called(verb: Verb, *words: str, as_json: bool = False) -> int:
    parser = argparse.ArgumentParser()
    verb.configure(parser)
    options = parser.parse_args(list(words))
    options.json = as_json
    return verb.call(options)


def test_a_block_in_c_is_shown_without_a_compiler(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    lines = shown(capsys, "RayMarch", as_json=False).splitlines()
    assert "  kind: kernel" in lines
    assert "  functions: outputs" in lines
    assert any(line.startswith("  resource terrain: terrain.npy: heights of the ground") for line in lines)
    assert "  kind: sampled" in shown(capsys, "UnitDelay", as_json=False).splitlines()


def test_build_says_that_an_fmu_is_no_block() -> None:
    """It listed all blocks."""
    with pytest.raises(UsageError, match=r"fmus-built/Gain.fmu names an FMU, and `drawbar build` makes one"):
        called(build, "fmus-built/Gain.fmu")


def test_build_writes_headers_only_where_they_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")  # a header needs no compiler
    write_block("Nozzle", "kernel", tmp_path)
    assert called(build, "Nozzle", "--header", "--workspace", str(tmp_path)) == 0
    assert capsys.readouterr().out == f"Nozzle  {tmp_path / 'nozzle.h'}\n"
    assert "double signals[8];" in (tmp_path / "nozzle.h").read_text()
    assert called(build, "Nozzle", "--header", as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == {
        "headers": [{"block": "Nozzle", "header": str(tmp_path / "nozzle.h")}]
    }
    with pytest.raises(UsageError, match="Gain is a continuous block; only kernel blocks have a header"):
        called(build, "Gain", "--header")
    with pytest.raises(UsageError, match="name the kernel blocks"):
        called(build, "--header")


def test_a_file_of_python_is_no_fmu(tmp_path: Path) -> None:
    module, _ = write_block("Filed", "continuous", tmp_path)
    with pytest.raises(UsageError, match=rf"filed\.py is no FMU; name the block in it, as in filed:Class .*{tmp_path}"):
        called(info, str(module))
