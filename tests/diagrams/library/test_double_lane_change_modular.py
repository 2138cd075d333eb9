"""The double lane change of the HMMWV in parts, beside that of the HMMWV as one unit."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from drawbar.blocks.tires.pac2002_tire import Pac2002Tire
from drawbar.blocks.vehicle.bodies.simple_body import SimpleBody
from drawbar.diagrams.library import find
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.reports.step_oscillation import oscillation_warning
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

WHEELS = ("fl", "fr", "rl", "rr")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    """Modular and compiled in, with every signal at the same times."""
    folder, found = tmp_path_factory.mktemp("runs"), []
    for name in ("double_lane_change_modular", "double_lane_change"):
        diagram = read(find(name))
        diagram.step = read(find("double_lane_change_modular")).step
        found.append(simulate(diagram, out=folder / name))
    return found[0], found[1]


def test_body_and_wheels_drive_as_the_vehicle_does(both: tuple[Run, Run]) -> None:
    """Within what a step of 2 ms leaves."""
    parts, whole = both
    for signal, off in (("position[1]", 1e-3), ("position[2]", 1e-3), ("roll", 1.5e-4), ("yaw", 4e-4), ("a[2]", 0.02)):
        assert parts[f"body.{signal}"] == pytest.approx(whole[f"vehicle.{signal}"], abs=off)
    for i, w in enumerate(WHEELS, 1):
        assert parts[f"wheel_{w}.load"] == pytest.approx(whole[f"vehicle.wheel_load[{i}]"], abs=16.0)
    assert np.ptp(whole["vehicle.position[2]"]) > 3.0, "it does change the lane"
    assert parts.info["order"] == 2


def test_the_driver_is_that_of_the_vehicle_as_one_unit() -> None:
    parts, whole = (read(find(name)).parts for name in ("double_lane_change_modular", "double_lane_change"))
    for name in ("course", "follower", "road", "speed", "torque"):
        assert parts[name].starts == whole[name].starts
    assert parts["body"].starts == whole["vehicle"].starts


def test_motion_of_the_hubs_runs_along_a_line_and_torques_do_not() -> None:
    diagram = read(find("double_lane_change_modular"))
    for w in WHEELS:
        assert diagram.parts[f"wheel_{w}"].algorithm == "interpolated"
        connections = [c for c in diagram.connections if c.end.part == f"wheel_{w}"]
        assert {c.end.name for c in connections if c.algorithm == "second-order"} == {"drive", "brake"}


def test_tires_that_depend_on_the_load_take_the_place_of_those_at_the_hubs(tmp_path: Path) -> None:
    """Without a connection changed."""
    diagram = read(find("double_lane_change_modular"))
    for w in WHEELS:
        diagram.use(f"wheel_{w}", Pac2002Tire)
    run = simulate(diagram, out=tmp_path / "run")
    assert run["body.position[2]"].max() == pytest.approx(3.5, abs=0.4), "it changes the lane"
    assert 0.3 < np.abs(run["body.a[2]"]).max() / 9.80665 < 0.6
    assert not run["wheel_fl.outside_range"].any()
    assert min(run[f"wheel_{w}.load"].min() for w in WHEELS) > 1016.6, "the smallest load of the data"


def test_a_body_on_simple_springs_takes_the_place_of_the_wishbones(tmp_path: Path) -> None:
    """Without a connection changed: it drives through, with its own roll."""
    diagram = read(find("double_lane_change_modular"))
    diagram.use("body", SimpleBody)
    run = simulate(diagram, out=tmp_path / "run")
    assert np.abs(run["course.lateral_error"]).max() < 0.5
    assert 3.0 < np.ptp(run["body.position[2]"]) < 4.5
    loads = [run[f"wheel_{w}.load"][0] for w in WHEELS]
    assert loads == pytest.approx([6499.0, 6499.0, 6118.0, 6118.0], rel=0.01), "as of the wishbones"
    gradient = np.degrees(run["body.roll"].max()) / (run["body.a[2]"].max() / 9.80665)
    assert gradient == pytest.approx(10.4, abs=0.3), "deg/g: more than the 7.9 of wishbones, which have roll centres"


def test_a_macro_step_that_is_too_long_for_the_wheels_is_told(tmp_path: Path) -> None:
    """At 25 ms the wheel loads are wrong by thousands of newtons, at 20 ms by a tenth of their swing."""
    warnings = []
    for step in (0.02, 0.025):
        diagram = read(find("double_lane_change_modular"))
        diagram.step = Fraction(step).limit_denominator(1000)
        warnings.append(oscillation_warning(simulate(diagram, stop=9, out=tmp_path / str(step))))
    assert warnings[0] is None
    assert warnings[1] is not None and "the macro step of 0.025 s is too long" in warnings[1]
