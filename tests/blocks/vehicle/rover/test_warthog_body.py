"""The Warthog: its mechanism, its rest, and how its drive units share what the ground does."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.authoring.guards import ABOVE, BELOW
from drawbar.blocks.data import read
from drawbar.blocks.vehicle.multibody.embedded import Embedded, independent_forces
from drawbar.blocks.vehicle.multibody.embedding import motion
from drawbar.blocks.vehicle.multibody.mechanism import Mechanism
from drawbar.blocks.vehicle.multibody.urdf import read_urdf
from drawbar.blocks.vehicle.rover.warthog_body import WarthogBody
from drawbar.fmus.backends.interpreted import InterpretedInstance

G = 9.80665
DATA = read("vehicles/warthog.json")
TIRE = {"radius": 0.3, "stiffness": 80000.0}
WHEELS = ("fl", "fr", "rl", "rr")
BASE = 0.92  # m, wheelbase


@pytest.fixture
def warthog(stand: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **starts: stand(WarthogBody, **TIRE, **starts)


def test_it_has_seven_degrees_of_freedom() -> None:
    assert sum(port.size for port in WarthogBody.model().x) == 7 + 6 + 2  # one more than coordinates: the quaternion


def test_at_rest_the_loads_are_those_of_its_centre_of_mass(warthog: Callable[..., Any]) -> None:
    s = warthog()
    assert s.loads() == pytest.approx([s.loads()[0]] * 2 + [s.loads()[2]] * 2, rel=1e-9)
    assert sum(s.loads()) == pytest.approx(280.0 * G, rel=1e-5)
    com = (2 * 50.0 + 4 * 15.0) * 0.04 / 280.0
    front = 280.0 * G * (com - (0.04 - BASE / 2)) / BASE / 2
    assert s.loads()[0] == pytest.approx(front, rel=2e-3)


def test_on_a_step_of_one_wheel_the_chassis_has_the_mean_pitch(warthog: Callable[..., Any]) -> None:
    """The left unit pitches by ``asin(h/b)`` about the tires' own sinking, the chassis by half of that."""
    h = 0.08
    s = warthog(**{"hub_fl.point[3]": h})
    heights = {w: s.values[f"hub_{w}.position[3]"] for w in WHEELS}
    assert heights["fl"] - heights["rl"] == pytest.approx(h, abs=2e-3)
    left, right = (math.asin((heights[f"r{side}"] - heights[f"f{side}"]) / BASE) for side in "lr")
    assert s.values["pitch"] == pytest.approx((left + right) / 2, abs=2e-4)
    assert s.values["articulation"] == pytest.approx((left - right) / 2, abs=2e-4)
    assert s.values["articulation"] == pytest.approx(-math.asin(h / BASE) / 2, abs=1e-3)


def test_all_wheels_stay_on_uneven_ground_with_the_loads_of_level_ground(warthog: Callable[..., Any]) -> None:
    """The differential carries no moment, so a step changes loads by the lean alone; a stiff chassis would twist."""
    h, level = 0.02, warthog().loads()

    def loads(**starts: float) -> list[float]:
        s = warthog(**{"hub_fl.point[3]": h}, **starts)
        return [a + b for a, b in zip(s.loads(), [TIRE["stiffness"] * h, 0.0, 0.0, 0.0], strict=True)]

    assert loads() == pytest.approx(level, rel=0.04)
    off = np.subtract(loads(pivot_limit=0.0), level)
    assert (np.abs(off) > 200.0).all() and np.sign(off).tolist() == [1.0, -1.0, -1.0, 1.0]


def test_the_right_unit_turns_against_the_left_one(warthog: Callable[..., Any]) -> None:
    s = warthog()
    for angle in (-0.15, 0.02, 0.1):
        at = s.outputs(swing=angle, q_x=0.0, q_y=0.0, q_w=1.0, q_z=0.0)
        for side, sign in (("l", 1.0), ("r", -1.0)):
            forward = np.array([at[f"hub_f{side}.rotation[{k},1]"] for k in (1, 2, 3)])
            assert forward == pytest.approx([math.cos(angle), 0.0, -sign * math.sin(angle)], abs=1e-9)
    moving = s.outputs(swing=0.1, swing_rate=0.7)
    assert moving["hub_fl.omega[2]"] == pytest.approx(0.7) and moving["hub_rr.omega[2]"] == pytest.approx(-0.7)


def test_motors_of_one_side_swing_the_units_and_those_of_both_pitch_the_chassis(warthog: Callable[..., Any]) -> None:
    s = warthog()
    plain = s.rates()
    both = s.rates(**{f"drive[{i}]": 50.0 for i in (1, 2, 3, 4)})
    assert both["swing_rate"] == pytest.approx(plain["swing_rate"], abs=1e-9)
    assert both["omega[2]"] < plain["omega[2]"]
    against = s.rates(**{"drive[1]": 50.0, "drive[3]": 50.0, "drive[2]": -50.0, "drive[4]": -50.0})
    assert against["swing_rate"] < plain["swing_rate"] - 1.0
    assert against["omega[2]"] == pytest.approx(plain["omega[2]"], abs=0.1)


def test_a_stop_ends_the_articulation(warthog: Callable[..., Any]) -> None:
    s = warthog()
    inside, beyond = s.rates(swing=0.149), s.rates(swing=0.16)
    assert beyond["swing_rate"] < inside["swing_rate"] - 50.0


def test_its_margin_is_how_far_the_differential_is_from_folding_over(warthog: Callable[..., Any]) -> None:
    s = warthog()
    assert s.values["margin"] == pytest.approx(1.0, abs=1e-6), "on level ground"
    assert [s.outputs(swing=a)["margin"] for a in (0.15, -0.15, 1.0)] == pytest.approx(np.cos([0.15, 0.15, 1.0]))


@pytest.mark.parametrize(("torque", "ends"), [(1.5e3, False), (1e6, True)])
def test_units_that_are_torn_beyond_their_stops_end_the_run_with_a_sentence(torque: float, ends: bool) -> None:
    """Motors of both sides against each other, in the air; with a tenth of what their stops bear they stay there."""
    unit = InterpretedInstance(WarthogBody, "warthog")
    unit.initialize(0.0, {f"hub_{w}.{name}": value for w in WHEELS for name, value in TIRE.items()})
    unit.start()
    unit.set({f"drive[{i}]": torque * (1.0 if i in (1, 3) else -1.0) for i in (1, 2, 3, 4)})
    step = unit.stepper()
    failed = any(step(k * 2.5e-3, 2.5e-3) != 0 for k in range(100))
    assert failed == ends
    if ends:
        assert "guard 'the differential" in unit.messages()[-1]
        assert "a drive unit is far beyond its stop" in unit.messages()[-1]
    else:
        assert 0.1 < abs(unit.get(["articulation"])[0]) < 0.25


@pytest.mark.parametrize(
    ("swing", "broken"), [(0.15, []), (1.5, []), (1.57, ["closes"]), (2.0, ["does not fold over"])]
)
def test_guards_know_a_differential_that_folds_over_or_does_not_close(
    bench: Any, swing: float, broken: list[str]
) -> None:
    """At a right angle the loop is not solved; beyond, another closes it."""
    b = bench(WarthogBody)
    guards = b.model.guards
    x, none, u = b.pack("x", {"q_w": 1.0, "swing": swing}), np.zeros(0), b.pack("u", {})
    sides = np.asarray(guards.sides(0.0, x, none, u, b.p)).reshape(2, -1)
    holds = {ABOVE: np.greater, BELOW: np.less}
    failed = [
        g.name for g, value, limit in zip(guards.each, *sides, strict=True) if not holds[g.relation](value, limit)
    ]
    assert [name for name in failed if "differential" in name] == [f"the differential {what}" for what in broken]


def test_a_payload_loads_the_wheels_by_its_levers(warthog: Callable[..., Any]) -> None:
    """On level ground by hand: the sides as a beam on two supports, the axles as another."""
    mass, at = 80.0, (0.1, 0.05, 0.2)
    starts = {"payload_mass": mass} | {f"payload_position[{k}]": v for k, v in enumerate(at, start=1)}
    empty, full = np.array(warthog().loads()), np.array(warthog(**starts).loads())
    more, weight = full - empty, mass * G
    across = 2.0 * (DATA["drive_unit"]["pivot_m"][1] + DATA["wheel"]["from_pivot_m"][1])
    ahead = at[0] - DATA["drive_unit"]["pivot_m"][0]
    assert more.sum() == pytest.approx(weight, rel=1e-4)
    assert more[[0, 2]].sum() - more[[1, 3]].sum() == pytest.approx(weight * 2.0 * at[1] / across, rel=0.05)
    assert more[:2].sum() - more[2:].sum() == pytest.approx(weight * 2.0 * ahead / BASE, rel=0.05)


def test_in_free_flight_energy_stays(warthog: Callable[..., Any]) -> None:
    thrown = {"omega[1]": 0.4, "omega[2]": -0.3, "omega[3]": 0.6, "v[1]": 2.0, "z": 5.0, "swing": 0.05}
    assert warthog(pivot_damping=0.0).drift(**thrown, swing_rate=0.5) < 1e-6
    assert warthog().drift(**thrown, swing_rate=0.5) > 1e-4, "its dampers take some"


def _inertial(mass: float, place: Any, inertia: Any) -> str:
    xx, yy, zz = inertia
    at = " ".join(str(v) for v in place)
    numbers = f'ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"'
    return f'<inertial><origin xyz="{at}"/><mass value="{mass}"/><inertia {numbers}/></inertial>'


def description() -> str:
    """A robot description as robots come with, which has no loops: chassis, drive units, wheels."""
    unit, wheel = DATA["drive_unit"], DATA["wheel"]

    def box(mass: float, size: list[float]) -> list[float]:
        x, y, z = (s * s * mass / 12.0 for s in size)
        return [y + z, x + z, x + y]

    chassis = DATA["chassis"]
    parts = [
        f'<link name="base_link"/><link name="chassis">'
        f"{_inertial(chassis['mass_kg'], (0, 0, 0), box(chassis['mass_kg'], chassis['box_m']))}</link>"
        '<joint name="base" type="fixed"><parent link="base_link"/><child link="chassis"/></joint>'
    ]
    r, w, m = wheel["radius_m"], wheel["width_m"], wheel["mass_kg"]
    across = m * (3 * r * r + w * w) / 12
    for side, sign in (("l", 1), ("r", -1)):
        x, y, z = unit["pivot_m"]
        com = [unit["com_from_pivot_m"][0], sign * unit["com_from_pivot_m"][1], unit["com_from_pivot_m"][2]]
        parts.append(
            f'<link name="unit_{side}">{_inertial(unit["mass_kg"], com, box(unit["mass_kg"], unit["box_m"]))}</link>'
            f'<joint name="pivot_{side}" type="revolute"><origin xyz="{x} {sign * y} {z}"/><parent link="chassis"/>'
            f'<child link="unit_{side}"/><axis xyz="0 1 0"/><limit lower="-0.15" upper="0.15" effort="1" velocity="1"/>'
            "</joint>"
        )
        for end, along in (("f", 1), ("r", -1)):
            a, b, c = wheel["from_pivot_m"]
            # cut at its hub, a wheel is a mass that does not turn
            parts.append(
                f'<link name="wheel_{end}{side}">{_inertial(m, (0, 0, 0), (across, 0.0, across))}</link>'
                f'<joint name="hub_{end}{side}" type="fixed"><origin xyz="{along * a} {sign * b} {c}"/>'
                f'<parent link="unit_{side}"/><child link="wheel_{end}{side}"/></joint>'
            )
    return f'<robot name="warthog">{"".join(parts)}</robot>'


def own_mechanism() -> Mechanism:
    """That of the block, with its own numbers."""
    values = {p.name: ca.DM(list(p.start)) for p in WarthogBody.model().p}
    block: Any = type("Numbers", (), values | {"centre": WarthogBody.centre})()
    return WarthogBody.tree(block).mechanism


def test_a_robot_description_with_the_differential_added_moves_alike(
    tmp_path: Path, warthog: Callable[..., Any]
) -> None:
    (tmp_path / "warthog.urdf").write_text(description(), encoding="utf-8")
    read_tree = read_urdf(tmp_path / "warthog.urdf")
    s = warthog()
    mine = own_mechanism()
    differential = [body for body in mine.bodies if body.name == "bar"]
    whole = Embedded(Mechanism((*read_tree.bodies, *differential), mine.cuts, ("unit_l",)))
    base = ca.DM([0.3, -0.2, 0.5, 1.0, 0.2, -0.4])
    swing, rate = 0.08, 0.6
    configuration = whole.configuration({"unit_l": ca.DM(swing)}, ca.vertcat(rate))
    damping = -2 * DATA["drive_unit"]["damping_Nms_per_rad"] * rate
    forces = independent_forces(whole, {("unit_l", 0): ca.DM(damping)})
    found = motion(whole.mechanism, configuration.compounds, base, forces, {})
    names = {f"{n}[{k}]": float(base[i]) for i, (n, k) in enumerate((n, k) for n in ("omega", "v") for k in (1, 2, 3))}
    upright = {"q_w": 1.0, "q_x": 0.0, "q_y": 0.0, "q_z": 0.0}
    # wheels that do not turn in the world, as those of the description have no inertia about their axles
    still = {f"hub_{w}.spin": -(names["omega[2]"] + (rate if w[1] == "l" else -rate)) for w in WHEELS}
    of_block = s.rates(**names, **upright, **still, swing=swing, swing_rate=rate)
    assert of_block["swing_rate"] == pytest.approx(float(ca.DM(ca.evalf(found.rates[-1]))), rel=1e-9)
    A = np.array(ca.DM(ca.evalf(found.A["base_link"]))).ravel() - [0, 0, 0, 0, 0, G]
    assert [of_block[n] for n in names] == pytest.approx(A, rel=1e-9, abs=1e-9)
