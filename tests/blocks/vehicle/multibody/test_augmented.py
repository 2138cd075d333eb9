"""One description, three formulations: accelerations of CE, TA and FA are equal at random states."""

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import rotors
from drawbar.blocks.vehicle.multibody.augmented import absolute_equations, tree_equations
from drawbar.blocks.vehicle.multibody.embedded import Embedded, independent_forces
from drawbar.blocks.vehicle.multibody.embedding import motion, projected
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import DESIGN

Made = Mapping[str, Callable[..., Mechanism]]
Changed = Callable[..., Mechanism]


def symbols(e: Embedded) -> dict[str, Any]:
    m = e.mechanism
    q = {n: ca.SX.sym("q_" + n, {"ball": 4, "univ": 2}.get(m.by_name[n].joint, 1)) for n in e.joints}
    moving = m.base != GROUND
    return {
        "q": q,
        "u": ca.SX.sym("u", len(e.rates)),
        "V": ca.SX.sym("V", 6) if moving else ca.SX(6, 1),
        "tau": ca.SX.sym("tau", len(e.rates)),
        "f": {b.name: ca.SX.sym("f_" + b.name, 6) for b in m.bodies},
        "base": None if moving else ca.vertcat(ca.SX(5, 1), 9.81),
    }


def accelerations(e: Embedded) -> tuple[ca.Function, list[Any]]:
    """CE: body accelerations and rates; the projected form; TA and FA as matrices and right sides."""
    m, s = e.mechanism, symbols(e)
    configuration = e.configuration(s["q"], s["u"])
    forces = independent_forces(e, {r: s["tau"][i] for i, r in enumerate(e.rates)})
    ce = motion(m, configuration.compounds, s["V"], forces, s["f"], s["base"])
    poses = {GROUND: DESIGN, m.base: DESIGN} | configuration.poses
    V = dict(ce.V) | {GROUND: ca.SX(6, 1)}
    along: Mapping[tuple[str, int], Any] = {r: s["tau"][i] for i, r in enumerate(e.rates)}
    wrenches = dict(s["f"])
    if s["base"] is not None:  # weight as a wrench on every body where the ground cannot accelerate
        for b in m.bodies:
            weight = ca.vertcat(0, 0, -9.81 * b.mass)
            wrenches[b.name] = wrenches[b.name] + ca.vertcat(ca.cross(poses[b.name].at(b.com), weight), weight)
    ta = tree_equations(m, poses, V, along, wrenches)
    fa = absolute_equations(m, poses, V, along, wrenches)
    H, f = projected(m, configuration.compounds, s["V"], forces, wrenches)
    gravity = 0 if s["base"] is None else s["base"]
    bodies = ca.horzcat(*(ce.A[b.name] - gravity for b in m.bodies))
    rates = ca.vertcat(*([ce.A[m.base]] if s["base"] is None else []), *ce.rates)
    inputs = [ca.vertcat(*s["q"].values()), s["u"], s["V"], s["tau"], *s["f"].values()]
    outputs = [bodies, rates, H, f, *ta.kkt(), *fa.kkt(), configuration.closure_error, configuration.margin]
    columns = [(name, k) for name, count in ta.names for k in range(count)]
    return ca.Function("all", inputs, outputs), columns


# rotors, and how far the independent coordinates go
MECHANISMS: dict[str, tuple[Any, float]] = {
    "four-bar": ((), 0.4),
    "slider-crank": ((), 0.5),
    "pendulum": ((), 2.0),
    "hexapod": ((), 0.5),
    "quarter car": (("wheel_rl",), 0.25),
    "clamped corner": ((), 0.25),
    "hmmwv": (rotors(detailed=True), 0.25),
}


@pytest.mark.parametrize("springs", [False, True])
@pytest.mark.parametrize("name", MECHANISMS)
def test_three_formulations_agree(name: str, springs: bool, mechanisms: Made, on_springs: Changed) -> None:
    """CE against TA 1e-10 and FA 1e-8, relative; measured 3e-14 and 3e-13.

    As the mechanism is, and with force elements all over it.
    """
    spinning, spread = MECHANISMS[name]
    m = mechanisms[name]()
    e = Embedded(on_springs(m) if springs else m, spinning)
    function, columns = accelerations(e)
    rng = np.random.default_rng(5)
    balls = [n for n in e.joints if e.mechanism.by_name[n].joint == "ball"]
    for _ in range(5):
        q = []
        for n in e.joints:
            size = {"univ": 2}.get(e.mechanism.by_name[n].joint, 1)
            q.append(np.append(1.0, rng.uniform(-0.3, 0.3, 3)) if n in balls else rng.uniform(-spread, spread, size))
        free = e.mechanism.base != GROUND
        V = rng.normal(size=6) * [0.3, 0.3, 1, 15, 1, 1] if free else np.zeros(6)
        rest = [rng.normal(size=6) * 50 for _ in e.mechanism.bodies]
        state = [np.concatenate(q), rng.normal(size=len(e.rates)) * 3, V, rng.normal(size=len(e.rates)) * 30]
        A, rates, H, f, K_t, r_t, K_f, r_f, gap, margin = (v.full() for v in function(*state, *rest))
        assert gap < 1e-12
        assert margin > 0.0
        scale = np.abs(A).max()
        mine = rates.ravel()
        np.testing.assert_allclose(np.linalg.solve(H, f).ravel(), mine, rtol=0, atol=1e-10 * scale)
        tree = np.linalg.solve(K_t, r_t).ravel()
        first = 6 if free else 0
        places = [columns.index(r) for r in e.rates]
        np.testing.assert_allclose(tree[places], mine[first:], rtol=0, atol=1e-10 * scale)
        if free:
            np.testing.assert_allclose(tree[:6], mine[:6], rtol=0, atol=1e-10 * scale)
        absolute = np.linalg.solve(K_f, r_f).ravel()[: A.size].reshape(A.shape, order="F")
        np.testing.assert_allclose(absolute, A, rtol=0, atol=1e-8 * scale)


def test_another_mass_is_seen(mechanisms: Made) -> None:
    """Negative control: with another mass the accelerations differ far beyond the tolerance."""
    found = []
    for mass in (1.0, 1.01):
        function, _ = accelerations(Embedded(mechanisms["four-bar"](mass)))
        found.append(function(0.2, 1.0, np.zeros(6), 0.0, *[np.zeros(6)] * 3)[1].full())
    assert np.abs(found[0] - found[1]).max() > 1e-4
