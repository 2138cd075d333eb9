"""A vehicle that shall drive at another speed does so, though its speed controller has a target of its own."""

import json
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks.authoring.registry import block_classes
from drawbar.diagrams.library import find
from drawbar.orchestrator.cli.commands import main
from drawbar.orchestrator.cli.diagram_options import DiagramOptions
from drawbar.orchestrator.cli.setpoints import find_setpoints
from drawbar.orchestrator.runs.run import Run

PLANAR = find("double_lane_change_planar")
FOLLOWS = (
    "speed.target is 13.8889 m/s too, as vehicle.u: the diagram has both alike; --set speed.target=14.29 keeps the"
)


def values(diagram: str, *settings: str) -> tuple[list[Any], list[str]]:
    """Initial speed and target of the main diagrams with settings, and the notes."""
    given = DiagramOptions(find(diagram), settings=settings)
    (setpoint,) = find_setpoints(given.read())
    return [pytest.approx(v) for v in setpoint.values(given.read())], given.notes()


def test_the_speed_of_the_vehicle_is_that_of_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", str(PLANAR), "--stop", "3", "--no-page", "--json", "--backend", "interpreted", "--engine", "python"]
    assert main([*words, "--set", "vehicle.u=50km/h", "--out", str(tmp_path / "run")]) == 0
    run = Run(tmp_path / "run")
    assert run["vehicle.u"] == pytest.approx(50.0 / 3.6, abs=1e-9), "from the beginning to the end"
    assert [note for note in json.loads(capsys.readouterr().out)["notes"] if note.startswith(FOLLOWS)]
    assert run.info["settings"] == {"vehicle.u": "50km/h"}


@pytest.mark.parametrize(("target", "said"), [("15", 15.0), ("14.29", 14.29)])
def test_a_target_that_is_set_is_kept(target: str, said: float) -> None:
    """Also if it is the one that the diagram has."""
    assert values("double_lane_change_planar", "vehicle.u=10", f"speed.target={target}") == ([10.0, said], [])


def test_a_target_alone_leaves_the_beginning() -> None:
    assert values("double_lane_change_planar", "speed.target=15") == ([14.29, 15.0], [])
    assert values("double_lane_change_planar") == ([14.29, 14.29], [])


@pytest.mark.parametrize("diagram", ["double_lane_change", "half_round", "rough_road", "step_steer"])
def test_parameters_with_which_an_output_begins(diagram: str) -> None:
    """The vehicle with suspensions measures `velocity[1]`, which begins with the parameter `speed`."""
    found, notes = values(diagram, "vehicle.speed=36km/h")
    assert found == [10.0, 10.0]
    assert len(notes) == 1


def test_a_target_that_another_part_sends_is_noted() -> None:
    (note,) = values("brake_in_turn", "vehicle.speed=10")[1]
    assert note == "vehicle.speed = 10 m/s is where the run begins; speed then controls it to what target.y sends"


def test_a_target_that_was_another_one_is_noted(tmp_path: Path) -> None:
    found, (note,) = values("acceleration", "vehicle.speed=10")
    assert found == [10.0, 100.0]
    assert note.endswith("speed then controls it to 100 m/s: to stay there, add --set speed.target=10")


def test_declared_names_are_ports() -> None:
    declaring = [block for block in block_classes().values() if block.setpoints or block.initial_values]
    assert {"SpeedControl", "PID", "HmmwvVehicle"} <= {block.__name__ for block in declaring}
    for block in (b for b in declaring if b.__name__ in ("SpeedControl", "PID", "HmmwvVehicle")):
        names = {name for port in block.interface().ports for name in (port.name, *port.scalar_names())}
        declared = {**block.setpoints, **block.initial_values}
        assert set(declared) | set(declared.values()) <= names
