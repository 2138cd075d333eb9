"""The planar vehicle against closed forms, published figures and symmetries."""

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, fsolve

from drawbar.blocks.core.errors import DrawbarError
from drawbar.blocks.data import read
from drawbar.blocks.tires.axle_tire import AxleTire
from drawbar.blocks.vehicle.bodies.single_track import SingleTrack
from drawbar.fmus.backends.interpreted import InterpretedInstance

DATA = read("vehicles/hmmwv_planar.json")
TIRE = AxleTire(**{k: v for k, v in DATA["axle_tire"].items() if k != "meaning"})
LA, LB, MASS = DATA["cg_to_front_axle"], DATA["cg_to_rear_axle"], DATA["mass"]
L = LA + LB
CF, CR = -TIRE.slope(DATA["front_axle_load"]), -TIRE.slope(DATA["rear_axle_load"])
UNDERSTEER = MASS / L * (LB / CF - LA / CR)
G = 9.80665
STATIC = np.repeat([DATA["front_axle_load"] / 2, DATA["rear_axle_load"] / 2], 2)


@pytest.fixture
def car(bench: Any) -> Any:
    return bench(SingleTrack)


def steady(car: Any, u: float, steer: float) -> dict[str, float]:
    """The steady curve at a speed and steer, by root search on the lateral equations."""

    def rest(s: Any) -> list[float]:
        d = car.ode(u=u, v=s[0], yaw_rate=s[1], steer=steer)
        return [d["v"], d["yaw_rate"]]

    guess = [0.0, u * steer / (L + UNDERSTEER * u**2)]
    v, r = fsolve(rest, guess, xtol=1e-11)
    assert np.abs(rest([v, r])).max() < 1e-8
    return {"u": u, "v": float(v), "yaw_rate": float(r), "steer": steer}


def drive(car: Any, start: list[float], steer: float, h: float, time: float, acceleration: float = 0.0) -> Any:
    step, x = car.rk4(h), np.array(start, float)
    for _ in range(round(time / h)):
        x = step(x, np.array([steer, acceleration]))
    return x


def test_data_are_in_static_balance() -> None:
    front, rear = DATA["front_axle_load"], DATA["rear_axle_load"]
    assert front + rear == pytest.approx(MASS * 9.81, rel=1e-3)
    assert front * LA == pytest.approx(rear * LB, rel=0.015)


def test_side_force_opposes_side_slip(car: Any) -> None:
    assert car.out(u=15.0, v=0.5)["a_y"] < 0.0
    assert car.out(u=15.0, v=-0.5)["a_y"] > 0.0


def test_positive_steer_turns_left(car: Any) -> None:
    assert car.ode(u=15.0, steer=0.02)["yaw_rate"] > 0.0
    end = drive(car, [0, 0, 0, 15.0, 0, 0], 0.02, 1e-3, 2.0)
    assert end[1] > 1.0 and end[2] > 0.1


def test_left_curve_loads_the_right_wheels(car: Any) -> None:
    curve = steady(car, 15.0, 0.03)
    fl, fr, rl, rr = car.out(**curve)["wheel_load"]
    assert fl < fr and rl < rr


def test_straight_running_carries_the_static_loads(car: Any) -> None:
    assert car.out(u=15.0)["wheel_load"] == pytest.approx(STATIC, abs=1e-9)
    assert car.out(u=15.0)["a_y"] == 0.0


def test_braking_loads_the_front_axle(car: Any) -> None:
    loads = car.out(u=15.0, acceleration=-2.0)["wheel_load"]
    assert loads - STATIC == pytest.approx([806.0, 806.0, -806.0, -806.0])  # 2 m/s2 of 806 N/(m/s2), on two wheels


@pytest.mark.parametrize("u", [5.0, 10.0, 15.0, 20.0, 25.0])
def test_yaw_gain_of_the_linear_vehicle(car: Any, u: float) -> None:
    curve = steady(car, u, 1e-4)
    assert curve["yaw_rate"] / 1e-4 == pytest.approx(u / (L + UNDERSTEER * u**2), rel=1e-4)


def test_understeer_gradient(car: Any) -> None:
    u, steer = 20.0, 1e-3
    curve = steady(car, u, steer)
    a_y = car.out(**curve)["a_y"]
    gradient = (steer - L * curve["yaw_rate"] / u) / a_y
    assert gradient == pytest.approx(UNDERSTEER, rel=0.05)
    assert math.degrees(gradient) * G == pytest.approx(0.14, abs=0.015)  # deg/g, published from the listed stiffness


def least_load(car: Any, u: float, steer: float) -> float:
    return float(min(car.out(**steady(car, u, steer))["wheel_load"]))


@pytest.mark.parametrize(
    ("u", "degrees"),
    list(
        zip(
            (8, 10, 12.5, 15, 17, 20, 22.5, 25, 27.5, 29),
            (14.38, 9.57, 6.42, 4.70, 3.78, 2.92, 2.46, 2.12, 1.89, 1.78),
            strict=True,
        )
    ),
)
def test_largest_steady_steer_without_lifting_a_wheel(car: Any, u: float, degrees: float) -> None:
    """The quasi-static table of the planner's safety limit: every wheel carries at least 1000 N."""
    low, high = 0.8 * math.radians(degrees), 1.1 * math.radians(degrees)
    steer = brentq(lambda steer: least_load(car, u, steer) - 1000.0, low, high, xtol=1e-6)
    assert math.degrees(steer) == pytest.approx(degrees, rel=0.02)


def test_at_walking_pace_the_steering_stop_comes_first(car: Any) -> None:
    assert least_load(car, 5.0, math.radians(30.0)) > 1000.0 > least_load(car, 5.0, math.radians(33.0))


@pytest.mark.parametrize(("g", "front", "rear"), [(0.5, 0.52, 0.17), (0.6, 0.42, 0.00)])
def test_wheel_load_ratios(car: Any, g: float, front: float, rear: float) -> None:
    v = brentq(lambda v: car.out(u=15.0, v=v)["a_y"] - g * G, -6.0, 0.0)
    ratio = car.out(u=15.0, v=v)["wheel_load"] / STATIC
    assert ratio == pytest.approx([front, 2 - front, rear, 2 - rear], abs=0.006)


def test_a_lifted_wheel_carries_nothing_and_its_axle_everything(car: Any) -> None:
    v = brentq(lambda v: car.out(u=15.0, v=v)["a_y"] - 6.2, -9.0, 0.0)
    fl, fr, rl, rr = car.out(u=15.0, v=v)["wheel_load"]
    assert rl == 0.0 and rr == pytest.approx(DATA["rear_axle_load"])
    assert fl > 0.0 and fl + fr == pytest.approx(DATA["front_axle_load"])


@pytest.mark.parametrize(
    ("u", "most", "least"),
    list(
        zip(
            (0.01, 5, 10, 15, 20, 25, 29, 40),
            (3.08, 2.15, 1.56, 1.20, 0.98, 0.81, 0.64, 0.64),
            (-3.56, -4.01, -4.22, -4.29, -4.34, -4.45, -4.67, -4.67),
            strict=True,
        )
    ),
)
def test_acceleration_envelope(car: Any, u: float, most: float, least: float) -> None:
    assert car.ode(u=u, acceleration=99.0)["u"] == pytest.approx(most, abs=0.006)
    assert car.ode(u=u, acceleration=-99.0)["u"] == pytest.approx(least, abs=0.006)
    assert car.ode(u=u, acceleration=0.25)["u"] == 0.25


def test_braking_ends_at_standstill(car: Any) -> None:
    end = drive(car, [0, 0, 0, 5.0, 0, 0], 0.0, 1e-3, 3.0, acceleration=-9.0)
    assert end[3] == pytest.approx(0.0, abs=5e-3)
    assert end[0] == pytest.approx(25.0 / 2 / 3.8, rel=0.05)  # stopping distance at about 3.8 m/s2


def test_steered_wheels_do_not_push_a_standing_vehicle(car: Any) -> None:
    assert drive(car, [0, 0, 0, 0, 0, 0], 0.4, 1e-3, 1.0) == pytest.approx(np.zeros(6), abs=0.0)


speeds = st.floats(-2.0, 40.0)


@settings(deadline=None)
@given(speeds, st.floats(-15, 15), st.floats(-4, 4), st.floats(-0.6, 0.6), st.floats(-20, 20))
def test_finite_and_within_bounds_everywhere(u: float, v: float, r: float, steer: float, a: float) -> None:
    model = SingleTrack.model()
    p = model.start()[: model.sizes()[0]]
    x, inputs, none = np.array([0, 0, 0, u, v, r]), np.array([steer, a]), np.zeros(0)
    assert np.isfinite(np.asarray(model.ode(0, x, none, inputs, p))).all()
    y = np.asarray(model.out(0, x, none, inputs, p)).ravel()
    assert np.isfinite(y).all() and (y[1:] >= 0.0).all()
    assert y[1:].sum() == pytest.approx(DATA["front_axle_load"] + DATA["rear_axle_load"])


@pytest.mark.parametrize("angle", [0.7, -2.5])
def test_turning_the_start_turns_the_path(car: Any, angle: float) -> None:
    plain = drive(car, [0, 0, 0, 15.0, 0, 0], 0.04, 1e-3, 3.0)
    turned = drive(car, [0, 0, angle, 15.0, 0, 0], 0.04, 1e-3, 3.0)
    c, s = math.cos(angle), math.sin(angle)
    assert turned[:2] == pytest.approx([c * plain[0] - s * plain[1], s * plain[0] + c * plain[1]], abs=1e-9)
    assert turned[2] == pytest.approx(plain[2] + angle, abs=1e-12)
    assert turned[3:] == pytest.approx(plain[3:], abs=1e-12)


def test_mirrored_steer_mirrors_the_path(car: Any) -> None:
    left = drive(car, [0, 0, 0, 15.0, 0, 0], 0.04, 1e-3, 3.0)
    right = drive(car, [0, 0, 0, 15.0, 0, 0], -0.04, 1e-3, 3.0)
    assert right == pytest.approx(left * [1, -1, -1, 1, -1, -1], abs=1e-12)
    mirrored = car.out(u=15.0, v=0.3, yaw_rate=-0.2, steer=-0.04)
    assert mirrored["wheel_load"][[1, 0, 3, 2]] == pytest.approx(
        car.out(u=15.0, v=-0.3, yaw_rate=0.2, steer=0.04)["wheel_load"]
    )


def test_lateral_energy_only_falls_without_steer(car: Any) -> None:
    """The tires of a straight-ahead vehicle take energy from sideways and yaw motion, seen across one second each."""
    x, step, energy = np.array([0, 0, 0, 15.0, 1.0, 0.5]), car.rk4(1e-3), []
    for k in range(3001):
        if k % 1000 == 0:
            energy.append(MASS * x[4] ** 2 + DATA["yaw_inertia"] * x[5] ** 2)
        x = step(x, np.zeros(2))
    assert (np.diff(energy) < 0).all() and energy[-1] < 1e-4 * energy[0]


def test_fourth_order_convergence(car: Any) -> None:
    start = [0, 0, 0, 15.0, 0.2, 0.1]
    exact = drive(car, start, 0.04, 5e-4, 1.6)
    coarse, fine = (np.abs(drive(car, start, 0.04, h, 1.6) - exact).max() for h in (0.02, 0.01))
    assert math.log2(coarse / fine) == pytest.approx(4.0, abs=0.15)


def test_ports_kept_by_every_vehicle() -> None:
    interface = SingleTrack.interface()
    assert {p.name for p in interface.of("input")} == {"steer", "acceleration"}
    assert {p.name: p.size for p in interface.of("output")} == dict.fromkeys(
        ("x", "y", "yaw", "u", "v", "yaw_rate", "a_y"), 1
    ) | {"wheel_load": 4}
    assert interface.feedthrough["x"] == () and "steer" in interface.feedthrough["a_y"]


@pytest.mark.parametrize(
    ("starts", "message"),
    [
        ({"u": -1.0}, "the forward speed is not negative"),
        ({"mass": 4000.0}, "the axle loads differ from the weight by at most 5 %"),
        ({"front_load": 0.0}, "the axle loads differ from the weight by at most 5 %"),
    ],
)
def test_what_it_cannot_represent_ends_the_run(starts: dict[str, float], message: str) -> None:
    """It would slide as if it drove forwards, or steer like a lighter vehicle."""
    car = InterpretedInstance(SingleTrack, "car")
    with pytest.raises(DrawbarError, match=re.escape(message)):
        car.initialize(0.0, starts)
        car.start()


def test_braking_to_standstill_is_represented() -> None:
    """Negative control: the last micro-step of braking ends a little below zero."""
    car = InterpretedInstance(SingleTrack, "car")
    car.initialize(0.0, {"u": 1.0, "acceleration": -9.0})
    car.start()
    step = car.stepper()
    for k in range(300):
        assert step(k * 0.01, 0.01) == 0, car.messages()
    assert car.get(["u"])[0] == pytest.approx(0.0, abs=0.01)
