"""The HMMWV cut at its hubs: it stands, moves and turns as the vehicle does that has its wheels within."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks import Continuous, Output, vertcat
from drawbar.blocks.data.default_vehicle import SPIN_INERTIA
from drawbar.blocks.data.default_vehicle import VEHICLE as DATA
from drawbar.blocks.terrain.ground.flat_road import FlatRoad
from drawbar.blocks.terrain.ground.ground import Ground
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.vehicle.hmmwv.hmmwv_body import HmmwvBody
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.blocks.vehicle.multibody.embedded import first_moment, momentum
from drawbar.diagrams import Diagram
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.orchestrator.simulate import simulate

G = 9.80665
MASS = 2573.138
WHEELS = ("fl", "fr", "rl", "rr")
RADIUS, STIFFNESS = (DATA["tire_fiala"][name] for name in ("unloaded_radius_m", "vertical_stiffness_N_per_m"))
NO_DAMPERS = {f"{a}_damping_{way}": 0.0 for a in ("front", "rear") for way in ("compression", "rebound")}
MOVES = ("omega", "v", "pitman_rate", "arm_rate")
Values = dict[str, Any]


class Weighed(HmmwvBody):
    """With the momentum of body and wheels."""

    angular = Output("kg.m2/s", "about the origin of the world", size=3)
    linear = Output("kg.m/s", "of all bodies", size=3)
    centre = Output("m", "their centre of mass in the world", size=3)

    def outputs(self) -> Values:
        car = self.dynamics
        m = car.tree.mechanism
        h, mass = momentum(m, car.poses, car.V), sum(body.mass for body in m.bodies)
        linear, centre = car.R @ h[3:], car.origin + car.R @ first_moment(m, car.poses) / mass
        angular = car.R @ h[:3] + ca.cross(car.origin, linear)
        return super().outputs() | {"angular": angular, "linear": linear, "centre": centre}


def somewhere(rng: np.random.Generator, height: float) -> tuple[Values, Values]:
    """States of the body, and those of wheels and brakes, all in motion."""
    q = np.array([1.0, 0.0, 0.0, 0.3]) + 0.05 * rng.normal(size=4)
    body = dict(zip(("q_w", "q_x", "q_y", "q_z"), q / np.linalg.norm(q), strict=True))
    body |= {"x": 3.0, "y": -2.0, "z": height, "omega": rng.normal(size=3), "v": [8.0, 0.5, -0.2]}
    body |= {"pitman": 0.1, "pitman_rate": 0.5, "arm_rate": rng.normal(size=4)}
    body["arm"] = np.array([-0.09, -0.1, -0.2, -0.22]) + 0.02 * rng.normal(size=4)
    wheels = {"spin": 20.0 + 5.0 * rng.normal(size=4), "bristle_torque": rng.uniform(-800.0, 800.0, 4)}
    return body, wheels | {"slip": 0.03 * rng.normal(size=4), "side_slip": 0.05 * rng.normal(size=4)}


class Parts:
    """Body and wheels on the bench, connected by hand."""

    def __init__(self, bench: Any, body: type[HmmwvBody] = HmmwvBody, **parameters: Any) -> None:
        self.body, self.wheel = bench(body, **parameters), bench(FialaTire)

    def hubs(self, state: Values) -> list[Values]:
        """The motion that each wheel is given."""
        out = self.body.out(**state)
        members = ("at", "position", "rotation", "velocity", "omega")
        return [{f"hub.{m}": out[f"hub_{w}.{m}"] for m in members} for w in WHEELS]

    def turning(self, state: Values, spins: Any) -> Any:
        """Speeds of the wheels against the world."""
        return np.array([s + axle(hub) @ hub["hub.omega"] for s, hub in zip(spins, self.hubs(state), strict=True)])

    def carried(self, state: Values, rates: Values, h: float) -> Any:
        """Speeds of wheels that stand against their uprights, a while later."""
        return self.turning(self.moved(state, rates, h), np.zeros(4))

    def rates(self, state: Values, wheels: Values, inputs: Values) -> tuple[Values, list[Values], Values]:
        """What the body does, what the wheels do, and what came back from them."""
        turning, back, rolls = self.turning(state, wheels["spin"]), {}, []
        for i, (w, hub) in enumerate(zip(WHEELS, self.hubs(state), strict=True)):
            own = {"turning": turning[i], "kappa": wheels["slip"][i], "t": wheels["side_slip"][i]}
            given = hub | own | {"bristle_torque": wheels["bristle_torque"][i]}
            given |= {"drive": inputs["drive"][i], "brake": inputs["brake"][i]}
            out = self.wheel.out(**given)
            back |= {f"hub_{w}.{m}": out[f"hub.{m}"] for m in ("force", "moment", "spin", "radius", "stiffness")}
            rolls.append(self.wheel.ode(**given))
        felt = {name: value for name, value in inputs.items() if name != "brake"}
        return self.body.ode(**state, **felt, **back), rolls, back

    def moved(self, state: Values, rates: Values, h: float) -> Values:
        """The state a while later."""
        return {name: np.asarray(value) + h * np.asarray(rates[name]) for name, value in state.items()}


def axle(hub: Values) -> Any:
    return np.reshape(hub["hub.rotation"], (3, 3))[:, 1]


def slope_of(function: Callable[[float], Any], h: float = 1e-5) -> Any:
    return (function(h) - function(-h)) / (2.0 * h)


INPUTS = {
    "steering_wheel": 2.0,
    "drive": np.array([300.0, -200.0, 500.0, 100.0]),
    "external_force": [500.0, -300.0, 200.0],
    "external_moment": [100.0, 50.0, -80.0],
}


@pytest.mark.parametrize("height", [0.52, 3.0], ids=["on the ground", "in the air"])
def test_body_and_wheels_move_as_the_vehicle_does(bench: Any, height: float) -> None:
    """In any state: the cut changes no acceleration, with spinning, steered, braked and driven wheels."""
    parts, vehicle = Parts(bench), bench(HmmwvVehicle)
    rng = np.random.default_rng(7)
    for _ in range(5):
        state, wheels = somewhere(rng, height)
        inputs = INPUTS | {"brake": np.array([800.0, 0.0, 300.0, 1200.0])}
        whole = vehicle.ode(**state, **wheels, **inputs)
        body, rolls, _ = parts.rates(state, wheels, inputs)
        for name in (*MOVES, "x", "y", "z", "q_w", "q_x", "q_y", "q_z", "pitman", "arm"):
            size = max(1.0, np.abs(whole[name]).max())
            assert body[name] == pytest.approx(whole[name], rel=1e-10, abs=1e-11 * size), name
        for ours, theirs in (("kappa", "slip"), ("t", "side_slip"), ("bristle_torque", "bristle_torque")):
            assert [r[ours] for r in rolls] == pytest.approx(whole[theirs], rel=1e-9, abs=1e-9)
        # spin = turning - n.omega, of which the body knows the rest
        carried = slope_of(partial(parts.carried, state, body))
        assert [r["turning"] for r in rolls] - carried == pytest.approx(whole["spin"], rel=1e-6, abs=1e-5)


def test_a_wheel_is_a_gyroscope(bench: Any) -> None:
    """The moment of a wheel on its upright changes the body by what -J (spin + n.omega) omega x n says."""
    parts = Parts(bench)
    state, wheels = somewhere(np.random.default_rng(3), 3.0)
    inputs = INPUTS | {"brake": np.zeros(4)}
    wheels["spin"] = np.zeros(4)
    plain, _, back = parts.rates(state, wheels, inputs)
    hub, spin = parts.hubs(state)[1], 40.0
    n, omega = axle(hub), hub["hub.omega"]
    felt = {name: value for name, value in inputs.items() if name != "brake"}
    spun = parts.body.ode(**state, **felt, **back | {"hub_fr.spin": spin})
    moment = back["hub_fr.moment"] - SPIN_INERTIA * spin * np.cross(omega, n)
    pushed = parts.body.ode(**state, **felt, **back | {"hub_fr.moment": moment})
    for name in MOVES:
        assert spun[name] == pytest.approx(pushed[name], rel=1e-9, abs=1e-9)
    assert np.abs(spun["omega"] - plain["omega"]).max() > 0.05


def test_gravity_alone_changes_the_momentum_of_body_and_wheels(bench: Any) -> None:
    """In the air; drive torques act between chassis and wheels, and brakes between uprights and wheels."""
    parts = Parts(bench, Weighed)
    state, wheels = somewhere(np.random.default_rng(5), 3.0)
    inputs = INPUTS | {"brake": np.full(4, 900.0), "external_force": np.zeros(3), "external_moment": np.zeros(3)}
    body, rolls, _ = parts.rates(state, wheels, inputs)
    turning, climb = parts.turning(state, wheels["spin"]), np.array([r["turning"] for r in rolls])

    def of(h: float) -> Any:
        there = parts.moved(state, body, h)
        spins = turning + h * climb - parts.carried(state, body, h)
        out = parts.body.out(**there, **{f"hub_{w}.spin": s for w, s in zip(WHEELS, spins, strict=True)})
        return np.concatenate([out["linear"], out["angular"]])

    assert np.abs(climb).min() > 1.0
    change = slope_of(of)
    weight = np.array([0.0, 0.0, -MASS * G])
    assert change[:3] == pytest.approx(weight, abs=1e-3)
    centre = parts.body.out(**state)["centre"]
    assert change[3:] == pytest.approx(np.cross(centre, weight), abs=1e-2)


def test_energy_comes_from_the_shafts_alone(bench: Any) -> None:
    """In the air without dampers: each shaft gives its torque times its turning against the chassis."""
    parts = Parts(bench, column_damping=0.0, **NO_DAMPERS)
    state, wheels = somewhere(np.random.default_rng(11), 3.0)
    wheels["bristle_torque"] = np.zeros(4)  # brakes that hold nothing
    inputs = INPUTS | {"brake": np.zeros(4), "external_force": np.zeros(3), "external_moment": np.zeros(3)}
    body, rolls, _ = parts.rates(state, wheels, inputs)
    turning, climb = parts.turning(state, wheels["spin"]), np.array([r["turning"] for r in rolls])

    def of(h: float) -> Any:
        there = parts.moved(state, body, h)
        spins = turning + h * climb - parts.carried(state, body, h)
        back = {f"hub_{w}.spin": s for w, s in zip(WHEELS, spins, strict=True)}
        out = parts.body.out(**there, steering_wheel=INPUTS["steering_wheel"], **back)
        return out["kinetic_energy"] + out["potential_energy"]

    w, x, y, z = (state[f"q_{k}"] for k in "wxyz")
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    chassis = np.array([axle(hub) @ R @ state["omega"] for hub in parts.hubs(state)])
    assert slope_of(of) == pytest.approx(INPUTS["drive"] @ (turning - chassis), rel=1e-5)


def wheel(**inputs: float) -> tuple[float, float]:
    """The moment along the axle on the upright of a wheel in the air after half a second, and its speed."""
    instance = InterpretedInstance(FialaTire, "wheel")
    instance.initialize(0.0, {"hub.position[3]": 2.0, **inputs})
    instance.start()
    step = instance.stepper()
    for k in range(100):
        assert step(k * 5e-3, 5e-3) == 0
    moment, turning = instance.get(["hub.moment[2]", "turning"])
    return moment, turning


def test_a_free_spinning_driven_wheel_gives_no_pitch_moment_on_the_upright() -> None:
    moment, turning = wheel(drive=800.0)
    assert moment == pytest.approx(0.0, abs=1e-12)
    assert turning == pytest.approx(800.0 * 0.5 / SPIN_INERTIA, rel=1e-6)


def test_a_locked_one_gives_the_full_moment() -> None:
    moment, turning = wheel(drive=800.0, brake=4000.0)
    assert moment == pytest.approx(800.0, rel=1e-12)
    assert turning == pytest.approx(0.0, abs=1e-12)


def planes(kind: str) -> dict[str, tuple[list[float], list[float]]]:
    """Point and normal under each wheel."""
    flat = [0.0, 0.0, 1.0]
    if kind == "level":
        return {w: ([0.0, 0.0, 0.0], flat) for w in WHEELS}
    if kind == "slope":
        n = np.array([-0.2, 0.3, 1.0]) / np.sqrt(1.13)
        return {w: ([0.0, 0.0, 5.0], n.tolist()) for w in WHEELS}
    return {w: ([0.0, 0.0, 0.1 if w == "fr" else 0.0], flat) for w in WHEELS}


@pytest.mark.parametrize("kind", ["level", "slope", "block"])
def test_it_stands_where_the_vehicle_stands(drive: Callable[..., Any], kind: str) -> None:
    vehicle, body = {}, {}
    for w, (point, normal) in planes(kind).items():
        vehicle |= {f"ground_{w}__point": point, f"ground_{w}__normal": normal}
        body |= {f"hub_{w}__point": point, f"hub_{w}__normal": normal}
        body |= {f"hub_{w}__radius": RADIUS, f"hub_{w}__stiffness": STIFFNESS}
    shared = {"heading": 0.4, "steering_wheel": 1.5, "speed": 7.0}
    whole, cut = drive(HmmwvVehicle, **vehicle, **shared), drive(HmmwvBody, **body, **shared)
    for name in ("x", "y", "z", "q_w", "q_x", "q_y", "q_z", "v", "pitman", "arm"):
        assert cut.get(name) == pytest.approx(whole.get(name), abs=1e-9), name


class Slope(Continuous):
    """The plane of a sloping `FlatRoad`, given where it is asked."""

    ground_fl = Ground.source("front left")
    ground_fr = Ground.source("front right")
    ground_rl = Ground.source("rear left")
    ground_rr = Ground.source("rear right")

    def outputs(self) -> Values:
        found: Values = {}
        for w in WHEELS:
            at = getattr(self, f"ground_{w}").at
            given = {name: m.options.get("start", 0.0) for name, m in Ground.members().items() if not m.back}
            given |= {
                "point": vertcat(at[0], at[1], 2.0 + 0.2 * at[0]),
                "normal": ca.DM([-0.2, 0.0, 1.0]) / np.sqrt(1.04),
            }
            found |= {f"ground_{w}.{name}": value for name, value in given.items()}
        return found


def standing(road: type[Continuous], modular: bool, folder: Path, **starts: Any) -> Any:
    """A car on a road from its start, for a moment."""
    d = Diagram("standing", step=5e-3, stop=0.1)
    ground = d.add("road", road, **starts)
    if modular:
        car = d.add("car", HmmwvBody, x=4.0, heading=0.5)
        for w in WHEELS:
            part = d.add(f"wheel_{w}", FialaTire)
            d.connect(getattr(car, f"hub_{w}"), part.hub)
            d.connect(getattr(ground, f"ground_{w}"), part.ground)
    else:
        car = d.add("car", HmmwvVehicle, x=4.0, heading=0.5)
        for w in WHEELS:
            d.connect(getattr(ground, f"ground_{w}"), getattr(car, f"ground_{w}"))
    return simulate(d, out=folder / f"{road.__name__}{modular}", backend="interpreted")


@pytest.mark.parametrize("modular", [False, True], ids=["as one", "in parts"])
def test_it_starts_on_a_ground_that_depends_on_where_it_is_asked(tmp_path: Path, modular: bool) -> None:
    asked = standing(Slope, modular, tmp_path)
    known = standing(FlatRoad, modular, tmp_path, grade=0.2, height=2.0)
    for name in ("car.position", "car.roll", "car.pitch", "car.a"):
        assert asked[name] == pytest.approx(known[name], abs=1e-9), name
    x, _, z = asked["car.position"][0]
    assert (z - 2.0 - 0.2 * x) / np.sqrt(1.04) == pytest.approx(0.92, abs=0.02), "centre of mass over the slope"


def test_the_motion_of_the_hubs_follows_from_the_states_alone() -> None:
    """So there is no loop between body and wheels, and while it runs a hub is where its wheel is."""
    through = HmmwvBody.interface().feedthrough
    assert all(not inputs for name, inputs in through.items() if name.startswith("hub_"))
    assert through["a[1]"], "negative control"
