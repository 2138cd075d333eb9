"""The rover in the plane: loads, symmetry, circles, rest. The paper gives no rover to compare with."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.core.errors import DrawbarError
from drawbar.blocks.terrain.soil.soil_stress import Shear, SoilStress
from drawbar.blocks.terrain.soil.soils import soil
from drawbar.blocks.terrain.soil.tbf import TBF, entry_angle
from drawbar.blocks.vehicle.rover.planar_rover import PlanarRover
from drawbar.fmus.backends.instance import Instance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.export.package import build
from drawbar.fmus.toolchain.compilers import find_compiler

H = 0.01
WHEELS = ("fl", "fr", "rl", "rr")
MEMBERS = ("cohesion", "friction_angle", "shear_modulus", "sinkage_exponent", "k_c", "k_phi")
WEIGHT = 18.0 * 9.80665
ARRAYS = ("wheel_load", "slip", "slip_angle", "sinkage", "torque")
Drive = Callable[..., dict[str, Any]]


def four(value: Any) -> list[float]:
    return [float(v) for v in np.broadcast_to(value, 4)]


@pytest.fixture(scope="module")
def make() -> Callable[[], Instance]:
    """One after the other, compiled once where there is a compiler."""
    if find_compiler() is None:
        return lambda: InterpretedInstance(PlanarRover, "rover")
    built = build(PlanarRover)
    return lambda: open_fmu(built, "rover")


@pytest.fixture
def drive(make: Callable[[], Instance]) -> Iterator[Drive]:
    """Where the rover is after some seconds with these angles and speeds of its wheels."""
    made: list[Instance] = []

    def run(
        speed: float | Sequence[float] = 2.0,
        steer: float | Sequence[float] = 0.0,
        on: str = "tbf_sandy_loam",
        seconds: float = 6.0,
        **starts: float,
    ) -> dict[str, Any]:
        rover = make()
        made.append(rover)
        values: dict[str, float] = {f"ground_{w}.{m}": getattr(soil(on), m) for w in WHEELS for m in MEMBERS}
        values |= {f"wheel_speed[{i}]": v for i, v in enumerate(four(speed), start=1)}
        values |= {f"steer[{i}]": v for i, v in enumerate(four(steer), start=1)}
        rover.initialize(0.0, values | starts)
        rover.start()
        step = rover.stepper()
        for k in range(round(seconds / H)):
            assert step(k * H, H) == 0, rover.messages()
        found = {name: np.array(rover.get([f"{name}[{i}]" for i in (1, 2, 3, 4)])) for name in ARRAYS}
        found |= {name: np.array(rover.get([f"{name}[{i}]" for i in (1, 2)])) for name in ("position", "velocity")}
        return found | {name: rover.get([name])[0] for name in ("yaw", "yaw_rate", "power")}

    yield run
    for rover in made:
        rover.close()


def test_straight_ahead_each_wheel_slips_until_it_carries_itself(drive: Drive) -> None:
    """The slip at which the formula gives no force along, found here by trial."""
    found = drive()
    given = soil("tbf_sandy_loam")
    under = SoilStress(given.sinkage_exponent, *(getattr(given, m) for m in ("k_c", "k_phi", *MEMBERS[:3])))
    wheel = TBF(0.075, 0.08, 0.005, 0.1)
    s = float(found["slip"][0])
    theta = entry_angle(wheel, under, Shear(s, 0.0), WEIGHT / 4.0)
    force = wheel.contact_forces(under, theta, Shear(s, 0.0))
    assert found["slip"] == pytest.approx(four(s), abs=1e-9)
    assert float(force.F_x) == pytest.approx(0.0, abs=1e-3)
    assert found["velocity"] == pytest.approx([2.0 * 0.085 * (1.0 - s), 0.0], abs=1e-6)
    assert found["torque"] == pytest.approx(four(-float(force.M_y)), rel=1e-4)
    assert found["power"] == pytest.approx(found["torque"].sum() * 2.0)
    assert found["wheel_load"] == pytest.approx(four(WEIGHT / 4.0))


@pytest.mark.parametrize("on", ["tbf_dry_sand", "tbf_sandy_loam", "tbf_clayey_soil"])
def test_a_circle_is_wider_than_without_slip(drive: Drive, on: str) -> None:
    """Front wheels at 0.3 rad; wheels that do not slip would go round on 0.5 m/tan 0.3."""
    found = drive(steer=[0.3, 0.3, 0.0, 0.0], on=on)
    radius = np.hypot(*found["velocity"]) / found["yaw_rate"]
    assert 1.05 * 0.5 / np.tan(0.3) < radius < 2.0 * 0.5 / np.tan(0.3)
    assert found["slip"][0] > found["slip"][1], "the inner wheels go a shorter way"
    assert found["slip_angle"][:2].sum() > 0.0 > found["slip_angle"][2:].sum(), "the front is pushed to its left"


def test_left_and_right_are_mirrors(drive: Drive) -> None:
    left, right = (drive(steer=[a, a, 0.0, 0.0]) for a in (0.3, -0.3))
    assert right["yaw"] == pytest.approx(-left["yaw"])
    assert right["position"] == pytest.approx(left["position"] * [1, -1])
    assert right["slip"] == pytest.approx(left["slip"][[1, 0, 3, 2]])


def test_backwards_is_a_mirror_of_forwards(drive: Drive) -> None:
    ahead, back = drive(2.0), drive(-2.0)
    assert back["position"] == pytest.approx(-ahead["position"], abs=1e-12)
    assert back["slip"] == pytest.approx(-ahead["slip"])
    assert back["power"] == pytest.approx(ahead["power"])


def test_wheels_against_each_other_turn_it_in_place(drive: Drive) -> None:
    found = drive([-2.0, 2.0, -2.0, 2.0])
    assert found["yaw_rate"] > 0.05
    assert np.hypot(*found["position"]) < 1e-6
    assert found["power"] > 0.0


def test_with_locked_wheels_it_stops_and_stays(drive: Drive) -> None:
    """From 0.3 m/s, within what the soil's strength allows, with no creep after."""
    early, late = (drive(0.0, seconds=t, **{"v[1]": 0.3, "v[2]": 0.1}) for t in (3.0, 13.0))
    assert 0.0 < early["position"][0] < 0.03
    assert np.hypot(*(late["position"] - early["position"])) / 10.0 < 1e-5
    assert np.hypot(*late["velocity"]) < 1e-6


@pytest.mark.parametrize(
    ("tilted", "message"),
    [
        ({"normal[1]": -0.02, "normal[3]": 0.9998}, "the slope of the ground is within 0.01"),
        ({"normal[2]": 0.02, "normal[3]": 0.9998}, "the slope of the ground is within 0.01"),
        ({"point[3]": 0.02}, "of one height, within 0.01 m"),
        ({"k_c": 0.0, "k_phi": 0.0}, "there is soil under the wheel rr"),
        ({"k_c": 0.0, "k_phi": 1.0}, "the wheel rr does not sink to its axle"),
    ],
)
def test_a_ground_that_it_cannot_represent_ends_the_run(
    make: Callable[[], Instance], tilted: dict[str, float], message: str
) -> None:
    """Under one wheel; it would drive on as on level soil."""
    rover = make()
    soils = {f"ground_{w}.{m}": getattr(soil("tbf_sandy_loam"), m) for w in WHEELS for m in MEMBERS}
    with pytest.raises(DrawbarError, match=re.escape(message)):
        rover.initialize(0.0, soils | {f"ground_rr.{name}": value for name, value in tilted.items()})
        rover.start()
    rover.close()


def test_a_level_that_is_rounded_is_level(drive: Drive) -> None:
    """Negative control: half a percent of slope, a step of 2 mm, and a plane far above the world's origin."""
    plane = {f"ground_{w}.normal[1]": -0.005 for w in WHEELS} | {f"ground_{w}.point[3]": 50.0 for w in WHEELS}
    plane["ground_fl.point[3]"] = 50.002
    assert drive(seconds=0.1, **plane)["wheel_load"].sum() == pytest.approx(WEIGHT)


def test_loads_follow_the_acceleration(bench: Any) -> None:
    """What the front loses, m h a/L in all, the rear gains; so do the sides by m h a/T."""
    rover = bench(PlanarRover)
    ahead, left = rover.out(a=[2.0, 0.0])["wheel_load"], rover.out(a=[0.0, 1.0])["wheel_load"]
    moved = 18.0 * 0.15 * 2.0 / 0.5 / 2.0
    assert ahead == pytest.approx(WEIGHT / 4.0 + moved * np.array([-1, -1, 1, 1]))
    aside = 18.0 * 0.15 * 1.0 / 0.4 / 2.0
    assert left == pytest.approx(WEIGHT / 4.0 + aside * np.array([-1, 1, -1, 1]))
    uneven = bench(PlanarRover, front_arm=0.1, rear_arm=0.4).out()["wheel_load"]
    assert uneven == pytest.approx(WEIGHT * np.array([0.4, 0.4, 0.1, 0.1]))
