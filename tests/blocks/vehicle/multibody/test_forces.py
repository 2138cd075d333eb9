"""Force elements against equations by hand, the energy that they store and burn, and what is refused of them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import rotors
from drawbar.blocks.vehicle.multibody.embedded import Embedded, first_moment, independent_forces, kinetic_energy
from drawbar.blocks.vehicle.multibody.embedding import motion
from drawbar.blocks.vehicle.multibody.force_element import ForceLaw, JointElement, LineElement
from drawbar.blocks.vehicle.multibody.forces import element_states, stored_energy
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Body, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import quaternion_rate

Made = Mapping[str, Callable[..., Mechanism]]
X, Y, Z = np.eye(3)
G = 9.81


def block(**changed: Any) -> Body:
    """A mass of 2 kg that slides up and down."""
    given = {"name": "block", "parent": None, "joint": "pris", "mass": 2.0, "com": (0, 0, 1), "inertia": np.eye(3)}
    return Body(**{**given, "point": (0, 0, 1), "axes": (Z,), **changed})


def flap() -> Body:
    """A thin rod of 3 kg along x, hinged at the origin; 4 kg m2 about the hinge."""
    return Body("flap", None, "rev", 3.0, (1, 0, 0), np.diag([0.01, 1, 1]), (0, 0, 0), (Y,))


def acceleration(m: Mechanism) -> Callable[[float, float], float]:
    """Of a mechanism with one coordinate, without gravity."""
    e = Embedded(m)
    q, u = ca.SX.sym("q"), ca.SX.sym("u")
    c = e.configuration({e.joints[0]: q}, u)
    found = motion(m, c.compounds, ca.SX(6, 1), independent_forces(e, {}), {}, ca.SX(6, 1))
    function = ca.Function("f", [q, u], [found.rates[0]])
    return lambda at, rate: float(function(at, rate))


LAW = ForceLaw(100.0, 0.1, 2.0, 5.0, 3.0, 8.0, (-0.4, 0.5), ((0, 0), (0.1, 40), (0.2, 100)))
# coordinate, rate, and the force that the law gives there, by hand
FORCES = {
    "free": (0.1, 0.0, 5.0),
    "pressed": (-0.1, 0.0, 5.0 + 100 * 0.2 * (1 + 2 * 0.04)),
    "pulled": (0.4, 0.0, 5.0 - 100 * 0.3 * (1 + 2 * 0.09)),
    "closing": (0.1, -2.0, 5.0 + 3.0 * 2),
    "opening": (0.1, 2.0, 5.0 - 8.0 * 2),
    "in the lower stop": (-0.55, 0.0, 5.0 + 100 * 0.65 * (1 + 2 * 0.4225) + 40 + 600 * 0.05),
    "beyond the table of the upper one": (0.8, 0.0, 5.0 - 100 * 0.7 * (1 + 2 * 0.49) - 40 - 600 * 0.2),
}


@pytest.mark.parametrize("name", FORCES)
def test_a_law_gives_the_force_by_hand_along_each_kind_of_coordinate(name: str) -> None:
    s, rate, force = FORCES[name]
    # the flap turns the other way about y: its tip falls where its angle grows
    slide = Mechanism((block(),), forces=(JointElement("block", LAW),))
    assert acceleration(slide)(s, rate) == pytest.approx(force / 2.0, rel=1e-13)
    turn = Mechanism((flap(),), forces=(JointElement("flap", LAW),))
    assert acceleration(turn)(s, rate) == pytest.approx(force / 4.0, rel=1e-13)
    moved = replace(LAW, free=1.1, stops=(0.6, 1.5))
    line = LineElement(GROUND, "block", (0, 0, 0), (0, 0, 1), moved)
    assert acceleration(Mechanism((block(),), forces=(line,)))(s, rate) == pytest.approx(force / 2.0, rel=1e-13)


def test_a_slanting_spring_pulls_by_its_direction_and_lever() -> None:
    """A spring from (0, 0, 1.5) to the tip of the flap, (2, 0, 0): 2.5 m at design."""
    spring = LineElement(GROUND, "flap", (0, 0, 1.5), (2, 0, 0), ForceLaw(50.0, 2.0, compression=4.0))
    found = acceleration(Mechanism((flap(),), forces=(spring,)))(0.0, 0.7)
    # it turns about y by 0.7 rad/s, so the tip falls by 1.4 m/s, and the spring grows by 1.4 x 1.5/2.5
    pull = 50.0 * 0.5 + 4.0 * 1.4 * 0.6
    assert found == pytest.approx(-pull * 0.6 * 2.0 / 4.0, rel=1e-13)


def test_without_a_free_length_a_spring_is_free_in_the_design_position() -> None:
    law = ForceLaw(100.0)
    line = LineElement(GROUND, "block", (0, 1, 0), (0, 0, 1), law)
    for element in (line, JointElement("block", law)):
        found = acceleration(Mechanism((block(),), forces=(element,)))
        assert abs(found(0.0, 0.3)) < 1e-13
        assert found(0.1, 0.0) < -0.1


def test_an_angle_is_told_up_to_half_a_turn() -> None:
    found = acceleration(Mechanism((flap(),), forces=(JointElement("flap", ForceLaw(1.0)),)))
    for angle in (-3.1, -1.6, -0.2, 0.0, 1.0, 2.0, 3.1):
        assert 4.0 * found(angle, 0.0) == pytest.approx(-angle, abs=1e-14)
    assert 4.0 * found(2 * np.pi + 0.5, 0.0) == pytest.approx(-0.5, abs=1e-14)


def test_the_hinge_of_a_turned_parent_is_told_too(mechanisms: Made) -> None:
    m = replace(mechanisms["pendulum"](3), forces=(JointElement("rod2", ForceLaw(2.0, 0.4)),))
    e = Embedded(m)
    c = e.configuration(dict(zip(e.joints, (0.7, -1.2, 0.9), strict=True)), ca.DM([3.0, -2.0, 1.5]))
    (found,) = element_states(m, c.poses, c.motions(ca.DM.zeros(6)))
    values = [float(ca.evalf(ca.SX(v))) for v in (found.coordinate, found.rate, found.force, found.energy)]
    assert values == pytest.approx([0.9, 1.5, -1.0, 0.25], abs=1e-14)


def test_numbers_of_a_law_may_be_symbols() -> None:
    rate, motor = ca.SX.sym("rate"), ca.SX.sym("motor")
    m = Mechanism((block(),), forces=(JointElement("block", ForceLaw(rate, preload=motor)),))
    e = Embedded(m)
    c = e.configuration({"block": ca.DM(0.5)}, ca.DM(0))
    found = motion(m, c.compounds, ca.SX(6, 1), independent_forces(e, {}), {}, ca.SX(6, 1)).rates[0]
    assert float(ca.Function("f", [rate, motor], [found])(8.0, 1.0)) == pytest.approx((1.0 - 4.0) / 2.0)


class Free:
    """A mechanism on its force elements under gravity, with nothing else that acts: its state, energy and losses."""

    def __init__(self, m: Mechanism, spinning: tuple[str, ...]) -> None:
        e = Embedded(m, spinning)
        sizes = {"ball": 4, "univ": 2}
        q = {n: ca.SX.sym("q", sizes.get(m.by_name[n].joint, 1)) for n in e.joints}
        u = ca.SX.sym("u", len(e.rates))
        moving = m.base != GROUND
        V = ca.SX.sym("V", 6) if moving else ca.SX(6, 1)
        c = e.configuration(q, u)
        up = None if moving else ca.vertcat(ca.SX(5, 1), G)
        found = motion(m, c.compounds, V, independent_forces(e, {}), {}, up)
        self.rates = ca.vertcat(*found.rates)
        own = {n: u[[i for i, (b, _) in enumerate(e.rates) if b == n]] for n in e.joints}
        # rates of a ball are about the axes of its body
        turning = [quaternion_rate(q[n], own[n]) if m.by_name[n].joint == "ball" else own[n] for n in e.joints]
        motions = c.motions(V)
        self.elements = element_states(m, c.poses, motions)
        energy = kinetic_energy(m, c.poses, motions) + stored_energy(m, c.poses)
        rate = ca.vertcat(*turning, self.rates)
        self.state = ca.vertcat(*q.values(), u)
        if moving:
            # energy does not hang on the place of the base, so it stays in its own axes
            self.state, rate = ca.vertcat(self.state, V), ca.vertcat(rate, found.A[m.base])
        else:
            energy += G * first_moment(m, c.poses)[2]
        self.energy, self.rate, self.e = energy, rate, e

    def power(self) -> ca.Function:
        """The rate of the energy, W, and that of the energy of all force elements apart."""
        stored = ca.vertcat(ca.SX(0, 1), *(a.energy for a in self.elements))
        losses = [ca.jtimes(v, self.state, self.rate) for v in (self.energy, stored)]
        worked = ca.vertcat(*(a.force * a.rate for a in self.elements))
        return ca.Function("power", [self.state], [*losses, worked], {"cse": True})

    def states(self, count: int, spread: float) -> list[Any]:
        rng = np.random.default_rng(9)
        balls = [np.append(1.0, np.zeros(3)) for n in self.e.joints if self.e.mechanism.by_name[n].joint == "ball"]
        sizes = {"ball": 4, "univ": 2}
        joints = [self.e.mechanism.by_name[n].joint for n in self.e.joints]
        start = np.concatenate([balls[0] if j == "ball" else np.zeros(sizes.get(j, 1)) for j in joints])
        rest = self.state.shape[0] - start.size
        return [np.concatenate([start + rng.uniform(-spread, spread, start.size), rng.normal(size=rest)])
                for _ in range(count)]  # fmt: skip


CASES: dict[str, tuple[tuple[str, ...], float]] = {
    "four-bar": ((), 0.4),
    "slider-crank": ((), 0.5),
    "pendulum": ((), 2.0),
    "hexapod": ((), 0.3),
    "quarter car": (("wheel_rl",), 0.25),
    "hmmwv": (rotors(detailed=True), 0.2),
}


@pytest.mark.parametrize("name", CASES)
def test_springs_keep_energy_at_any_state(name: str, mechanisms: Made, on_springs: Callable[..., Mechanism]) -> None:
    """Undamped, kinetic and potential energy keep their sum; measured 1e-14 of what flows."""
    spinning, spread = CASES[name]
    m = on_springs(mechanisms[name](), 0.0)
    # the work of a motor on a wheel is stored nowhere
    forces = tuple(f for f in m.forces if not (isinstance(f, JointElement) and f.joint in spinning))
    free = Free(replace(m, forces=forces), spinning)
    power = free.power()
    for state in free.states(5, spread):
        total, stored, worked = (v.full().ravel() for v in power(state))
        np.testing.assert_allclose(stored, -worked, rtol=0, atol=1e-10 * np.abs(worked).max())
        assert np.abs(worked).max() > 1.0
        assert abs(total[0]) < 1e-10 * np.abs(worked).sum()


@pytest.mark.parametrize("name", ["slider-crank", "quarter car", "hexapod"])
def test_dampers_burn_what_is_lost(name: str, mechanisms: Made, on_springs: Callable[..., Mechanism]) -> None:
    free, spread = Free(on_springs(mechanisms[name](), 7.0), ()), CASES[name][1]
    power = free.power()
    for state in free.states(5, spread):
        total, stored, worked = (v.full().ravel() for v in power(state))
        burnt = -(worked + stored)
        assert (burnt >= -1e-9).all() and burnt.max() > 0.01
        assert total[0] == pytest.approx(-burnt.sum(), rel=1e-9)


@pytest.mark.parametrize("stops", [None, (-0.1, 0.25)])
def test_a_free_motion_drifts_at_the_order_of_the_integrator(stops: Any, mechanisms: Made) -> None:
    """Two seconds of the slider-crank by RK4; where it swings into stops the corners of their tables cost the order."""
    soft = ForceLaw(20.0, 0.2, 1.0, 0.5, stops=stops, stop_table=((0, 0), (0.05, 5), (0.2, 60)) if stops else ())
    strut = LineElement(GROUND, "conrod", (0.5, 0, 1), (0.9, 0, 0.1), ForceLaw(150.0, 0.9))
    forces = (JointElement("crank", soft), JointElement("piston", ForceLaw(200.0, progression=3.0)), strut)
    free = Free(replace(mechanisms["slider-crank"](), forces=forces), ())
    x = ca.SX.sym("x", free.state.shape[0])
    f, energy = ca.Function("f", [free.state], [free.rate]), ca.Function("E", [free.state], [free.energy])
    drift = []
    for h in (8e-3, 4e-3, 2e-3):
        k1 = f(x)
        k2 = f(x + h / 2 * k1)
        k3 = f(x + h / 2 * k2)
        step = ca.Function("step", [x], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(x + h * k3))])
        run = step.mapaccum(round(2.0 / h))(ca.DM([0.2, -4.0]))
        found = energy.map(run.shape[1])(run).full().ravel()
        drift.append(np.abs(found - found[0]).max())
        assert np.ptp(run[0, :].full()) > 0.4, "it swings"
    orders = np.log2(np.array(drift[:-1]) / drift[1:])
    if stops is None:
        assert (orders > 3.7).all() and (orders < 6.0).all(), (drift, orders)
        assert drift[-1] < 1e-7
    else:
        assert orders.mean() > 1.5, (drift, orders)


def line(law: ForceLaw | None = None, **changed: Any) -> LineElement:
    given = {"body_a": GROUND, "body_b": "hand", "point_a": (0, 0, 0), "point_b": (1, 0, 0), **changed}
    return LineElement(**given, law=law or ForceLaw(1.0))
