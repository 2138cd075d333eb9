import zipfile
from pathlib import Path

import pytest

from drawbar.blocks.authoring.registry import block_class, open_workspace
from drawbar.diagrams import Diagram

open_workspace(Path(__file__).parent / "workspace")


@pytest.fixture
def block():
    """Find a block of the test workspace by its class name."""
    return lambda name: block_class(f"bench_blocks:{name}")


FMU = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="{name}" guid="{{1}}">
  <CoSimulation modelIdentifier="{name}"/>
  <UnitDefinitions><Unit name="m"><BaseUnit m="1"/></Unit></UnitDefinitions>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"{unit}/></ScalarVariable>
    <ScalarVariable name="y" valueReference="1" causality="output"><Real{unit}/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="2" dependencies=""/></Outputs></ModelStructure>
</fmiModelDescription>
"""


@pytest.fixture
def fmu_file(tmp_path):
    """Make the file of an FMU of others, with one input, one output and no binary."""

    def make(name, unit=""):
        file = tmp_path / "resources" / f"{name}.fmu"
        file.parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(file, "w") as archive:
            text = FMU.format(name=name, unit=f' unit="{unit}"' if unit else "")
            archive.writestr("modelDescription.xml", text)
        return file

    return make


@pytest.fixture
def bench(block):
    """Parts of four kinds, and a system with an input."""
    d = Diagram("bench", step=0.01)
    for name, kind in (("wheel", "Wheel"), ("flags", "Flags"), ("gain", "Gain"), ("sink", "Sink")):
        d.add(name, block(kind))
    inner = Diagram("inner")
    inner.expose(inner.add("sink", block("Sink")).length, "x")
    inner.add("gain", block("Gain"))
    d.add("box", inner)
    return d
