"""Bodies from vehicle files: at rest, on their springs, in a turn."""

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.bodies.simple_body import FILE, SimpleBody
from drawbar.blocks.vehicle.bodies.vehicle_body import declared_variables
from drawbar.blocks.vehicle.bodies.vehicle_file import from_dict

G, SIMPLE_MASS = 9.80665, 2572.9
WHEELS = ("fl", "fr", "rl", "rr")
# a vehicle that is alike at both ends
ALIKE = {"axle_offset[1]": 1.6, "axle_offset[2]": -1.6, "spring_rate[2]": 31500.0, "free_length[2]": 0.226}
TIRE = {"radius": 0.47, "stiffness": 326332.0}


def test_at_rest_the_loads_are_those_of_a_beam_on_two_supports(stand: Callable[..., Any]) -> None:
    s = stand(SimpleBody)
    front, rear = s.values["axle_offset[1]"], -s.values["axle_offset[2]"]
    sprung, unsprung = s.values["sprung_mass"] * G, s.values["unsprung_mass[1]"] * G
    # the nose is down by a degree, which moves the centre of gravity by some millimetres
    assert s.loads()[:2] == pytest.approx([sprung * rear / (front + rear) / 2 + unsprung] * 2, rel=5e-3)
    assert s.loads()[2:] == pytest.approx([sprung * front / (front + rear) / 2 + unsprung] * 2, rel=5e-3)
    assert sum(s.loads()) == pytest.approx(sprung + 4 * unsprung, rel=2e-4)


def test_it_stands_still_on_forces_that_carry_it(stand: Callable[..., Any]) -> None:
    s = stand(SimpleBody)
    given = {f"hub_{w}.force[3]": load for w, load in zip(WHEELS, s.loads(), strict=True)}
    still, falling = s.rates(**given), s.rates()
    moving = ("omega[2]", "v[3]", "travel_rate[1]", "travel_rate[4]")
    assert max(abs(still[n]) for n in moving) < 0.02
    assert falling["travel_rate[1]"] < -50.0


@pytest.mark.parametrize("degrees", [-20.0, -5.0, 3.0, 10.0, 25.0])
def test_on_a_slope_it_stands_along_the_ground_and_begins_along_it(stand: Callable[..., Any], degrees: float) -> None:
    angle = math.radians(degrees)
    normal = {f"hub_{w}.normal[{k}]": v for w in WHEELS for k, v in ((1, -math.sin(angle)), (3, math.cos(angle)))}
    s = stand(SimpleBody, speed=5.0, **normal)
    assert s.values["pitch"] == pytest.approx(stand(SimpleBody).values["pitch"] - angle, abs=0.02)
    assert [s.values[f"velocity[{k}]"] for k in (1, 2, 3)] == pytest.approx(
        [5.0 * math.cos(angle), 0.0, 5.0 * math.sin(angle)], abs=1e-6
    )


@pytest.mark.parametrize(
    "starts",
    [
        {"payload_mass": 1500.0, "payload_position[1]": -1.0},
        {"spring_rate[1]": 15000.0, "spring_rate[2]": 200000.0},
        {"free_length[1]": 0.6},
        {"hub_fl.point[3]": 0.04, "heading": 0.5},
        {"hub_rr.radius": 0.45, "hub_rr.stiffness": 2e5},
    ],
)
def test_whatever_is_changed_it_finds_its_rest(stand: Callable[..., Any], starts: dict[str, float]) -> None:
    s = stand(SimpleBody, **starts)
    forces = {}
    for w in WHEELS:
        tire = [s.values[f"hub_{w}.{name}"] for name in ("point[3]", "radius", "position[3]", "stiffness")]
        forces[f"hub_{w}.force[3]"] = max(0.0, tire[0] + tire[1] - tire[2]) * tire[3]
    still = s.rates(**forces)
    assert max(abs(still[n]) for n in ("v[3]", *(f"travel_rate[{i}]" for i in (1, 2, 3, 4)))) < 0.5, (
        "a lean moves contacts"
    )


def test_a_chassis_heaves_at_the_frequency_of_its_springs(stand: Callable[..., Any]) -> None:
    """Two masses, all corners alike: the body on its tires against the 2 x 2 problem."""
    s = stand(SimpleBody, speed=0.0, **{"axle_offset[1]": 1.6, "axle_offset[2]": -1.6})
    k = [31500.0, 56900.0]
    dz = 1e-4
    # to move the chassis alone up by dz is to let each wheel fall by it against the chassis
    lifted = {"z": s.values["z"] + dz} | {f"travel[{i}]": s.values[f"travel[{i}]"] - dz for i in range(1, 5)}
    heavy = {}
    before, after = s.rates(**heavy), s.rates(**lifted)
    wanted = -(2 * k[0] + 2 * k[1]) / s.values["sprung_mass"] * dz
    assert after["v[3]"] - before["v[3]"] == pytest.approx(wanted, rel=1e-3)


def test_a_wheel_hops_on_spring_and_tire(stand: Callable[..., Any]) -> None:
    """Two masses, all corners alike: the body on its tires against the 2 x 2 eigenvalue problem."""
    s = stand(SimpleBody, **ALIKE)
    k, tire, m, M = 31500.0, TIRE["stiffness"], s.values["unsprung_mass[1]"], s.values["sprung_mass"] / 4
    h, names = 1e-6, ["z", "travel[1]"]

    def stiffness(name: str) -> tuple[float, float]:
        """Accelerations of chassis and wheel against it by a displacement of all four corners alike."""
        moved = (
            {name: s.values[name] + h}
            if name == "z"
            else {f"travel[{i}]": s.values[f"travel[{i}]"] + h for i in range(1, 5)}
        )
        ends = []
        for change in ({}, moved):
            at = s.outputs(**change)
            forces = {f"hub_{w}.force[3]": tire * (0.47 - at[f"hub_{w}.position[3]"]) for w in WHEELS}
            found = s.rates(**change, **forces)
            ends.append((found["v[3]"], found["travel_rate[1]"]))
        return (ends[1][0] - ends[0][0]) / h, (ends[1][1] - ends[0][1]) / h

    columns = np.array([stiffness(name) for name in names]).T
    found = np.sqrt(np.sort(-np.linalg.eigvals(columns).real))
    body = np.array([[k / M, -k / M], [-k / m, (k + tire) / m]])
    assert found == pytest.approx(np.sqrt(np.sort(np.linalg.eigvals(body).real)), rel=1e-3)
    assert 1.0 < found[0] / (2 * math.pi) < 2.0 and 8.0 < found[1] / (2 * math.pi) < 12.0


def test_stops_hold_beyond_the_spring(stand: Callable[..., Any]) -> None:
    s = stand(SimpleBody)
    free = s.outputs(**{"travel[1]": 0.226})["spring_force[1]"]
    beyond = s.outputs(**{"travel[1]": 0.236})["spring_force[1]"]
    hanging = s.outputs(**{"travel[1]": -0.01})["spring_force[1]"]
    assert free == pytest.approx(31500 * 0.226)
    assert beyond - free == pytest.approx(11 * 31500 * 0.01)
    assert hanging == pytest.approx(-11 * 31500 * 0.01)


def test_a_bar_resists_roll_and_no_heave(stand: Callable[..., Any]) -> None:
    s, k, up = stand(SimpleBody, **{"anti_roll[1]": 20000.0}), 20000.0, 0.01
    plain = stand(SimpleBody)
    both = {f"travel[{i}]": s.values[f"travel[{i}]"] + up for i in (1, 2)}
    one = {"travel[1]": s.values["travel[1]"] + up}
    assert s.rates(**both)["travel_rate[1]"] == pytest.approx(plain.rates(**both)["travel_rate[1]"], rel=1e-9)
    left, right = (s.rates(**one)[f"travel_rate[{i}]"] - plain.rates(**one)[f"travel_rate[{i}]"] for i in (1, 2))
    assert left < 0.0 < right and left == pytest.approx(-right, rel=1e-4)
    assert s.outputs(**one)["potential_energy"] - plain.outputs(**one)["potential_energy"] == pytest.approx(
        0.5 * k * up**2, rel=1e-6
    )


def test_wheels_turn_about_one_point(stand: Callable[..., Any]) -> None:
    at = stand(SimpleBody).outputs(steer=0.3)
    left, right = at["wheel_steer[1]"], at["wheel_steer[2]"]
    wheelbase, half = 1.592 + 1.712, 1.808 / 2
    assert left > 0.3 > right
    assert wheelbase / math.tan(left) + half == pytest.approx(wheelbase / math.tan(right) - half)
    assert at["wheel_steer[3]"] == at["wheel_steer[4]"] == 0.0


def test_the_inner_wheel_ends_at_its_limit(stand: Callable[..., Any]) -> None:
    s = stand(SimpleBody)
    for side, inner in ((1.0, 1), (-1.0, 2)):
        s.instance.set({"steering_wheel": 100.0 * side})
        s.instance.stepper()(0.0 if side > 0 else 1.0, 1.0)
        assert s.instance.get([f"wheel_steer[{inner}]"])[0] == pytest.approx(side * math.radians(28.8), rel=1e-6)


def same_motion(one: dict[str, Any], other: dict[str, Any]) -> None:
    for name in one:
        assert one[name] == pytest.approx(other[name], rel=1e-9, abs=1e-9), name


def test_the_chassis_takes_the_reaction_of_the_drive(stand: Callable[..., Any]) -> None:
    s = stand(SimpleBody)
    driven = s.rates(**{f"drive[{i}]": 100.0 for i in range(1, 5)})
    same_motion(driven, s.rates(**{"external_moment[2]": -400.0}))
    assert driven["omega[2]"] < s.rates()["omega[2]"], "the nose rises"


def test_a_spinning_wheel_is_a_gyroscope(stand: Callable[..., Any]) -> None:
    """Yaw to the left of wheels that roll forwards leans the body to the right: ``-J w omega x n``."""
    s = stand(SimpleBody)
    turning = {"omega[3]": 0.5}
    spun = s.rates(**turning, **s.hubs(spin=50.0))
    same_motion(spun, s.rates(**turning, **{"external_moment[1]": 4 * 7.79 * 50.0 * 0.5}))
    assert spun["omega[1]"] > s.rates(**turning)["omega[1]"]


def test_a_wheel_that_turns_with_its_upright_alone_has_momentum_too(stand: Callable[..., Any]) -> None:
    """Rolling over to the front, with wheels that turn with the chassis: n.omega counts as spin does."""
    s = stand(SimpleBody)
    turning = {"omega[2]": 2.0, "omega[3]": 0.5}
    same_motion(s.rates(**turning, **s.hubs(spin=-2.0)), s.rates(**turning, **{"external_moment[1]": -4 * 7.79 * 1.0}))


def test_in_free_flight_energy_stays(stand: Callable[..., Any]) -> None:
    """Without ground and dampers; wheels fall on their stops within it, where the order of RK4 ends."""
    s = stand(SimpleBody, **{"damping[1]": 0.0, "damping[2]": 0.0})
    thrown = {"omega[1]": 0.3, "omega[2]": -0.2, "omega[3]": 0.5, "v[1]": 3.0, "z": 5.0}
    assert s.drift(**thrown) < 1e-4


@pytest.mark.parametrize(("tall", "bottom", "top"), [(1.2, 0.508 - 0.6, 0.508 + 0.6), (2.4, None, 0.508 + 1.2)])
def test_its_body_is_the_box_of_its_dimensions_and_clear_of_the_ground(tall: float, bottom: Any, top: float) -> None:
    """A box that would reach into the ground at rest ends half a wheel radius above it."""
    data = json.loads(FILE.read_text(encoding="utf-8"))
    data["chassis"]["dimensions_m"][2] = tall
    found = declared_variables(from_dict(data))
    if bottom is None:
        bottom = 0.5 * TIRE["radius"] - found["z"].start
    for part, x, y, z in (
        ("bumper", 1.925, 0.925, bottom),
        ("underside", 0.9625, 0.4625, bottom),
        ("roof", 1.925, 0.925, top),
    ):
        assert np.ravel(found[f"{part}_points"].start) == pytest.approx([x, y, z, -x, y, z])
    assert found["body_stiffness"].start == pytest.approx(SIMPLE_MASS * G / 0.04, rel=1e-3)
