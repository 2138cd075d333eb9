"""Differentials: how they divide, what they cost, and on a vehicle what they are for."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks.vehicle.drivetrain.differential import Differential

Car = Callable[..., Any]
OPEN = [1.0, 1.0, 1.0]
SPLIT = [0.1, 0.8, 0.1, 0.8]  # ice on the left
torques, speeds, holds = st.floats(-2e3, 2e3), st.floats(-300.0, 300.0), st.floats(-1.0, 1.0)


def test_an_open_one_gives_both_shafts_half_of_the_torque_and_turns_with_their_mean() -> None:
    d = Differential(100.0, 2.73, (10.0, 30.0), bristle_torque=0.0)
    assert d.capacity == 0.0
    assert d.torques == pytest.approx((136.5, 136.5))
    assert d.speed == pytest.approx(2.73 * 20.0)


@pytest.mark.parametrize("torque", [100.0, -100.0])
def test_a_geared_one_gives_the_slower_shaft_twice_the_torque(torque: float) -> None:
    """Driving, the shaft that slips gets less; braking with the engine, the one that is slower gets more back."""
    most = float(Differential(torque, 2.73, (10.0, 30.0), bristle_torque=0.0, bias=2.0).capacity)
    slow, fast = Differential(torque, 2.73, (10.0, 30.0), bristle_torque=-most, bias=2.0).torques
    assert slow + fast == pytest.approx(2.73 * torque)
    assert (slow / fast if torque > 0.0 else fast / slow) == pytest.approx(2.0)


def test_a_clutch_moves_its_torque_whatever_is_driven() -> None:
    d = Differential(0.0, 2.73, (10.0, 30.0), bristle_torque=-100.0, lock=100.0)
    assert d.torques == pytest.approx((100.0, -100.0))
    assert float(d.rate) == pytest.approx(0.0, abs=1e-9), "it stays so"


@given(torques, st.tuples(speeds, speeds), holds, st.floats(0.0, 5e3), st.floats(1.0, 5.0), st.floats(0.0, 1.0))
def test_power_in_is_power_out_and_what_the_lock_takes(
    torque: float, turning: tuple[float, float], bristle_torque: float, lock: float, bias: float, share: float
) -> None:
    d = Differential(torque, 2.73, turning, 4e3 * bristle_torque, lock, bias, share)
    out = sum(T * w for T, w in zip(d.torques, turning, strict=True))
    taken = 4e3 * bristle_torque * (turning[0] - turning[1])
    scale = abs(torque) * 2.73 * 300.0 + 4e3 * 600.0
    assert torque * d.speed == pytest.approx(out + taken, abs=1e-12 * scale + 1e-12)


@given(torques, st.tuples(speeds, speeds), st.floats(0.0, 5e3), st.floats(1.0, 5.0))
def test_a_lock_that_slips_takes_power(torque: float, turning: tuple[float, float], lock: float, bias: float) -> None:
    """Its bristles come to lie against the slip, where they only take."""
    slip = turning[0] - turning[1]
    most = float(Differential(torque, 2.73, turning, 0.0, lock, bias).capacity)
    d = Differential(torque, 2.73, turning, most * float(np.sign(slip)), lock, bias)
    assert float(d.rate) == pytest.approx(0.0, abs=1e-9 * (1.0 + most)), "there they stay"
    assert d.bristle_torque * slip >= 0.0
    away = Differential(torque, 2.73, turning, 0.0, lock, bias)
    assert float(away.rate) * slip >= 0.0, "and there they go"


def driven(drive: Car, friction: list[float], **parameters: Any) -> tuple[Any, Any]:
    """A vehicle after 3 s with 600 N.m at the propeller shaft, and its last wheel speeds."""
    road = {f"ground_{w}__friction": mu for w, mu in zip(("fl", "fr", "rl", "rr"), friction, strict=True)}
    car = drive(**road, **parameters)
    car.run(0.2)
    car.set(propshaft_torque=600.0)
    car.run(3.0)
    return car, car.get("wheel_speed")


def test_on_a_split_road_open_differentials_spin_the_wheels_on_ice_and_locked_ones_pull_away(drive: Car) -> None:
    free, spinning = driven(drive, SPLIT, torque_bias=OPEN)
    assert (spinning[[0, 2]] > 10.0 * spinning[[1, 3]]).all()
    locked, turning = driven(drive, SPLIT, torque_bias=OPEN, lock_torque=[0.0, 5e3, 5e3])
    assert np.abs(turning[[0, 2]] - turning[[1, 3]]).max() < 0.02
    assert locked.get("velocity")[0] > 1.4 * free.get("velocity")[0]
    assert np.abs(locked.get("wheel_slip")[[1, 3]]).max() < 0.1
    geared, biased = driven(drive, SPLIT)
    assert free.get("velocity")[0] < geared.get("velocity")[0] < locked.get("velocity")[0]
    assert (biased[[0, 2]] > 2.0 * biased[[1, 3]]).all(), "on ice there is little that it could multiply"


def test_with_an_axle_on_ice_the_centre_lock_pulls_away(drive: Car) -> None:
    free, spinning = driven(drive, [0.1, 0.1, 0.8, 0.8])
    locked, turning = driven(drive, [0.1, 0.1, 0.8, 0.8], lock_torque=[2e3, 0.0, 0.0])
    assert spinning[:2].min() > 10.0 * spinning[2:].max()
    assert turning == pytest.approx(np.full(4, turning[0]), abs=0.02)
    assert locked.get("velocity")[0] > 1.4 * free.get("velocity")[0]


def test_all_locked_on_ice_at_the_step_of_diagrams_they_turn_as_one(drive: Car) -> None:
    """What is stiffest: no ground holds the wheels, and nothing but the locks."""
    _, turning = driven(drive, [0.1] * 4, lock_torque=[2e3, 5e3, 5e3])
    assert turning == pytest.approx(np.full(4, turning[0]), rel=1e-4)
    assert turning[0] > 100.0


def test_a_lock_may_be_taken_out_while_driving(drive: Car) -> None:
    car, before = driven(drive, SPLIT, torque_bias=OPEN, lock_torque=[0.0, 5e3, 5e3])
    car.set(lock_torque=0.0)
    car.run(2.0)
    turning = car.get("wheel_speed")
    assert np.abs(before[0] - before[1]) < 0.02
    assert (turning[[0, 2]] > 3.0 * turning[[1, 3]]).all()


@pytest.mark.parametrize("lock", [0.0, 5e3])
def test_a_locked_axle_pushes_straight_on_in_a_turn(drive: Car, lock: float) -> None:
    """Locked, the outer wheels are held back and the inner ones driven: a moment against the turn."""
    car = drive(speed=3.0, lock_torque=[0.0, lock, lock], torque_bias=OPEN)
    car.set(steering_wheel=6.0)
    car.run(3.0)
    inner, outer = car.get("force_x")[[0, 2]], car.get("force_x")[[1, 3]]
    difference = np.abs(car.get("wheel_speed")[[0, 2]] - car.get("wheel_speed")[[1, 3]])
    if lock:
        assert (inner - outer > 500.0).all()
        assert difference.max() < 0.05
    else:
        assert np.abs(inner - outer).max() < 100.0
        assert difference.min() > 0.5


def test_what_the_propeller_brings_becomes_energy_of_the_vehicle(drive: Car) -> None:
    """In free fall without dampers, where chassis, uprights and wheels turn against each other."""
    none = {f"{axle}_damping_{way}": 0.0 for axle in ("front", "rear") for way in ("compression", "rebound")}
    car = drive(speed=5.0, column_damping=0.0, torque_bias=OPEN, **none)
    car.ground(point=[0.0, 0.0, -100.0])
    car.run(0.01)
    before = car.get("kinetic_energy") + car.get("potential_energy")
    car.set(propshaft_torque=300.0)
    speed = [car.get("propshaft_speed"), *car.run(0.06, ["propshaft_speed"], h=0.001)["propshaft_speed"]]
    brought = 300.0 * np.trapezoid(speed, dx=0.001)
    after = car.get("kinetic_energy") + car.get("potential_energy")
    assert brought > 1000.0
    assert after - before == pytest.approx(brought, rel=1e-3)


def test_half_shafts_react_on_the_chassis_and_hubs_on_the_uprights(drive: Car) -> None:
    """In the air the pitch momentum that the wheels take is that which chassis and arms give."""
    car = drive()
    car.ground(point=[0.0, 0.0, -100.0])
    car.set(propshaft_torque=600.0)
    car.run(0.05)
    assert car.get("wheel_speed").min() > 2.0
    assert car.get("pitch_rate") < -0.01, "nose up, against the wheels"
    assert ca.DM(car.get("wheel_load")).is_zero()
