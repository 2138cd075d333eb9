"""A vehicle that starts parked on a slope stands there as it does after a while; one without brakes begins to roll."""

from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks import Continuous
from drawbar.blocks.data.default_vehicle import SPIN_INERTIA, TIRE, TOTAL_MASS
from drawbar.blocks.terrain.ground.flat_road import FlatRoad
from drawbar.blocks.terrain.ground.flat_soil import FlatSoil
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.tires.support import MIN_NORMAL_Z, tangential_ratio
from drawbar.blocks.tires.surface_tire import SurfaceTire
from drawbar.blocks.tires.wheel import Wheel
from drawbar.blocks.vehicle.bodies.simple_body import SimpleBody
from drawbar.blocks.vehicle.hmmwv.hmmwv_body import HmmwvBody
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.diagrams import Diagram
from drawbar.fmus.toolchain.compilers import find_compiler
from drawbar.orchestrator.simulate import simulate

G = 9.80665
WHEELS = ("fl", "fr", "rl", "rr")
HELD = 5000.0  # N m
ROLLING = TIRE["rolling_resistance"]
SLOPES = {"grade": {"grade": 0.3}, "side slope": {"bank": 0.3}}


class Slope:
    """A run on a plane road, of a vehicle as one unit or in parts."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._runs = folder, 0

    def __call__(
        self,
        car: type[Continuous],
        road: dict[str, float],
        *,
        brake: float,
        stop: float,
        tire: type[Wheel] = FialaTire,
        change: list[str] | None = None,
        surface: dict[str, float] | None = None,
        **starts: Any,
    ) -> Any:
        d = Diagram("parked", step=2e-3 if tire is SurfaceTire else 5e-3, stop=stop)
        ground = d.add("road", FlatSoil if surface else FlatRoad, **road | (surface or {}))
        whole = car is HmmwvVehicle
        body = d.add("car", car, **starts | ({"brake": brake} if whole else {}))
        for w in WHEELS:
            wheel = body if whole else d.add(f"wheel_{w}", tire, brake=brake)
            d.connect(getattr(ground, f"ground_{w}"), getattr(wheel, f"ground_{w}" if whole else "ground"))
            if not whole:
                d.connect(getattr(body, f"hub_{w}"), wheel.hub)
        self._runs += 1
        backend = "interpreted" if find_compiler() is None else "native"
        return simulate(d, out=self._folder / str(self._runs), backend=backend, changes=change or [])


def loads(run: Any) -> Any:
    """Of the wheels, a row for each time."""
    parts = [f"wheel_{w}.load" for w in WHEELS]
    return np.column_stack([run[name] for name in parts]) if parts[0] in run else run["car.wheel_load"]


@pytest.fixture
def slope(tmp_path: Path) -> Slope:
    return Slope(tmp_path)


CARS = pytest.mark.parametrize("car", [HmmwvVehicle, HmmwvBody, SimpleBody])


@CARS
@pytest.mark.parametrize("road", SLOPES.values(), ids=SLOPES)
def test_it_starts_parked_as_it_stands_after_ten_seconds(
    slope: Slope, car: type[Continuous], road: dict[str, float]
) -> None:
    run = slope(car, road, brake=HELD, stop=10.0)
    load, place = loads(run), run["car.position"]
    assert load[0] == pytest.approx(load[-1], rel=0.01)
    assert load[0].sum() == pytest.approx(TOTAL_MASS * G / np.hypot(1.0, 0.3), rel=1e-3)
    for name in ("car.roll", "car.pitch"):
        assert np.ravel(run[name])[0] == pytest.approx(np.ravel(run[name])[-1], abs=0.003), name
    assert np.linalg.norm(run["car.a"][0]) < 0.05
    assert np.linalg.norm(place - place[0], axis=1).max() < 1e-3
    assert np.abs(run["car.velocity"][-1]).max() < 1e-6


@pytest.mark.parametrize("road", SLOPES.values(), ids=SLOPES)
def test_tires_by_the_surface_hold_it_from_the_start_too(slope: Slope, road: dict[str, float]) -> None:
    run = slope(SimpleBody, road, brake=HELD, stop=2.0, tire=SurfaceTire)
    assert loads(run)[0] == pytest.approx(loads(run)[-1], rel=1e-3)
    assert np.linalg.norm(run["car.a"][0]) < 0.01
    assert np.ptp(run["car.position"], axis=0).max() < 1e-4


def test_parked_on_a_grade_its_front_loses_what_statics_say(slope: Slope) -> None:
    """``W (sin h + cos d)/L``, with the height h of the centre of mass over the road and its way d to the rear.

    It moves back as the springs give, because it lies above them. Without brakes the front loses nothing.
    """
    L, sine, cosine = 3.302, 0.3 / np.hypot(1.0, 0.3), 1.0 / np.hypot(1.0, 0.3)
    fronts, ahead = [], []
    for grade, brake in ((0.0, HELD), (0.3, HELD), (0.3, 0.0)):
        run = slope(HmmwvVehicle, {"grade": grade}, brake=brake, stop=0.01)
        fronts.append(loads(run)[0][:2].sum())
        along = np.array([cosine, 0.0, sine]) if grade else np.array([1.0, 0.0, 0.0])
        hubs = np.mean([[run[f"car.hub[{i},{k}]"][0] for k in (1, 2, 3)] for i in (3, 4)], axis=0)
        ahead.append((run["car.position"][0] - hubs) @ along)
        if grade > 0.0 and brake > 0.0:
            h = run["car.position"][0] @ [-sine, 0.0, cosine]
            assert h == pytest.approx(0.923, abs=0.01)
            lost = TOTAL_MASS * G * (sine * h + cosine * (ahead[0] - ahead[1])) / L
            assert fronts[0] * cosine - fronts[1] == pytest.approx(lost, rel=0.02)
    assert fronts[0] * cosine - fronts[2] < 0.1 * (fronts[0] * cosine - fronts[1])


def test_in_parts_it_starts_as_in_one(slope: Slope) -> None:
    road = {"grade": 0.2, "bank": -0.15}
    whole, parts = (slope(car, road, brake=HELD, stop=0.01, heading=0.5) for car in (HmmwvVehicle, HmmwvBody))
    for name in ("car.position", "car.roll", "car.pitch", "car.a"):
        assert parts[name][0] == pytest.approx(whole[name][0], abs=1e-9), name
    assert loads(parts)[0] == pytest.approx(loads(whole)[0], abs=1e-4)


@CARS
def test_without_brakes_it_begins_to_roll_with_the_inertia_of_its_wheels(slope: Slope, car: type[Continuous]) -> None:
    """And in balance: nothing but the acceleration along the road, less the rolling resistance of 1.5 %.

    `SimpleBody` pitched at first as long as hubs did not tell bodies of the rolling resistance.
    """
    a = slope(car, {"grade": 0.3}, brake=0.0, stop=0.01)["car.a"][0]
    angle = np.arctan(0.3)
    forward, up = np.array([np.cos(angle), 0.0, np.sin(angle)]), np.array([-np.sin(angle), 0.0, np.cos(angle)])
    rotating = 4.0 * SPIN_INERTIA / 0.451**2
    assert forward @ a == pytest.approx(
        -G * (np.sin(angle) - ROLLING * np.cos(angle)) * TOTAL_MASS / (TOTAL_MASS + rotating), rel=2e-3
    )
    assert abs(up @ a) < 0.01


@CARS
@pytest.mark.parametrize(("grade", "bank"), [(0.014, 0.0), (-0.01, 0.0), (0.01, 0.1)])
def test_without_brakes_it_stands_on_slopes_below_its_rolling_resistance(
    slope: Slope, car: type[Continuous], grade: float, bank: float
) -> None:
    run = slope(car, {"grade": grade, "bank": bank}, brake=0.0, stop=10.0)
    place = run["car.position"]
    assert np.linalg.norm(place - place[0], axis=1).max() < 0.01
    assert np.abs(run["car.velocity"][-1]).max() < 1e-4


def test_it_rolls_off_where_the_slope_is_steeper(slope: Slope) -> None:
    """Negative control: with the difference of slope and resistance, 0.5 %."""
    v = slope(SimpleBody, {"grade": 0.02}, brake=0.0, stop=5.0)["car.velocity"][-1, 0]
    rotating = 1.0 + 4.0 * SPIN_INERTIA / 0.451**2 / TOTAL_MASS
    assert v == pytest.approx(-G * 0.005 * 5.0 / rotating, rel=0.05)


def test_after_the_brake_is_released_on_level_ground_it_does_not_creep(slope: Slope) -> None:
    release = [f"4:wheel_{w}.brake=0" for w in WHEELS]
    run = slope(SimpleBody, {}, brake=2000.0, stop=10.0, change=release, speed=3.0)
    t, place = run.time("car.position"), run["car.position"]
    assert place[-1, 0] > 0.5
    assert np.ptp(place[t > 4.0, 0]) < 0.01
    assert np.abs(run["car.velocity"][-1]).max() < 1e-4


def test_the_motion_resistance_of_soil_holds_as_well(slope: Slope) -> None:
    """On clay of 0.8 MPa it is some per cent; on a slope of 1 % the car stands, on one of 20 % it rolls off."""
    soil = {"soil": 3, "cone_index": 8e5}
    held, rolls = (
        slope(SimpleBody, {"grade": grade}, brake=0.0, stop=5.0, tire=SurfaceTire, surface=soil)
        for grade in (0.01, 0.2)
    )
    place = held["car.position"]
    assert np.linalg.norm(place - place[0], axis=1).max() < 0.01
    assert np.abs(held["car.velocity"][-1]).max() < 1e-4
    assert rolls["car.velocity"][-1, 0] < -2.0


@CARS
def test_half_a_brake_holds_half(slope: Slope, car: type[Continuous]) -> None:
    angle = np.arctan(0.3)
    brake = 0.5 * TOTAL_MASS * G * np.sin(angle) * 0.451 / 4.0
    a = slope(car, {"grade": 0.3}, brake=brake, stop=0.01)["car.a"][0]
    rotating = 4.0 * SPIN_INERTIA / 0.451**2
    wanted = -G * (0.5 * np.sin(angle) - ROLLING * np.cos(angle)) * TOTAL_MASS / (TOTAL_MASS + rotating)
    assert a[0] * np.cos(angle) + a[2] * np.sin(angle) == pytest.approx(wanted, rel=0.01)


@CARS
def test_along_a_side_slope_it_drives_off_in_balance(slope: Slope, car: type[Continuous]) -> None:
    """Brakes slide while it drives, so they hold nothing at the start; at rest, resistance holds wheels with toe."""
    run = slope(car, SLOPES["side slope"], brake=100.0, stop=0.01, speed=10.0)
    assert np.linalg.norm(run["car.a"][0][1:]) < 0.05
    still = slope(car, SLOPES["side slope"], brake=0.0, stop=0.01)
    assert np.ravel(run["car.roll"])[0] == pytest.approx(np.ravel(still["car.roll"])[0], abs=3e-5)


@CARS
def test_on_level_ground_tires_hold_nothing(slope: Slope, car: type[Continuous]) -> None:
    run = slope(car, {}, brake=HELD, stop=0.01)
    assert loads(run)[0].sum() == pytest.approx(TOTAL_MASS * G, rel=1e-3)
    forces = [np.ravel(run[name][0]) for name in run if name.endswith(("force_x", "force_y"))]
    assert not np.concatenate(forces).any()


def test_a_wall_holds_no_more_than_a_steep_slope() -> None:
    """On a slope the share is up along it, by its tangent; a wall has no tangent."""
    slope = np.arctan(0.3)
    found = np.array(tangential_ratio(ca.DM([-np.sin(slope), 0.0, np.cos(slope)]))).ravel()
    assert found == pytest.approx([np.sin(slope), 0.0, 1.0 / np.cos(slope) - np.cos(slope)], abs=1e-15)
    assert np.array(tangential_ratio(ca.DM([-1.0, 0.0, 0.0]))).ravel() == pytest.approx([1.0, 0.0, 1.0 / MIN_NORMAL_Z])
