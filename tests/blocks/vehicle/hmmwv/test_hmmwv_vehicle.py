"""The HMMWV at rest and on the bench: weight, equilibrium, payload, energies, reactions, and where it ends a run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import FmuError
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.simulate import simulate

G = 9.80665
MASS = 2573.138  # kg, sum of the bodies
WHEELS = ("fl", "fr", "rl", "rr")
Car = Callable[..., Any]
HELD = 4000.0  # N m, what a brake holds


def grounds(**values: Any) -> dict[str, Any]:
    """Start values of the ground under all wheels."""
    return {f"ground_{w}__{name}": v for w in WHEELS for name, v in values.items()}


def slope(rise: float) -> tuple[np.ndarray, dict[str, Any]]:
    """The normal of a road that rises ahead, and the start values for it."""
    normal = np.array([-rise, 0.0, 1.0]) / np.hypot(rise, 1.0)
    return normal, grounds(normal=normal)


def energy(car: Any) -> float:
    return float(car.get("kinetic_energy") + car.get("potential_energy"))


def test_at_rest_it_stands_as_the_reference_says(drive: Car) -> None:
    """Loads of 6557 N and 6166 N with the 21.6 kg of strut bodies, which are left out here.

    The chassis is level, 25.0 mm above its design position over the wheel centres, as that of ADAMS.
    """
    car = drive()
    load = car.get("wheel_load")
    assert load.sum() == pytest.approx(MASS * G, rel=1e-9)
    assert load == pytest.approx(np.array([6557.0, 6557.0, 6166.0, 6166.0]) * MASS / 2594.743, rel=2.5e-3)
    assert load[:2].sum() / load.sum() == pytest.approx(0.5154, abs=1.5e-3)
    above_wheels = car.get("z") - car.get("hub")[:, 2].mean()
    assert above_wheels - 0.026289 == pytest.approx(0.9902452 - 0.9652, abs=1e-3)
    assert np.degrees(abs(car.get("pitch"))) < 0.05
    assert car.get("position")[2] == pytest.approx(0.923, abs=1e-3), "the centre of mass of the whole vehicle"
    assert car.get("spring_length") == pytest.approx([0.2578, 0.2578, 0.3171, 0.3171], abs=1e-3)
    assert (car.get("spring_length") < np.array([0.3, 0.3, 0.35, 0.35]) - 0.03).all(), "clear of the droop stops"


def test_at_rest_nothing_moves(drive: Car) -> None:
    car = drive()
    before = car.get("position")
    car.run(5.0)
    assert car.get("position") == pytest.approx(before, abs=1e-12)
    assert car.get("kinetic_energy") < 1e-18
    assert np.abs(car.get("a")).max() < 1e-9


def test_axles_are_3302_mm_and_wheels_1819_mm_apart(drive: Car) -> None:
    hub = drive().get("hub")
    assert hub[0, 0] - hub[2, 0] == pytest.approx(3.302, abs=0.01)
    assert hub[0, 1] - hub[1, 1] == pytest.approx(1.819, abs=0.04), "in droop the track is narrower"
    assert (hub[:, 2] < 0.47).all()
    assert (hub[:, 2] > 0.44).all()


@pytest.mark.parametrize("height", [3000.0, 100.0, 1.0, -0.5, -50.0])
def test_it_stands_on_ground_of_any_height(drive: Car, height: float) -> None:
    car = drive(**grounds(point=[0.0, 0.0, height]))
    assert car.get("position")[2] - height == pytest.approx(drive().get("position")[2], abs=1e-9)


@pytest.mark.parametrize("heading", [0.0, 1.0, -2.0, 3.0])
@pytest.mark.parametrize("rise", [(0.3, 0.0), (-0.6, 0.0), (0.0, 0.3), (0.2, -0.3)])
def test_it_stands_along_any_slope(drive: Car, heading: float, rise: tuple[float, float]) -> None:
    """The point of the plane lies far away, where it is high above the car."""
    normal = np.array([-rise[0], -rise[1], 1.0]) / np.sqrt(1.0 + rise[0] ** 2 + rise[1] ** 2)
    point = [40.0, -20.0, 40.0 * rise[0] - 20.0 * rise[1] + 7.0]
    car = drive(heading=heading, **grounds(normal=normal, point=point))
    load = car.get("wheel_load")
    assert load.min() > 1200.0
    assert load.sum() == pytest.approx(MASS * G * normal[2], rel=0.02)
    ahead, left = np.array([np.cos(heading), np.sin(heading)]), np.array([-np.sin(heading), np.cos(heading)])
    assert car.get("pitch") == pytest.approx(-np.arctan(ahead @ rise), abs=0.06)
    assert car.get("roll") == pytest.approx(np.arctan(left @ rise), abs=0.12)


@pytest.mark.parametrize("height", [-0.3, 0.1])
def test_it_stands_on_uneven_ground(drive: Car, height: float) -> None:
    """One wheel in a hollow or on a block: the loads go over the diagonals."""
    car = drive(ground_fl__point=[0.0, 0.0, height])
    load = car.get("wheel_load")
    assert load.sum() == pytest.approx(MASS * G, rel=5e-3)
    assert (np.sign(height) * (load[[0, 3]].sum() - load[[1, 2]].sum())) > 1000.0
    assert np.abs(car.get("a")).max() < 1e-6
    car.run(3.0)
    # where the car leans, contact forces have a part along the road, which tires take up in some millimetres
    assert car.get("wheel_load") == pytest.approx(load, abs=200.0)


@pytest.mark.parametrize("radius", [0.1, 1.0, 3.0])
def test_it_stands_on_tires_of_any_radius(tmp_path: Path, radius: float) -> None:
    """The search begins higher or lower by what they differ, and there it stands, for they bear the same load."""
    d = Diagram("d", step=0.01, stop=0.01)
    d.add("usual", HmmwvVehicle)
    d.add("other", HmmwvVehicle, tire_radius=radius)
    run = simulate(d, out=tmp_path / "run", backend="interpreted")
    higher = run["other.position"][0, 2] - run["usual.position"][0, 2]
    # but for a thousandth: wheels lean, so a larger one touches elsewhere, and the springs give by its lever
    assert higher == pytest.approx(radius - 0.4699, rel=1e-3)
    assert np.abs(run["other.a"][0]).max() < 1e-9
    assert run["other.wheel_load"][0] == pytest.approx(run["usual.wheel_load"][0], rel=1e-3)


def test_where_there_is_no_equilibrium_it_says_so(drive: Car) -> None:
    with pytest.raises(FmuError, match=r"no start value found for 'z'.*give a start value nearer to the solution"):
        drive(ground_fl__point=[0.0, 0.0, -5.0])


def test_a_payload_is_carried_by_the_axles_in_inverse_proportion_to_its_distance(drive: Car) -> None:
    at, mass = np.array([-1.0, 0.3, 0.6]), 500.0
    empty, full = drive(), drive(payload_mass=mass, payload_position=at)
    more = full.get("wheel_load") - empty.get("wheel_load")
    assert more.sum() == pytest.approx(mass * G, rel=1e-9)
    hub = full.get("hub")
    base = hub[0, 0] - hub[2, 0]
    rear = (hub[0, 0] - at[0]) / base
    assert more[2:].sum() == pytest.approx(mass * G * rear, rel=0.02)
    assert more[0] > more[1], "it lies on the left"
    assert full.get("roll") < empty.get("roll")


def test_on_a_slope_the_normal_part_of_the_weight_is_carried(drive: Car) -> None:
    normal, starts = slope(0.3)
    car = drive(**starts)
    assert car.get("wheel_load").sum() == pytest.approx(MASS * G * normal[2], rel=5e-3)
    assert car.get("pitch") == pytest.approx(-np.arctan(0.3), abs=0.03), "nose up, positive nose down"


def test_parked_on_a_slope_of_30_percent_it_does_not_creep(drive: Car) -> None:
    car = drive(**slope(0.3)[1], brake=HELD)
    car.run(10.0)
    before = car.get("position")
    run = car.run(50.0, ["velocity"], h=0.1)
    assert np.abs(run["velocity"]).max() < 1e-6
    assert car.get("position") == pytest.approx(before, abs=1e-6)


def test_without_brakes_it_rolls_down_that_slope(drive: Car) -> None:
    """Negative control: all but the rolling resistance, and the inertia of the wheels."""
    car = drive(**slope(0.3)[1])
    car.run(1.0)
    spinning = 4 * 8.2 / 0.45**2  # kg
    wanted = -(0.3 - 0.015) / np.hypot(1.0, 0.3) * G * MASS / (MASS + spinning)
    assert np.mean(car.run(1.0, ["a"])["a"][:, 0]) == pytest.approx(wanted * np.cos(np.arctan(0.3)), rel=0.03)


def test_on_ice_it_slides_down_that_slope_at_the_difference_of_slope_and_friction(drive: Car) -> None:
    normal, starts = slope(0.3)
    car = drive(**starts | grounds(normal=normal, friction=0.1), brake=HELD)
    car.run(4.5)
    friction = 0.5568 / 0.9835 * 0.1  # in full slide
    run = car.run(1.0, ["a", "force_x", "force_y", "wheel_load"])
    force = np.hypot(run["force_x"], run["force_y"])
    assert force == pytest.approx(friction * run["wheel_load"], rel=1e-3)
    a = run["a"].mean(axis=0)
    down, across = np.arctan(0.3), run["force_x"].sum(axis=1).mean() / MASS
    assert np.hypot(a[0], a[2]) == pytest.approx(G * np.sin(down) - across, rel=3e-3)
    # the tires' toe of 0.4 degrees costs nothing: the friction of a wheel that slides is against its motion
    assert np.hypot(a[0], a[2]) == pytest.approx(G * (np.sin(down) - friction * np.cos(down)), rel=5e-3)
    assert a[0] < 0.0


def test_energy_is_kept_in_free_fall_without_dampers(drive: Car) -> None:
    """The springs push the wheels out meanwhile, so that two kilojoules change their kind.

    Steps of 1 ms resolve the impact on the droop stops: those of 2.5 ms lose 1 J in it.
    """
    none = {f"{axle}_damping_{way}": 0.0 for axle in ("front", "rear") for way in ("compression", "rebound")}
    car = drive(speed=10.0, column_damping=0.0, **none)
    car.ground(point=[0.0, 0.0, -100.0])
    car.run(0.01)
    before, kinetic = energy(car), car.get("kinetic_energy")
    car.run(0.08, h=1e-3)
    assert car.get("kinetic_energy") - kinetic > 1000.0
    assert energy(car) == pytest.approx(before, abs=0.3)


def test_dampers_take_energy_in_free_fall(drive: Car) -> None:
    """Negative control."""
    car = drive(speed=10.0)
    car.ground(point=[0.0, 0.0, -100.0])
    car.run(0.01)
    energies = [energy(car)]
    for _ in range(10):
        car.run(0.04)
        energies.append(energy(car))
    assert (np.diff(energies) < 0.0).all()
    assert energies[0] - energies[-1] > 100.0


def test_rolling_costs_what_the_resistance_says(drive: Car) -> None:
    car = drive(speed=15.0)
    car.run(0.5)
    before, place = energy(car), car.get("position")[0]
    car.run(2.0)
    assert before - energy(car) == pytest.approx(0.015 * MASS * G * (car.get("position")[0] - place), rel=0.03)


def test_drive_torque_reacts_on_the_chassis() -> None:
    """In the air, with a chassis that does not give way, shafts leave the arms alone; brakes turn them."""
    free, driven, braked = (arms(**inputs) for inputs in ({}, {"drive": 800.0}, {"brake": 800.0}))
    assert driven == pytest.approx(free, rel=1e-8)
    assert np.abs(braked - free).min() > 0.1, "rear arms are nearly parallel to the ground"


def arms(**inputs: Any) -> Any:
    """Accelerations of the lower arms in the air, of wheels that spin against brakes, on a chassis that stays."""
    model = HmmwvVehicle.model()

    def pack(ports: Any, **given: Any) -> Any:
        values = [np.broadcast_to(np.ravel(given.get(p.name, p.start or 0.0)), (p.size,)) for p in ports]
        return np.concatenate(values).astype(float)

    p = pack(model.p, chassis_mass=1e12, chassis_inertia=[1e12, 1e12, 1e12, 0.0, 0.0, 0.0])
    x = pack(model.x, z=10.0, q_w=1.0, spin=30.0, bristle_torque=inputs.get("brake", 0.0))
    flat = np.asarray(model.ode(0.0, x, [], pack(model.u, **inputs), p)).ravel()
    at = [port.name for port in model.x for _ in range(port.size)].index("arm_rate")
    return flat[at : at + 4]


def test_a_ledge_higher_than_its_clearance_is_struck_by_its_body_and_driven_off(drive: Car) -> None:
    """Off a ledge of 1.2 m at 3 m/s; each wheel falls where its centre passes the edge."""
    car, rows = drive(speed=3.0), []
    for _ in range(800):
        for w, x in zip(("fl", "fr", "rl", "rr"), car.get("hub")[:, 0], strict=True):
            car.set(**{f"ground_{w}__point": [0.0, 0.0, -1.2 if x > 4.0 else 0.0]})
        car.run(0.005)
        rows.append([car.get("ground_clearance"), car.get("body_load")])
    clearance, load = np.array(rows).T
    assert -0.05 < clearance.min() < 0.0 and load.max() > MASS * G
    assert car.get("position")[0] > 8.0 and abs(car.get("pitch")) < 0.05
    assert car.get("ground_clearance") == pytest.approx(0.407, abs=0.01), "it stands on the lower ground"


def test_it_ends_with_a_sentence_where_a_loop_would_open(drive: Car) -> None:
    """Where neither rubber nor end stops hold the arms, and the ground does not hold the body."""
    car = drive(front_stop_bump=0.01, end_stop_stiffness=0.0, body_stiffness=1.0)
    car.set(external_force=[0.0, 0.0, -350e3])
    with pytest.raises(
        AssertionError,
        match=r"the suspension loops of the wheel f[lr] close.*an arm is beyond its travel.*hardpoints front_",
    ):
        car.run(2.0)


def test_a_start_that_is_not_found_as_loops_do_not_close_says_which_and_what_was_set(drive: Car) -> None:
    said = (
        r"no start value found for 'z': .* where the search begins guard 'the suspension loops of the wheel fl close' "
        r"failed at t = 0 s: the value -0\.\d+ must be above 0; .* check hardpoints front_\.\.\.; "
        r"not as the block declares them are front_lca_ball\[1\], front_lca_ball\[2\], front_lca_ball\[3\]"
    )
    with pytest.raises(FmuError, match=said):
        drive(front_lca_ball=[0.1, 0.9, 0.0])


def test_springs_that_push_an_arm_beyond_its_travel_are_refused(drive: Car) -> None:
    with pytest.raises(FmuError, match=r"no start value found|the suspension loops of the wheel"):
        drive(front_spring_free=0.7, end_stop_stiffness=0.0)
    held = drive(front_spring_free=0.7)
    assert held.get("damper_force")[:2].max() < -10e3, "end stops bear what those springs push"
