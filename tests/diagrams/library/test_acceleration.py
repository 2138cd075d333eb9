"""Driving with engine and gearbox: acceleration, grade, ice, reverse, and the vehicle in parts."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Block
from drawbar.blocks.vehicle.drivetrain.diesel_gearbox import DieselGearbox
from drawbar.blocks.vehicle.drivetrain.diesel_powertrain import DieselPowertrain
from drawbar.blocks.vehicle.drivetrain.torque_split import TorqueSplit
from drawbar.diagrams import Diagram
from drawbar.diagrams.library import find
from drawbar.diagrams.model.connection import End
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

G = 9.80665
MASS = 2573.138
OPEN = [1.0, 1.0, 1.0]
Driven = Callable[..., Run]


@pytest.fixture
def driven(tmp_path: Path) -> Driven:
    """Run the diagram `acceleration` or another one for some seconds, with start values by ``part__variable``."""

    def run(stop: float, diagram: Diagram | None = None, **changes: Any) -> Run:
        diagram = read(find("acceleration")) if diagram is None else diagram
        diagram.stop = stop
        for name, value in changes.items():
            part, _, variable = name.partition("__")
            diagram.parts[part].set(variable, value)
        return simulate(diagram, out=tmp_path / str(len(list(tmp_path.iterdir()))))

    return run


def shifts(run: Run) -> list[int]:
    gear = run["gearbox.gear"]
    return [int(g) for g in gear[np.flatnonzero(np.diff(gear, prepend=gear[0] - 1.0))]]


def test_from_standstill_it_shifts_through_its_gears_to_a_top_speed_near_the_published_one(driven: Driven) -> None:
    """Published are 105 to 112 km/h; the governor of the model ends at 116 km/h, 3.6 % above."""
    run = driven(50.0)
    assert shifts(run) == [1, 2, 3]
    assert run["trial.ended"][-1] == 1.0
    assert run["trial.duration"][-1] == pytest.approx(12.2, abs=0.3), "50 mph"
    speed = run["vehicle.velocity[1]"]
    assert speed[-1] * 3.6 == pytest.approx(116.0, abs=0.5)
    assert np.ptp(speed[-400:]) < 0.01
    against = 0.015 * MASS * G + 0.5 * 1.2 * 0.7 * 3.8 * speed[-1] ** 2
    assert run["powertrain.power"][-1] == pytest.approx(against * speed[-1], rel=0.02), "with the slip of the tires"
    engine, lost = run["powertrain.engine_power"][-1], run["powertrain.loss"][-1]
    assert engine == pytest.approx(run["powertrain.power"][-1] + lost, rel=1e-3)
    assert engine < 110e3


def test_what_the_engine_gives_is_found_in_motion_drag_and_losses(driven: Driven) -> None:
    run = driven(20.0)
    t = run.time("powertrain.engine_power")
    work = {name: np.trapezoid(run[f"powertrain.{name}"], t) for name in ("engine_power", "power", "loss")}
    engine, shaft = run["powertrain.engine_speed"], run["powertrain.gearbox_speed"]
    held = 0.5 * 1.1 * (engine[-1] ** 2 - engine[0] ** 2) + 0.5 * 0.5 * shaft[-1] ** 2
    assert work["engine_power"] == pytest.approx(work["power"] + work["loss"] + held, rel=2e-3)
    v = run["vehicle.velocity[1]"]
    drag = np.trapezoid(0.015 * MASS * G * v + 0.5 * 1.2 * 0.7 * 3.8 * v**3, t)
    gained = run["vehicle.kinetic_energy"][-1] - run["vehicle.kinetic_energy"][0]
    slipped = work["power"] - gained - drag
    assert 0.0 < slipped < 0.05 * work["power"], "what is left went into the slip of tires"
    assert (run["powertrain.loss"] > -1.0).all()


def test_at_a_constant_throttle_it_does_not_hunt(driven: Driven) -> None:
    """Half of the throttle: the speed control asks for 3 m/s2 all the time."""
    run = driven(40.0, pedals__full_throttle=6.0)
    assert run["pedals.throttle"] == pytest.approx(0.5)
    assert shifts(run) == [1, 2, 3]


@pytest.mark.xfail(strict=True, reason="its front wheels spin, and sliding friction, 0.557, is less than the slope")
def test_in_low_range_it_climbs_the_published_grade_of_60_percent(driven: Driven) -> None:
    changes = {"road__grade": 0.6, "powertrain__low_range": True, "speed__target": 3.0, "pedals__full_throttle": 6.0}
    run = driven(30.0, **changes)  # its front wheels, relieved by the height of the centre of mass, spin
    assert run["vehicle.velocity[1]"][-1] > 0.4
    assert shifts(run) == [1]
    angle = np.arctan(0.6)
    along = run["vehicle.velocity[1]"][-1] / np.cos(angle)  # velocities are along the horizon
    lifted = MASS * G * (np.sin(angle) + 0.015 * np.cos(angle)) * along
    slip = 1.0 - lifted / run["powertrain.power"][-1]
    rolled = 0.45 * np.mean(run["vehicle.wheel_speed"][-1])
    assert slip == pytest.approx(1.0 - along / rolled, abs=0.02)
    back = driven(10.0, **changes | {"powertrain__low_range": False, "pedals__full_throttle": 3.0})
    assert back["vehicle.velocity[1]"][-1] < 0.0, "in high range the engine cannot"


def test_open_differentials_pull_four_times_what_the_wheel_on_ice_does(driven: Driven) -> None:
    free = driven(10.0, road__friction=[0.123, 0.9835, 0.9835, 0.9835], vehicle__torque_bias=OPEN)
    force = np.array([free[f"vehicle.force_x[{i}]"][-200:].mean() for i in (1, 2, 3, 4)])
    speed = np.array([free[f"vehicle.wheel_speed[{i}]"][-1] for i in (1, 2, 3, 4)])
    assert speed[0] > 3.0 * speed[1:].max()
    assert force[1:] == pytest.approx(np.full(3, force[0]), rel=0.15), "less the rolling resistance"
    locked = driven(10.0, road__friction=[0.123, 0.9835, 0.9835, 0.9835], vehicle__lock_torque=[2e3, 5e3, 5e3])
    assert locked["vehicle.velocity[1]"][-1] > 1.7 * free["vehicle.velocity[1]"][-1]


@pytest.mark.parametrize("lock", [[0.0, 0.0, 0.0], [2e3, 5e3, 5e3]])
def test_wheels_that_spin_in_low_range_stay_stable_at_the_step_of_diagrams(driven: Driven, lock: list[float]) -> None:
    """What is stiffest of it: the converter without slip behind a ratio of 34, and wheels that nothing holds."""
    ice = {"road__friction": [0.123] * 4, "powertrain__low_range": True, "vehicle__lock_torque": lock}
    run = driven(4.5, **ice)  # then it shifts
    assert run["vehicle.wheel_slip[1]"][-1] > 0.5
    assert np.abs(np.diff(run["powertrain.propshaft_torque"][-200:])).max() < 0.5
    finer = read(find("acceleration"))
    finer.step = Fraction(1, 1000)
    speed = run["vehicle.velocity[1]"][-1]
    assert speed == pytest.approx(driven(4.5, finer, **ice)["vehicle.velocity[1]"][-1], rel=1e-3)


def test_the_heavier_diesel_drives_it_to_its_governor(driven: Driven) -> None:
    run = driven(25.0, rebuilt(powertrain=DieselPowertrain, gearbox=DieselGearbox))
    assert shifts(run) == [1, 2, 3]
    assert run["powertrain.engine_speed"][-1] * 30.0 / np.pi == pytest.approx(2602.0, abs=5.0)
    assert run["vehicle.velocity[1]"][-1] * 3.6 == pytest.approx(67.0, abs=0.5)


def test_in_reverse_it_drives_backwards(driven: Driven) -> None:
    run = driven(5.0, gearbox__selector=-1, speed__target=100.0)
    assert shifts(run) == [1, -1]
    assert run["vehicle.velocity[1]"][-1] < -3.0
    assert run["powertrain.turbine_speed"][-1] > 0.0
    assert run["powertrain.propshaft_torque"][-1] < 0.0


def test_pedals_reach_a_speed_keep_it_and_stop(driven: Driven) -> None:
    run = driven(25.0, speed__target=10.0)
    assert run["vehicle.velocity[1]"][-1] == pytest.approx(10.0, abs=0.15)
    assert run["brakes.pressure"][-1] < 0.02
    assert len(shifts(run)) <= 3
    # who stops keeps the foot on the brake: at a target of 0 the converter creeps against what is left of it
    stopped = driven(5.0, speed__target=-100.0, vehicle__speed=10.0, gearbox__first=3)
    assert np.abs(stopped["vehicle.velocity[1]"][-1]) < 0.02
    assert stopped["pedals.brake"].max() > 0.3


def test_the_parking_brake_holds_it_on_a_grade_and_lets_it_go(driven: Driven) -> None:
    still = {"road__grade": 0.3, "gearbox__selector": 0, "gearbox__first": 0, "speed__target": 0.0}
    still |= {"pedals__full_throttle": 1e6, "pedals__coast": 1e6}
    run = driven(10.0, brakes__parking=1.0, **still)
    assert np.ptp(run["vehicle.position[1]"][-1000:]) < 2e-3
    assert driven(3.0, **still)["vehicle.velocity[1]"][-1] < -3.0


def rebuilt(**blocks: type[Block]) -> Diagram:
    """The acceleration with other blocks for some parts."""
    found, whole = Diagram("rebuilt"), read(find("acceleration"))
    found.step = whole.step
    for name, part in whole.parts.items():
        new = found.add(name, blocks.get(name, part.block))
        for variable, value in part.starts.items():
            new.set(variable, value)
    for c in whole.connections:
        found.connect(c.start, c.end)
    return found


def in_parts() -> Diagram:
    """The acceleration with body, wheels and open differentials as units of their own."""
    whole, modular = read(find("acceleration")), read(find("double_lane_change_modular"))
    d = Diagram("in_parts", step=modular.step)
    kept = [name for name in modular.parts if name.startswith(("body", "road", "wheel_"))]
    for name in kept:
        d.add(name, modular.parts[name].block)
        d.parts[name].algorithm = modular.parts[name].algorithm
    for c in modular.connections:
        if {c.start.part, c.end.part} <= set(kept):
            d.connect(c.start, c.end)
    driving = ("speed", "pedals", "gearbox", "powertrain")
    for name in driving:
        d.add(name, whole.parts[name].block)
    for c in whole.connections:
        if {c.start.part, c.end.part} <= set(driving):
            d.connect(c.start, c.end)
    d.parts["speed"].set("target", 100.0)
    d.connect(End("body", "velocity[1]"), End("speed", "u"))
    split = d.add("split", TorqueSplit)
    d.connect(End("powertrain", "propshaft_torque"), split.propshaft_torque)
    d.connect(split.propshaft_speed, End("powertrain", "propshaft_speed"))
    d.connect(split.drive, End("body", "drive"))
    for i, w in enumerate(("fl", "fr", "rl", "rr"), start=1):
        d.connect(End("split", f"drive[{i}]"), End(f"wheel_{w}", "drive"))
        d.connect(End(f"wheel_{w}", "hub.spin"), End("split", f"spin[{i}]"))
    return d


def test_in_parts_it_accelerates_as_the_whole_vehicle_with_open_differentials(driven: Driven) -> None:
    parts = driven(8.0, in_parts())
    whole = driven(8.0, vehicle__torque_bias=OPEN, air__coefficient=0.0)
    t = np.linspace(0.0, 8.0, 81)
    speeds = [
        np.interp(t, run.time(name), run[name])
        for run, name in ((parts, "body.velocity[1]"), (whole, "vehicle.velocity[1]"))
    ]
    assert speeds[0] == pytest.approx(speeds[1], abs=0.05)
    assert shifts(parts) == shifts(whole) == [1, 2]
