"""Motion against equations by hand, and what must stay as it is while bodies move freely."""

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.data import read
from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import rotors, values
from drawbar.blocks.vehicle.multibody.embedded import (
    Embedded,
    first_moment,
    independent_forces,
    kinetic_energy,
    momentum,
)
from drawbar.blocks.vehicle.multibody.embedding import LDLFactors, motion
from drawbar.blocks.vehicle.multibody.mechanism import Body, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, from_quaternion, quaternion_rate

Made = Mapping[str, Callable[..., Mechanism]]
G = 9.81
UP = ca.vertcat(ca.SX(5, 1), G)


def grounded(m: Mechanism) -> tuple[Embedded, ca.Function]:
    """From q and u under gravity: rates, poses and motions of the bodies."""
    e = Embedded(m)
    q = {n: ca.SX.sym(n) for n in e.joints}
    u = ca.SX.sym("u", len(e.rates))
    c = e.configuration(q, u)
    found = motion(m, c.compounds, ca.SX(6, 1), independent_forces(e, {}), {}, UP)
    out = [ca.vertcat(*found.rates)]
    for b in m.bodies:
        out += [ca.SX(c.poses[b.name].R), ca.SX(c.poses[b.name].p), found.V[b.name]]
    return e, ca.Function("f", [ca.vertcat(*q.values()), u], out)


def test_a_double_pendulum_moves_by_its_textbook_equations(mechanisms: Made) -> None:
    """Two rods of mass m, length l, centre at c, inertia I: Lagrange's equations over the absolute angles a and b."""
    _, function = grounded(mechanisms["pendulum"](2))
    m, length, c = 1.0, 1.0, 0.5
    inertia = m * length**2 / 12 + 1e-3
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, u = rng.uniform(-2, 2, 2), rng.normal(size=2) * 3
        a, b = np.cumsum(q)
        da, db = np.cumsum(u)
        turn, bend = m * length * c * np.cos(a - b), m * length * c * np.sin(a - b)
        M = [[inertia + m * c**2 + m * length**2, turn], [turn, inertia + m * c**2]]
        weight = m * G * np.array([(c + length) * np.sin(a), c * np.sin(b)])
        absolute = np.linalg.solve(M, -weight + [-bend * db**2, bend * da**2])
        np.testing.assert_allclose(np.cumsum(function(q, u)[0].full()), absolute, rtol=1e-12)


def test_a_piston_moves_as_the_slider_crank_formula_says(mechanisms: Made) -> None:
    """x = p_x + sqrt(L^2 - p_z^2) with the crank pin p, and dx/dt by its derivative."""
    e, function = grounded(mechanisms["slider-crank"]())
    at = [b.name for b in e.mechanism.bodies].index("piston")
    L = np.hypot(0.9, 0.2)
    for angle in (-0.4, 0.0, 0.5):
        found = function(angle, 2.0)
        c, s = np.cos(angle), np.sin(angle)
        p = np.array([0.3 * c + 0.2 * s, 0.2 * c - 0.3 * s])
        dp = np.array([-0.3 * s + 0.2 * c, -0.2 * s - 0.3 * c])
        reach = np.sqrt(L**2 - p[1] ** 2)
        shift, V = found[1 + 3 * at + 1].full().ravel(), found[1 + 3 * at + 2].full().ravel()
        np.testing.assert_allclose(shift, [p[0] + reach - 1.2, 0, 0], rtol=0, atol=1e-14)
        np.testing.assert_allclose(V, [0, 0, 0, 2.0 * (dp[0] - p[1] * dp[1] / reach), 0, 0], rtol=0, atol=1e-13)


def test_a_four_bar_obeys_freudenstein(mechanisms: Made) -> None:
    """K1 cos(psi) - K2 cos(phi) + K3 = cos(phi - psi), crank at phi, rocker at psi, from the line of the pivots."""
    _, function = grounded(mechanisms["four-bar"]())
    a, b, c, d = 1.0, np.hypot(3, 0.5), np.hypot(0.5, 1.5), 2.5
    K1, K2, K3 = d / a, d / c, (a**2 - b**2 + c**2 + d**2) / (2 * a * c)
    seen = []
    for angle in np.linspace(-0.5, 0.5, 5):
        found = function(angle, 1.0)
        crank, rocker = found[1] @ ca.DM([0, 0, 1]), found[7] @ ca.DM([0.5, 0, 1.5])
        phi, psi = (np.arctan2(float(v[2]), float(v[0])) for v in (crank, rocker))
        assert abs(K1 * np.cos(psi) - K2 * np.cos(phi) + K3 - np.cos(phi - psi)) < 1e-13
        seen.append(psi)
    assert np.ptp(seen) > 0.2


@pytest.mark.parametrize(("name", "base"), [("slider-crank", "ground"), ("hexapod", "plate"), ("hmmwv", "chassis")])
def test_a_configuration_knows_its_base_and_all_bodies_by_name(name: str, base: str, mechanisms: Made) -> None:
    """Their motions are those that the recursion finds, and their poses are told with that of the base."""
    e = Embedded(mechanisms[name]())
    q = {n: ca.SX.sym("q", {"ball": 4, "univ": 2}.get(e.mechanism.by_name[n].joint, 1)) for n in e.joints}
    u, V = ca.SX.sym("u", len(e.rates)), ca.SX.sym("V", 6)
    c = e.configuration(q, u)
    found = motion(
        e.mechanism, c.compounds, V, independent_forces(e, {}), {}, ca.SX(6, 1) if base == "ground" else None
    )
    mine = c.motions(V)
    assert c.base == base
    assert set(mine) == set(c.poses) == set(found.V) == {base} | {b.name for b in e.mechanism.bodies}
    assert c.poses[base] is DESIGN and mine[base] is V
    assert all(ca.is_equal(ca.SX(mine[n]), ca.SX(found.V[n]), 99) for n in mine)


def test_a_thrown_body_tumbles_by_eulers_equations() -> None:
    J, w = np.diag([1.0, 2.0, 3.0]), np.array([0.4, -1.0, 2.0])
    m = Mechanism((Body("stone", None, "free", 2.0, (0, 0, 0), J),))
    V = np.concatenate([w, [0, 0, 0]])
    found = motion(m, (), ca.SX(V), [], {"stone": ca.SX([0.1, 0.2, 0.3, 4, 0, 0])})
    A = ca.DM(ca.evalf(found.A["stone"])).full().ravel()
    np.testing.assert_allclose(A[:3], np.linalg.solve(J, [0.1, 0.2, 0.3] - np.cross(w, J @ w)), rtol=1e-14)
    np.testing.assert_allclose(A[3:], [2, 0, 0], rtol=0, atol=1e-14)


def test_a_spinning_wheel_turns_its_carrier_by_its_angular_momentum() -> None:
    """Yaw of a body with a wheel that spins about y rolls it: the gyroscopic moment is -omega x h."""
    J = np.diag([4.0, 5.0, 6.0])
    plate = Body("plate", None, "free", 3.0, (0, 0, 0), J)
    wheel = Body("wheel", "plate", "rev", 1.0, (0, 0, 0), np.diag([0.5, 0.8, 0.5]), (0, 0, 0), ((0, 1, 0),))
    m = Mechanism((plate, wheel))
    found = []
    for spinning in ((), ("wheel",)):
        e = Embedded(m, spinning)
        u, spin = ca.SX.sym("u"), ca.SX.sym("V", 6)
        q = {"wheel": 0.3} if not spinning else {}
        c = e.configuration(q, u)
        a = motion(m, c.compounds, spin, independent_forces(e, {("wheel", 0): 2.0}), {})
        f = ca.Function("f", [u, spin], [a.A["plate"], *a.rates])
        found.append([v.full().ravel() for v in f(7.0, [0.1, 0.2, 3.0, 0, 0, 0])])
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=0, atol=1e-13)
    w, whole = np.array([0.1, 0.2, 3.0]), J + np.diag([0.5, 0.0, 0.5])
    h = np.array([0, 0.8 * (7.0 + 0.2), 0])
    wanted = np.linalg.solve(whole, -np.cross(w, whole @ w + h) - [0, 2.0, 0])
    np.testing.assert_allclose(found[1][0][:3], wanted, rtol=1e-13)
    assert abs(wanted[0]) > 1.0


@pytest.mark.parametrize("arrow", [False, True])
def test_a_symmetric_solve_is_that_of_numpy(arrow: bool) -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    D, right = A @ A.T + 6 * np.eye(6), rng.normal(size=(6, 3))
    if arrow:  # full in its first row and column only
        D[1:, 1:] = np.diag(np.diag(D)[1:])
    mine = ca.DM(ca.evalf(LDLFactors(ca.DM(np.tril(D))).solve(ca.SX(right)))).full()
    np.testing.assert_allclose(mine, np.linalg.solve(D, right), rtol=1e-12)


class Flight:
    """The car in free fall on undamped springs, with spinning wheels: its state over time, energy and momentum."""

    def __init__(self, m: Mechanism) -> None:
        e = Embedded(m, rotors())
        v = values(read("vehicles/hmmwv.json"))
        place, turn, V = ca.SX.sym("place", 3), ca.SX.sym("turn", 4), ca.SX.sym("V", 6)
        q, u = ca.SX.sym("q", len(e.joints)), ca.SX.sym("u", len(e.rates))
        coordinates = {n: q[i] for i, n in enumerate(e.joints)}
        c = e.configuration(coordinates, u)
        spring = sum(
            0.5 * v["front"]["spring"]["rate_N_per_m"] * (self._length(v, c.poses, w) - self._length(v, None, w)) ** 2
            for w in ("fl", "fr", "rl", "rr")
        )
        pull = -ca.gradient(spring, q)
        forces = independent_forces(e, {(n, 0): pull[i] for i, n in enumerate(e.joints)})
        found = motion(m, c.compounds, V, forces, {})
        R = from_quaternion(turn)
        fall = ca.vertcat(ca.SX(3, 1), R.T @ ca.DM([0, 0, -G]))
        along = [e.rates.index((n, 0)) for n in e.joints]
        rates = ca.vertcat(R @ V[3:], quaternion_rate(turn, V[:3]), u[along], found.A[m.base] + fall, *found.rates)
        self.state = ca.vertcat(place, turn, q, V, u)
        poses = {m.base: DESIGN} | c.poses
        mass = sum(float(b.mass) for b in m.bodies)
        centre = first_moment(m, poses)
        raised = (R @ centre)[2] + mass * place[2]  # kg m
        h = momentum(m, poses, found.V)
        # about the centre of mass, in world axes
        angular = R @ (h[:3] - ca.cross(centre / mass, h[3:]))
        kinetic = kinetic_energy(m, poses, found.V)
        self.kept = ca.Function("kept", [self.state], [kinetic + G * raised + spring, angular, R @ h[3:], c.margin])
        self.rate = ca.Function("rate", [self.state], [rates], {"cse": True})
        spins = [20.0 + i if n.startswith("wheel") else 0.6 * (-1) ** i for i, (n, _) in enumerate(e.rates)]
        self.start = np.concatenate([[0, 0, 100.0, 1, 0, 0, 0], np.zeros(5), [0.3, 0.5, 0.8, 5, 1, 2], spins])

    def _length(self, v: Any, poses: Any, w: str) -> Any:
        """The spring of a corner; of the design position without poses."""
        points = v["front" if w[0] == "f" else "rear"]["points_m"]
        flip = ca.DM([1, 1 if w[1] == "l" else -1, 1])
        lower, upper = points["spring_lower"] * flip, points["spring_upper"] * flip
        return ca.norm_2((lower if poses is None else poses[f"lower_arm_{w}"].at(lower)) - upper)

    def fly(self, h: float, seconds: float, samples: int = 50) -> tuple[float, float]:
        """The largest changes of energy, J, and of angular momentum, relative, with RK4 of step h."""
        x = ca.SX.sym("x", self.state.shape[0])
        f = self.rate
        k1 = f(x)
        k2 = f(x + h / 2 * k1)
        k3 = f(x + h / 2 * k2)
        k4 = f(x + h * k3)
        step = ca.Function("step", [x], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])
        # a call for each of the samples
        block = step.fold(round(seconds / h / samples))
        now, found = self.start, []
        for _ in range(samples):
            now = block(now)
            energy, angular, _, margin = self.kept(now)
            assert float(margin) > 0.0
            found.append([float(energy), *angular.full().ravel()])
        energy, angular, _, _ = self.kept(self.start)
        change = np.abs(np.array(found) - [float(energy), *angular.full().ravel()]).max(axis=0)
        return float(change[0]), float(change[1:].max() / np.linalg.norm(angular.full()))


@pytest.mark.slow
def test_energy_and_momentum_drift_at_the_order_of_the_integrator(mechanisms: Made) -> None:
    """Ten seconds of free motion; RK4 loses energy at an order between 4 and 5."""
    flight = Flight(mechanisms["hmmwv"](False))
    energy, angular = zip(*(flight.fly(h, 10.0) for h in (8e-3, 4e-3, 2e-3, 1e-3)), strict=True)
    for drift in (energy, angular):
        orders = np.log2(np.array(drift[:-1]) / drift[1:])
        assert (orders > 3.7).all() and (orders < 6).all(), (drift, orders)
    assert energy[-1] < 1e-3
    assert angular[-1] < 1e-9


def test_the_equations_keep_energy_at_any_state(mechanisms: Made) -> None:
    """Nothing but weight and springs acts, so kinetic, potential and elastic energy together keep their sum."""
    flight = Flight(mechanisms["hmmwv"](False))
    total = ca.Function(
        "power", [flight.state], [ca.jtimes(flight.kept(flight.state)[0], flight.state, flight.rate(flight.state))]
    )
    rng = np.random.default_rng(6)
    for _ in range(5):
        state = flight.start + 0.1 * rng.normal(size=flight.start.size)
        assert abs(float(total(state))) < 1e-8
