"""Inverse dynamics beside equations by hand and the forward recursion; `test_mujoco` has it beside MuJoCo."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks import DefinitionError
from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import rotors
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.embedding import motion
from drawbar.blocks.vehicle.multibody.force_element import ForceLaw, JointElement
from drawbar.blocks.vehicle.multibody.inverse_dynamics import inverse_dynamics
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Mechanism

Made = Mapping[str, Callable[..., Mechanism]]
G = 9.81
UP = ca.DM([0, 0, 0, 0, 0, G])
STILL = ca.DM.zeros(6)


def number(value: Any) -> Any:
    return ca.DM(ca.evalf(ca.SX(value))).full().ravel()


def effort(m: Mechanism, q: dict[str, float], u: list[float], rates: list[float]) -> tuple[Any, Any]:
    """Of a mechanism of single joints on the ground: forces along them, and what the bearing takes."""
    c = Embedded(m).configuration({n: ca.DM(v) for n, v in q.items()}, ca.DM(u))
    found = inverse_dynamics(m, c.compounds, STILL, [ca.DM(r) for r in rates], {}, UP)
    return np.array([number(f)[0] for f in found.forces]), number(found.base)


def test_a_pendulum_takes_what_its_equation_says(mechanisms: Made) -> None:
    """``tau = (I + m c^2) q'' + m g c sin q``, and k (q - q0) with a spring at its hinge."""
    m = mechanisms["pendulum"](1)
    angle, acceleration = 0.7, 3.0
    wanted = (1 / 12 + 1e-3 + 0.25) * acceleration + G * 0.5 * np.sin(angle)
    tau, _ = effort(m, {"rod0": angle}, [2.0], [acceleration])
    assert tau == pytest.approx([wanted], rel=1e-14)
    on_spring = replace(m, forces=(JointElement("rod0", ForceLaw(5.0, 0.2, compression=1.5)),))
    tau, _ = effort(on_spring, {"rod0": angle}, [2.0], [acceleration])
    assert tau == pytest.approx([wanted + 5.0 * 0.5 + 1.5 * 2.0], rel=1e-14)


def test_a_wrench_on_no_body_is_refused(mechanisms: Made) -> None:
    c = Embedded(mechanisms["pendulum"](1)).configuration({"rod0": ca.DM(0.1)}, ca.DM(0.0))
    wrench = {"rod1": ca.DM.ones(6)}
    for equations in (inverse_dynamics, motion):
        with pytest.raises(DefinitionError, match="a wrench on 'rod1': there is no such body; did you mean 'rod0'"):
            equations(mechanisms["pendulum"](1), c.compounds, STILL, [ca.DM(1.0)], wrench, UP)


def test_the_bearing_takes_weight_and_centripetal_force(mechanisms: Made) -> None:
    """A rod that hangs and turns at u pulls by ``m g + m c u^2``; one that is held level weighs with its lever."""
    m = mechanisms["pendulum"](1)
    tau, base = effort(m, {"rod0": 0.0}, [3.0], [0.0])
    assert tau == pytest.approx([0.0], abs=1e-14)
    assert base == pytest.approx([0, 0, 0, 0, 0, G + 0.5 * 9.0], abs=1e-13)
    tau, base = effort(m, {"rod0": np.pi / 2}, [0.0], [0.0])
    # it points along -x: its weight turns it back about -y, and the motor holds it by the moment that the bearing takes
    assert tau == pytest.approx([G * 0.5], rel=1e-14)
    assert base == pytest.approx([0, G * 0.5, 0, 0, 0, G], abs=1e-13)


def test_a_slider_crank_is_held_by_virtual_work(mechanisms: Made) -> None:
    """At rest the torque on the crank times its rate is the rate of the potential energy."""
    m = mechanisms["slider-crank"]()
    e = Embedded(m)
    c = e.configuration({"crank": ca.DM(0.4)}, ca.DM(1.0))
    V = c.motions(STILL)
    falling = sum(b.mass * (V[b.name][3:] + ca.cross(V[b.name][:3], c.poses[b.name].at(b.com)))[2] for b in m.bodies)
    tau, _ = effort(m, {"crank": 0.4}, [0.0], [0.0])
    assert tau == pytest.approx(G * number(falling), rel=1e-12)
    assert abs(tau[0]) > 1.0


CASES: dict[str, tuple[tuple[str, ...], float]] = {
    "four-bar": ((), 0.4),
    "slider-crank": ((), 0.5),
    "pendulum": ((), 2.0),
    "hexapod": ((), 0.5),
    "quarter car": (("wheel_rl",), 0.25),
    "clamped corner": ((), 0.25),
    "hmmwv": (rotors(detailed=True), 0.25),
    "hmmwv on wheels with an angle": ((), 0.25),
}


@pytest.mark.parametrize("springs", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_forwards_and_backwards_meet(
    name: str, springs: bool, mechanisms: Made, on_springs: Callable[..., Mechanism]
) -> None:
    """The forces of given accelerations give them back, and the accelerations of given forces these; measured 1e-11."""
    spinning, spread = CASES[name]
    m = mechanisms["hmmwv" if "hmmwv" in name else name]()
    m = on_springs(m) if springs else m
    e = Embedded(m, spinning)
    sizes = {"ball": 4, "univ": 2}
    q = {n: ca.SX.sym("q", sizes.get(m.by_name[n].joint, 1)) for n in e.joints}
    free = m.base != GROUND
    u, V = ca.SX.sym("u", len(e.rates)), ca.SX.sym("V", 6) if free else ca.SX(6, 1)
    wrenches = {m.bodies[-1].name: ca.SX.sym("f", 6)}
    c = e.configuration(q, u)
    parts = np.cumsum([0, *(len(n.independent) for n in e.nodes)]).tolist()
    given, base = ca.SX.sym("given", len(e.rates)), ca.SX.sym("base", 6)
    own = base if free else UP
    wanted = inverse_dynamics(m, c.compounds, V, ca.vertsplit(given, parts), wrenches, own)
    acting = {**wrenches, m.base: wanted.base} if free else wrenches
    again = motion(m, c.compounds, V, wanted.forces, acting, None if free else UP)
    pushed = motion(m, c.compounds, V, ca.vertsplit(given, parts), wrenches, None if free else UP)
    back = inverse_dynamics(m, c.compounds, V, pushed.rates, wrenches, pushed.A[m.base])
    inputs = [ca.vertcat(*q.values()), u, V, given, base, *wrenches.values()]
    outputs = [*again.rates, again.A[m.base]], [*back.forces, back.base]
    f = ca.Function("f", inputs, [ca.vertcat(*out) for out in outputs], {"cse": True})
    rng = np.random.default_rng(3)
    for _ in range(5):
        at = [rng.uniform(-spread, spread, q[n].shape[0]) + (q[n].shape[0] == 4) * np.eye(4)[0][: q[n].shape[0]]
              for n in e.joints]  # fmt: skip
        motions = [rng.normal(size=len(e.rates)), rng.normal(size=6) if free else np.zeros(6)]
        rates, A, f_outer = rng.normal(size=len(e.rates)) * 9, rng.normal(size=6) * 9, rng.normal(size=6) * 50
        forwards, backwards = (v.full().ravel() for v in f(np.concatenate(at), *motions, rates, A, f_outer))
        expected = np.concatenate([rates, A if free else number(UP)])
        np.testing.assert_allclose(forwards, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
        np.testing.assert_allclose(backwards[: len(rates)], rates, rtol=0, atol=1e-10 * np.abs(rates).max())
        if free:
            # nothing is left on a base that moves as it must
            np.testing.assert_allclose(backwards[len(rates) :], 0.0, rtol=0, atol=1e-10 * np.abs(f_outer).max())
