"""The HMMWV on the road: signs, symmetry, braking, stops, lifted wheels, steady circle, order of integration."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.fmus.backends.interpreted import InterpretedInstance

G = 9.80665
MASS = 2573.138
WHEELBASE = 3.302
Car = Callable[..., Any]


def hold_speed(car: Any, speed: float, seconds: float) -> None:
    """Drive torque in proportion to what is missing."""
    for _ in range(round(seconds / 0.02)):
        car.set(drive=MASS * 0.45 / 4 * 4.0 * (speed - car.get("velocity")[0]))
        car.run(0.02)


def test_a_step_of_steering_to_the_left(drive: Car) -> None:
    car = drive(speed=15.0)
    before = car.get("wheel_load")
    car.set(steering_wheel=1.5)
    car.run(2.0)
    more = car.get("wheel_load") - before
    assert car.get("yaw_rate") > 0.1
    assert car.get("a")[1] > 1.5
    assert car.get("roll") > 0.01, "it leans to the right"
    assert (more[[1, 3]] > 500.0).all(), "on the wheels to the right"
    assert (more[[0, 2]] < -500.0).all()
    assert (car.get("wheel_steer")[:2] > 0.03).all()
    assert (car.get("force_y") > 0.0).all()
    assert (car.get("slip_angle")[:2] > 0.0).all(), "front tires move to their right"
    assert car.get("position")[1] > 1.0


def test_right_mirrors_left(drive: Car) -> None:
    """Without the Pitman arm, the only part that has no counterpart."""
    names = ["yaw_rate", "roll", "a", "position", "wheel_load", "wheel_steer"]
    alike = {"speed": 15.0, "pitman_mass": 0.0, "pitman_inertia": 0.0}
    left, right = drive(**alike), drive(**alike)
    left.set(steering_wheel=1.5)
    right.set(steering_wheel=-1.5)
    a, b = left.run(2.0, names), right.run(2.0, names)
    for name in ("yaw_rate", "roll"):
        np.testing.assert_allclose(a[name], -b[name], atol=1e-12)
    for name in ("a", "position"):
        np.testing.assert_allclose(a[name], b[name] * [1, -1, 1], atol=1e-10)
    np.testing.assert_allclose(a["wheel_load"], b["wheel_load"][:, [1, 0, 3, 2]], atol=1e-7)
    np.testing.assert_allclose(a["wheel_steer"], -b["wheel_steer"][:, [1, 0, 3, 2]], atol=1e-12)
    assert np.ptp(a["roll"]) > 0.01


def test_the_pitman_arm_breaks_the_symmetry_a_little(drive: Car) -> None:
    """Negative control."""
    left, right = drive(speed=15.0, steering_wheel=1.5), drive(speed=15.0, steering_wheel=-1.5)
    left.run(0.5)
    right.run(0.5)
    assert 1e-7 < abs(left.get("roll") + right.get("roll")) < 1e-3


def test_steady_circle(drive: Car) -> None:
    """Roll gradient and understeer of these data, in the linear range; 7.4 to 8.2 deg/g are published."""
    steer, lateral, roll = [], [], []
    for wheel in (0.6, 1.2):
        car = drive(speed=15.0, steering_wheel=wheel)
        hold_speed(car, 15.0, 6.0)
        mean = car.get("wheel_steer")
        radius = car.get("velocity")[0] / car.get("yaw_rate")
        lateral.append(car.get("a")[1] / G)
        assert lateral[-1] == pytest.approx(car.get("velocity")[0] ** 2 / radius / G, rel=0.01)
        steer.append(np.degrees(mean[:2].mean() - WHEELBASE / radius))
        roll.append(np.degrees(car.get("roll")))
    assert np.diff(roll) / np.diff(lateral) == pytest.approx([7.95], abs=0.15)
    assert np.diff(steer) / np.diff(lateral) == pytest.approx([1.6], abs=0.4)


def j_turn(drive: Car, **starts: Any) -> Any:
    """The steering wheel turned by 7 rad in 0.25 s at 14 m/s on a road with more grip than asphalt."""
    car = drive(speed=14.0, **starts, **{f"ground_{w}__friction": 1.2 for w in ("fl", "fr", "rl", "rr")})
    for k in range(1, 51):
        car.set(steering_wheel=7.0 * k / 50)
        car.run(0.005)
    return car.run(3.0, ["roll", "wheel_load"])


def test_in_a_j_turn_with_much_grip_it_rolls_over_and_comes_to_rest_on_its_roof(drive: Car) -> None:
    """Nothing pushes it, so its energy only falls; at the end the ground bears its weight under the body alone."""
    car = drive(speed=14.0, **{f"ground_{w}__friction": 1.2 for w in ("fl", "fr", "rl", "rr")})
    for k in range(1, 51):
        car.set(steering_wheel=7.0 * k / 50)
        car.run(0.005)
    names = ["roll", "tilt_cosine", "kinetic_energy", "potential_energy", "body_load", "wheel_load", "velocity"]
    run = car.run(7.0, names)
    assert np.diff(run["kinetic_energy"] + run["potential_energy"]).max() < 1e-3
    over = run["tilt_cosine"] < 0.3
    assert not over[:200].any() and over[-1000:].all()
    assert np.abs(run["roll"][-1]) > 2.5
    assert run["body_load"][-1] == pytest.approx(MASS * G, rel=1e-3)
    assert (run["wheel_load"][-1] == 0.0).all()
    assert np.abs(run["velocity"][-1]).max() < 0.02
    assert (run["body_load"][: np.flatnonzero(over)[0]] == 0.0).all(), "on its wheels no point touches"


def test_with_the_low_mass_of_the_multibody_source_it_slides(drive: Car) -> None:
    """Negative control: the preset `hmmwv_chrono`."""
    low = {"chassis_com": [0.056, 0.0, 0.213], "front_spring_free": 0.339}
    run = j_turn(drive, rear_spring_rate=369149.0, rear_spring_free=0.382, **low)
    assert np.abs(run["roll"]).max() < np.radians(8.0)


def test_roll_stiffness_under_a_moment_is_that_of_springs_and_tires(drive: Car) -> None:
    """Springs and tires in series, less the moment of the weight, whose centre is 0.42 m above the chassis origin."""
    springs, tires = (0.5 * np.array(c) * 1.808**2 for c in ([31513.0, 56913.0], [326332.0] * 2))
    wanted = (1.0 / (1.0 / springs + 1.0 / tires)).sum() - MASS * G * 0.42
    car = drive(speed=10.0)
    car.set(external_moment=[2000.0, 0.0, 0.0])
    car.run(2.0)
    assert 2000.0 / car.get("roll") == pytest.approx(wanted, rel=0.08)


def test_an_anti_roll_bar_stiffens_its_axle_in_roll_and_takes_load(drive: Car) -> None:
    """Against a moment: k_a (track/(dz/dq))^2 at the wheels, in series with the tires; 0.491 m/rad on the rig."""
    k, track, lever = 40e3, 1.808, 0.4911
    springs, tires = (0.5 * np.array(c) * track**2 for c in ([31513.0, 56913.0], [326332.0] * 2))
    bar = np.array([k * (track / lever) ** 2, 0.0])
    plain, barred = (1.0 / (1.0 / s + 1.0 / tires) for s in (springs, springs + bar))
    rolls, shares = [], []
    for bars in ({}, {"front_anti_roll": k}):
        car = drive(speed=10.0, **bars)
        before = car.get("wheel_load")
        car.set(external_moment=[2000.0, 0.0, 0.0])
        car.run(2.0)
        moved = (car.get("wheel_load") - before) @ np.array([[-0.5, 0], [0.5, 0], [0, -0.5], [0, 0.5]])
        rolls.append(car.get("roll"))
        shares.append(moved[0] / moved.sum())
    assert 2000.0 / rolls[1] - 2000.0 / rolls[0] == pytest.approx(barred.sum() - plain.sum(), rel=0.05)
    assert shares[0] == pytest.approx(plain[0] / plain.sum(), abs=0.02)
    assert shares[1] == pytest.approx(barred[0] / barred.sum(), abs=0.02)


def test_locked_wheels_slide_at_the_friction_of_full_slide(drive: Car) -> None:
    car = drive(speed=25.0)
    before = car.get("wheel_load")
    car.set(brake=8000.0)
    car.run(1.0)
    run = car.run(0.5, ["a", "wheel_load", "pitch", "wheel_speed", "wheel_slip"])
    assert run["a"][:, 0].mean() == pytest.approx(-0.5568 * G, rel=0.02)
    more = run["wheel_load"].mean(axis=0) - before
    assert more[:2].sum() == pytest.approx(MASS * 0.5568 * G * 0.92 / WHEELBASE, rel=0.05)
    assert more[2:].sum() == pytest.approx(-more[:2].sum(), rel=0.02)
    assert (run["pitch"] > car_pitch_at_rest(drive)).all(), "nose down"
    assert np.abs(run["wheel_speed"]).max() < 0.2
    assert run["wheel_slip"][-1] == pytest.approx([-1.0] * 4, abs=0.01)


def car_pitch_at_rest(drive: Car) -> float:
    return float(drive().get("pitch"))


def test_gentle_braking_is_what_the_brakes_say(drive: Car) -> None:
    car = drive(speed=20.0)
    car.set(brake=500.0)
    car.run(1.5)
    mass = MASS + 4 * 8.2 / 0.45**2
    wanted = -(4 * 500.0 / 0.45 + 0.015 * MASS * G) / mass
    assert np.mean(car.run(0.5, ["a"])["a"][:, 0]) == pytest.approx(wanted, rel=0.03)


def test_it_comes_to_rest_and_stays(drive: Car) -> None:
    """After a full stop it rocks on tires that are soft along (97 kN/m each), and is still within three seconds."""
    car = drive(speed=3.0)
    car.set(brake=3000.0)
    stop = car.run(4.0, ["velocity"])["velocity"][:, 0]
    assert stop.min() > -0.8
    place = car.get("position")
    run = car.run(5.0, ["velocity", "wheel_load", "a"])
    assert np.abs(run["velocity"]).max() < 1e-3
    assert np.abs(run["velocity"][-1]).max() < 1e-8
    assert np.abs(run["a"][-1]).max() < 1e-6
    assert np.ptp(run["wheel_load"][-100:], axis=0).max() < 1e-3, "no chatter"
    assert car.get("position") == pytest.approx(place, abs=1e-4)


def test_drive_torque_pushes_forwards_and_backwards(drive: Car) -> None:
    for sign in (1.0, -1.0):
        car = drive()
        car.set(drive=sign * 400.0)
        car.run(2.0)
        mass = MASS + 4 * 8.2 / 0.45**2
        wanted = sign * (4 * 400.0 / 0.45 - 0.015 * MASS * G) / mass
        assert car.get("a")[0] == pytest.approx(wanted, rel=0.05)
        assert sign * car.get("velocity")[0] > 1.0
        assert (sign * car.get("wheel_slip") > 0.0).all()


def test_backwards_it_turns_to_the_other_side(drive: Car) -> None:
    car = drive(speed=-4.0, steering_wheel=3.0)
    car.run(1.0)
    assert car.get("velocity")[0] < -3.0
    assert car.get("yaw_rate") < -0.05


def test_a_heading_turns_everything(drive: Car) -> None:
    """Towards the north: outputs along the vehicle are the same, positions are turned."""
    east, north = drive(speed=15.0), drive(speed=15.0, heading=np.pi / 2)
    for car in (east, north):
        car.set(steering_wheel=1.0)
        car.run(1.5)
    assert north.get("yaw") - np.pi / 2 == pytest.approx(east.get("yaw"), abs=1e-9)
    assert north.get("a") == pytest.approx(east.get("a"), abs=1e-8)
    x, y = east.get("position")[:2]
    assert north.get("position")[:2] == pytest.approx([-y, x], abs=1e-8)


def test_wheels_may_leave_the_ground(drive: Car) -> None:
    car = drive(speed=15.0)
    car.set(external_moment=[22e3, 0.0, 0.0])
    run = car.run(0.6, ["wheel_load", "roll"])
    assert run["wheel_load"][-1, [0, 2]].tolist() == [0.0, 0.0]
    assert run["wheel_load"][-1].sum() == pytest.approx(MASS * G, rel=0.2)
    car.set(external_moment=[0.0, 0.0, 0.0])
    car.run(4.0)
    assert (car.get("wheel_load") > 5000.0).all(), "and come back"


def test_over_a_hole_a_wheel_hangs_in_the_air(drive: Car) -> None:
    car = drive(speed=20.0)
    car.set(ground_fl__point=[0.0, 0.0, -1.0])
    car.run(0.5)
    assert car.get("wheel_load")[0] == 0.0
    assert car.get("hub")[0, 2] < 0.44
    assert car.get("force_x")[0] == car.get("force_y")[0] == 0.0


class Coarse(HmmwvVehicle, method="rk4", step=0.1):
    """The vehicle with micro-steps as long as the communication steps."""


def end(h: float) -> Any:
    """Where it is after 0.48 s of acceleration from an unbalanced start, with dampers that have one slope."""
    car = InterpretedInstance(Coarse, "car")
    dampers = {f"front_damping_{k}": 1.5e4 for k in ("compression", "rebound")}
    dampers |= {f"rear_damping_{k}": 3e4 for k in ("compression", "rebound")}
    car.initialize(0.0, {"speed": 10.0, "steering_wheel": 0.5, **dampers})
    car.start()
    car.set({"external_force[3]": -3000.0, **{f"drive[{i}]": 600.0 for i in range(1, 5)}})
    step = car.stepper()
    for k in range(round(0.48 / h)):
        assert step(k * h, h) == 0
    names = ["position[1]", "position[2]", "position[3]", "velocity[1]", "velocity[2]", "velocity[3]", "roll", "pitch"]
    return np.array(car.get(names))


def test_rk4_converges_at_its_order() -> None:
    rough, half, fine = (end(h) for h in (8e-3, 4e-3, 2e-3))
    errors = [np.abs(a - b).max() for a, b in ((rough, half), (half, fine))]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.4)
    assert errors[1] < 1e-5, "m, m/s: the step that comes with it is far within what RK4 needs"
