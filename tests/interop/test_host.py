"""An FMU runs in a host without Python: the commonest failure of FMUs made in Python."""

import subprocess
from pathlib import Path

import pytest

from drawbar.blocks import Output, Script
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.vehicle.bodies.single_track import SingleTrack
from drawbar.blocks.vehicle.hmmwv.hmmwv_body import HmmwvBody
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.fmus.backends.instance import open_fmu
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_description
from drawbar.orchestrator.cli.commands import main

pytestmark = pytest.mark.compiler


@pytest.mark.parametrize(
    ("block", "start", "value", "seen", "least"),
    [
        (SingleTrack, "steer", 0.02, "yaw_rate", 0.01),
        (HmmwvVehicle, "speed", 12.0, "position[1]", 11.0),
        (HmmwvBody, "speed", 12.0, "position[1]", 10.0),  # without wheels it falls, and slides on its underside
        (FialaTire, "drive", 500.0, "turning", 50.0),
    ],
)
def test_a_bare_host_runs_it_ten_times_to_the_numbers_of_the_master(
    host: Path, block: type[Block], start: str, value: float, seen: str, least: float
) -> None:
    """Started with one value; with a positive one the single track turns left, cars advance, and a wheel spins up."""
    description = read_description(build(block))
    instance = open_fmu(build(block), "vehicle")
    given, read = (int(r) for r in instance.references([start, seen]))
    instance.initialize(0.0, {start: value})
    instance.start()
    step = instance.stepper()
    for k in range(100):
        step(k * 0.01, 0.01)
    expected = instance.get([seen])[0]
    instance.close()
    words = [str(description.library), description.guid, str(given), str(value), str(read), "1", "100", "0.01", "10"]
    done = subprocess.run([str(host), *words], env={}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert expected > least
    assert [float(line) for line in done.stdout.split()] == [expected] * 10


def test_the_host_sees_a_wrong_guid(host: Path) -> None:
    """Negative control: the host does report what it is told."""
    library = str(read_description(build(SingleTrack)).library)
    done = subprocess.run(
        [str(host), library, "{0}", "0", "0", "0", "1", "1", "0.1", "1"], capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"no instance" in done.stderr


class Looker(Script, period=0.1):
    """A script, which needs Python where it is imported."""

    y = Output("1", "what it sees")

    def step(self, t: float, dt: float) -> None:
        self.y = t


def test_a_script_does_not_load_without_python_and_info_says_what_to_do(
    host: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A host that has loaded libpython before runs it, but where that lies is another matter on each machine."""
    path = build(Looker)
    library = str(read_description(path).library)
    done = subprocess.run(
        [str(host), library, "{0}", "0", "0", "0", "1", "1", "0.1", "1"], capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"_Py" in done.stderr
    assert main(["info", str(path)]) == 0
    said = capsys.readouterr().out
    assert "a program that is not Python itself must load libpython before it" in said
