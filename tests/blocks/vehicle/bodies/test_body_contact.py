"""The ground under a body: law, energy, rest on underside, side and roof; nothing above the ground."""

from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.vehicle.bodies.body_contact import PARTS, CornerContact
from drawbar.blocks.vehicle.bodies.simple_body import SimpleBody
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.blocks.vehicle.rover.warthog_body import WarthogBody

G = 9.80665
K, C, MU = 5e5, 2.0, 0.4
HMMWV_MASS, SIMPLE_MASS, WARTHOG_MASS = 2573.138, 2572.9, 280.0


def touch(depth: float, v: Any = (0.0, 0.0, 0.0), omega: Any = (0.0, 0.0, 0.0)) -> CornerContact:
    """A point 1 m ahead and another one 3 m above it, on a plane at z = depth."""
    plane = ca.DM([7.0, 8.0, depth]), ca.DM([0.0, 0.0, 1.0])
    return CornerContact(plane, [ca.DM([1.0, 0.0, 0.0]), ca.DM([1.0, 0.0, 3.0])], ca.DM([*omega, *v]), K, C, MU)


def wrench(c: CornerContact) -> Any:
    return np.asarray(ca.DM(c.wrench)).ravel()


def test_a_point_at_rest_bears_stiffness_times_depth_at_its_place() -> None:
    found = wrench(touch(0.02))
    assert found == pytest.approx([0.0, -K * 0.02, 0.0, 0.0, 0.0, K * 0.02], rel=1e-6)


@pytest.mark.parametrize("v", [(0.0, 0.0, 0.0), (3.0, 1.0, -8.0), (3.0, 1.0, 8.0)])
def test_above_the_ground_there_is_exactly_nothing(v: Any) -> None:
    above = touch(-1e-12, v)
    assert (wrench(above) == 0.0).all() and float(above.energy) == 0.0
    assert float(ca.sumsqr(ca.vertcat(*(o.damping for o in above.oscillators(1.0))))) == 0.0


def test_the_load_grows_as_it_sinks_and_never_pulls() -> None:
    assert float(touch(0.02, (0, 0, -1.0)).load) == pytest.approx(K * 0.02 * 3.0)
    assert float(touch(0.02, (0, 0, 0.25)).load) == pytest.approx(K * 0.02 * 0.5)
    assert float(touch(0.02, (0, 0, 9.0)).load) == 0.0
    turned = touch(0.02, omega=(0, 1.0, 0))  # nose down: a point 1 m ahead sinks at 1 m/s
    assert float(turned.load) == pytest.approx(K * 0.02 * 3.0)


def test_friction_opposes_the_sliding_with_mu_times_the_load() -> None:
    x, y, z = wrench(touch(0.02, (-3.0, 4.0, 0.0)))[3:]
    assert z == pytest.approx(K * 0.02)
    assert [x, y] == pytest.approx([0.6 * MU * z, -0.8 * MU * z], rel=1e-3)
    slow = wrench(touch(0.02, (-3e-3, 4e-3, 0.0)))[3:]
    assert 0.0 < slow[0] < 0.1 * x and slow[1] == pytest.approx(-slow[0] * 4 / 3), "creeps"


@pytest.mark.parametrize("speed", [0.3, 1.0, 3.0])
def test_an_impact_returns_what_the_law_says(speed: float) -> None:
    """Without weight: ln((1 + c v)/(1 - c e v)) = c v (1 + e), with the speed e v afterwards."""
    m, h, depth, v = 400.0, 1e-5, 1e-12, speed
    while depth > 0.0:
        v -= h * float(K * max(depth, 0.0) * max(0.0, 1.0 + C * v)) / m
        depth += h * v
    e = -v / speed
    assert np.log((1.0 + C * speed) / (1.0 - C * e * speed)) == pytest.approx(C * speed * (1.0 + e), rel=2e-3)
    one = touch(0.01, (0.0, 0.0, -speed))
    assert float(one.load) == pytest.approx(K * 0.01 * (1.0 + C * speed)), "the law above is that of the contact"
    assert 0.1 < e < 0.8


def fall(bench: Any, block: Any, seconds: float, q: Any, **parameters: Any) -> tuple[Any, Any]:
    """A body without wheels from 1.5 m, in the attitude q: energies and the last outputs."""
    b, h = bench(block, **parameters), 1e-3
    attitude = dict(zip(("q_w", "q_x", "q_y", "q_z"), np.asarray(q) / np.linalg.norm(q), strict=True))
    x, u = b.pack("x", {"z": 1.5, "v": [1.0, 0.5, 0.0], **attitude}), b.pack("u", {})
    step, energies = b.rk4(h), []
    for _ in range(round(seconds / h)):
        found = b.unpack("y", np.asarray(b.model.out(0.0, x, np.zeros(0), u, b.p)).ravel())
        energies.append(found["kinetic_energy"] + found["potential_energy"])
        x = step(x, u)
    return np.array(energies), found


UNDERSIDE, SIDE, ROOF, ASKEW = (1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.9, 0.3, 0.3, 0.1)


@pytest.mark.parametrize("q", [UNDERSIDE, SIDE, ROOF, ASKEW], ids=["underside", "side", "roof", "askew"])
@pytest.mark.parametrize(("block", "mass"), [(SimpleBody, SIMPLE_MASS), (WarthogBody, WARTHOG_MASS)])
def test_a_body_that_falls_loses_energy_and_comes_to_rest_with_its_weight(
    bench: Any, block: Any, mass: float, q: Any
) -> None:
    energies, end = fall(bench, block, 6.0 if block is WarthogBody else 4.0, q)
    assert np.diff(energies).max() < 1e-4 * mass, "never more, but for the error of a step"
    assert energies[0] - energies[-1] > 0.3 * mass * G
    assert end["body_load"] == pytest.approx(mass * G, rel=1e-3)
    assert -0.03 < end["ground_clearance"] < 0.0
    if q in (UNDERSIDE, ROOF):
        assert end["tilt_cosine"] == pytest.approx(-1.0 if q == ROOF else 1.0, abs=0.02)


def test_a_body_that_is_as_soft_as_air_falls_through(bench: Any) -> None:
    """Negative control."""
    _, end = fall(bench, WarthogBody, 1.0, UNDERSIDE, body_stiffness=1.0)
    assert end["ground_clearance"] < -1.0 and end["body_load"] < 0.3 * WARTHOG_MASS * G


def test_at_rest_on_its_underside_each_of_eight_points_bears_an_eighth(bench: Any) -> None:
    """The box of a vehicle file has eight points at its underside."""
    _, end = fall(bench, SimpleBody, 4.0, UNDERSIDE)
    stiffness = 631e3
    assert stiffness == pytest.approx(SIMPLE_MASS * G / 0.04, rel=1e-3), "four points bear it with 10 mm"
    assert end["ground_clearance"] == pytest.approx(-SIMPLE_MASS * G / 8 / stiffness, rel=0.2)


def lay_on_its_side(bench: Any) -> tuple[dict[str, Any], list[float]]:
    """SimpleBody with four Fiala tires, 3 s after it was laid on its right side: outputs of the body and its wheels."""
    body, wheel, h, names = bench(SimpleBody), bench(FialaTire), 1e-3, ("fl", "fr", "rl", "rr")
    none, size = ca.SX(0, 1), len(wheel.pack("x", {}))

    def ports(b: Any, group: str, flat: Any) -> dict[str, Any]:
        sizes = [port.size for port in getattr(b.model, group)]
        parts = ca.vertsplit(flat, np.cumsum([0, *sizes]).tolist())
        return {port.name: part for port, part in zip(getattr(b.model, group), parts, strict=True)}

    def inputs(b: Any, given: dict[str, Any]) -> Any:
        starts = ports(b, "u", ca.SX(b.pack("u", {})))
        return ca.vertcat(*(given.get(name, start) for name, start in starts.items()))

    state = ca.SX.sym("x", len(body.pack("x", {})) + 4 * size)
    x, *tires = ca.vertsplit(state, np.cumsum([0, state.numel() - 4 * size, *4 * [size]]).tolist())
    motion = ports(body, "y", body.model.out(0.0, x, none, inputs(body, {}), body.p))  # of the states alone
    members = "position", "rotation", "velocity", "omega"
    u = [inputs(wheel, {f"hub.{m}": motion[f"hub_{w}.{m}"] for m in members}) for w in names]
    y = [ports(wheel, "y", wheel.model.out(0.0, t, none, v, wheel.p)) for t, v in zip(tires, u, strict=True)]
    loads = {
        f"hub_{w}.{m}": of[f"hub.{m}"] for w, of in zip(names, y, strict=True) for m in ("force", "moment", "spin")
    }
    forces = inputs(body, loads)
    rates = [wheel.model.ode(0.0, t, none, v, wheel.p) for t, v in zip(tires, u, strict=True)]
    f = ca.Function("f", [state], [ca.vertcat(body.model.ode(0.0, x, none, forces, body.p), *rates)])
    out = ca.Function("y", [state], [body.model.out(0.0, x, none, forces, body.p), *(of["load"] for of in y)])
    at = ca.vertcat(body.pack("x", {"z": 0.95, "q_w": np.sqrt(0.5), "q_x": np.sqrt(0.5)}), ca.DM(4 * size, 1))
    for _ in range(3000):
        k1 = f(at)
        k2 = f(at + h / 2 * k1)
        k3 = f(at + h / 2 * k2)
        at += h / 6 * (k1 + 2 * k2 + 2 * k3 + f(at + h * k3))
    found, *wheel_loads = (np.asarray(v).ravel() for v in out(at))
    return body.unpack("y", found), [float(v[0]) for v in wheel_loads]


def test_on_its_side_a_car_rests_on_its_body_and_not_on_the_wheels_beside_it(bench: Any) -> None:
    """Its wheel centres are 0.904 m from its middle, its box 0.925 m: in reach of springs along a flat wheel."""
    end, wheel_loads = lay_on_its_side(bench)
    assert end["body_load"] == pytest.approx(SIMPLE_MASS * G, rel=1e-3)
    assert max(wheel_loads) < 1e-3 * SIMPLE_MASS * G
    assert -0.03 < end["ground_clearance"] < 0.0


@pytest.mark.parametrize(("block", "clearance"), [(HmmwvVehicle, 0.406), (WarthogBody, 0.254)])
def test_the_clearance_at_rest_is_the_published_one(bench: Any, stand: Any, block: Any, clearance: float) -> None:
    """16 inches below the differentials of the HMMWV, 254 mm below the Warthog, on the tire of its diagram."""
    if block is WarthogBody:
        found = stand(block, radius=0.3, stiffness=2e5).values["ground_clearance"]
    else:
        found = bench(block).out(z=0.5013, q_w=1.0)["ground_clearance"]
    assert found == pytest.approx(clearance, abs=0.01)


def test_the_clearance_is_that_of_the_lowest_point_over_its_ground(bench: Any) -> None:
    b = bench(HmmwvVehicle)
    assert b.out(z=0.7, q_w=1.0)["ground_clearance"] == pytest.approx(0.7 - 0.095)
    bump = {"ground_rl.point": [0.0, 0.0, 0.2]}
    assert b.out(z=0.7, q_w=1.0, **bump)["ground_clearance"] == pytest.approx(0.7 - 0.095 - 0.2)
    ledge = {f"ground_f{s}.point": [0.0, 0.0, -1.0] for s in "lr"}
    assert b.out(z=0.7, q_w=1.0, **ledge)["ground_clearance"] == pytest.approx(0.7 - 0.095), "of the rear"
    roll = 0.3
    leaning = b.out(z=1.0, q_w=np.cos(roll / 2), q_x=np.sin(roll / 2))["ground_clearance"]
    assert leaning == pytest.approx(1.0 - 1.08 * np.sin(roll) + 0.01 * np.cos(roll)), "the corner of the rear bumper"


def test_on_a_slope_the_clearance_is_along_its_normal_in_any_attitude(bench: Any) -> None:
    """Origin 2 m along the normal of a slope, the vehicle level, on its side and upside down."""
    n = np.array([-0.3, 0.2, 1.0]) / np.linalg.norm([-0.3, 0.2, 1.0])
    slope = {f"ground_{w}.normal": n for w in ("fl", "fr", "rl", "rr")}
    b, at = bench(HmmwvVehicle), 2.0 * n
    rows = [np.reshape([p.start for p in b.model.p if p.name == f"{part}_points"], (2, 3)) for part in PARTS]
    points = np.concatenate([row * [1, s, 1] for row in rows for s in (1, -1)])
    for half in (0.0, np.pi / 4, np.pi / 2, 0.3):
        c, s = np.cos(2 * half), np.sin(2 * half)
        world = points @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]]).T + at
        pose = {"q_w": np.cos(half), "q_x": np.sin(half), **dict(zip("xyz", at, strict=True))}
        assert b.out(**pose, **slope)["ground_clearance"] == pytest.approx((world @ n).min(), abs=1e-12)


def test_the_steep_plane_of_a_wheel_on_a_short_obstacle_does_not_reach_the_bumper(bench: Any) -> None:
    """Front wheels on the near side of a bump of 0.1 m, at 45 degrees: their planes would rise 0.5 m to the bumper."""
    b, up, s = bench(HmmwvVehicle), np.sqrt(0.5), 0.9097
    bump = {f"ground_f{y}.normal": [-up, 0.0, up] for y in "lr"}
    bump |= {f"ground_f{y}.point": [1.6486 + 0.3, k * s, 0.1] for y, k in (("l", 1), ("r", -1))}
    clearance = b.out(z=0.55, q_w=1.0, **bump)["ground_clearance"]
    assert 0.3 < clearance < 0.55 - 0.095


def test_what_does_not_touch_changes_no_bit(bench: Any) -> None:
    """The derivatives of the vehicle at its ride height, with another body; lower, they differ."""
    plain, other = bench(HmmwvVehicle), bench(HmmwvVehicle, body_stiffness=1e9, body_friction=9.0, body_damping=50.0)
    moving = {"v": [20.0, 1.0, -0.5], "omega": [0.4, 0.2, 0.5], "spin": 40.0, "q_w": 1.0}
    for z, same in ((0.4, True), (0.05, False)):
        rows = [np.concatenate([np.ravel(v) for v in b.ode(z=z, **moving).values()]) for b in (plain, other)]
        assert (rows[0].tobytes() == rows[1].tobytes()) is same


def test_the_bound_on_the_steps_is_zero_above_the_ground_and_covers_the_contact(bench: Any) -> None:
    """The largest eigenvalue of the contact alone: of the derivatives with less those without it."""
    b = bench(WarthogBody)
    names = b.model.stability_bounds.names
    x, u = b.pack("x", {"z": 0.6, "q_w": 1.0}), b.pack("u", {})

    def bound(at: Any) -> float:
        found = np.asarray(b.model.stability_bounds.bounds(0.0, at, np.zeros(0), u, b.p)).ravel()
        return float(found[names.index("body on the ground")])

    assert bound(x) == 0.0
    low = b.pack("x", {"z": 0.12, "q_w": 1.0, "v": [0.5, 0.0, -1.0]})
    ode = ca.Function("j", [s := ca.SX.sym("x", len(low))], [ca.jacobian(b.model.ode(0, s, ca.SX(0, 1), u, b.p), s)])
    fastest = np.abs(np.linalg.eigvals(np.asarray(ode(low)))).max()
    aloft = np.abs(np.linalg.eigvals(np.asarray(ode(x)))).max()
    assert aloft < 0.1 * fastest < fastest < bound(low) < 30.0 * fastest
