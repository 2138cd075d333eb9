"""The car beside MuJoCo: its tree, mass matrix, bias and Jacobians, with the loops closed here, give the same motion.

Of trees without loops MuJoCo tells the inverse dynamics too.

MuJoCo knows neither our spatial algebra nor our loops. Its tree of 45 coordinates is written as MJCF from the
description; positions and rates of its joints come from our poses and motions; the 30 rows of the cuts are made of its
point Jacobians and their rates; the equations with multipliers are solved by numpy.
"""

import runpy
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import casadi as ca
import mujoco
import numpy as np
import pytest

from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import rotors
from drawbar.blocks.vehicle.multibody.embedded import Embedded, independent_forces
from drawbar.blocks.vehicle.multibody.embedding import motion
from drawbar.blocks.vehicle.multibody.inverse_dynamics import inverse_dynamics
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, Pose

Made = Mapping[str, Callable[..., Mechanism]]
MUJOCO = runpy.run_path(str(Path(__file__).with_name("mujoco_tree.py")))
Tree, flat, GRAVITY = MUJOCO["Tree"], MUJOCO["flat"], MUJOCO["GRAVITY"]


def embedded_car(m: Mechanism) -> tuple[Embedded, ca.Function]:
    """Ours: base and rate accelerations, poses and motions, from q, V, u, joint forces, and wrenches on all hubs."""
    e = Embedded(m, rotors(detailed=True))
    q, V, u = ca.SX.sym("q", len(e.joints)), ca.SX.sym("V", 6), ca.SX.sym("u", len(e.rates))
    tau = ca.SX.sym("tau", len(e.rates))
    on = {name: ca.SX.sym(name, 6) for name in (*rotors(detailed=True), "chassis")}
    c = e.configuration({n: q[i] for i, n in enumerate(e.joints)}, u)
    forces = independent_forces(e, {r: tau[i] for i, r in enumerate(e.rates)})
    found = motion(m, c.compounds, V, forces, on)
    poses = {m.base: DESIGN} | c.poses
    states = [v for b in m.bodies for v in (ca.SX(poses[b.name].R), ca.SX(poses[b.name].p), found.V[b.name])]
    return e, ca.Function("car", [q, V, u, tau, *on.values()], [ca.vertcat(found.A[m.base], *found.rates), *states])


def largest_difference(ours: Mechanism, theirs: Mechanism, states: int) -> float:
    """Of all independent accelerations at random states with random forces, relative to the largest of each state."""
    tree = Tree(theirs)
    assert (tree.model.nv, sum(c.rows for c in theirs.cuts)) == (45, 30)
    e, car = embedded_car(ours)
    places = [tree.dofs(theirs.by_name[name])[k] for name, k in e.rates]
    rng, worst = np.random.default_rng(8), 0.0
    for _ in range(states):
        q, u = rng.uniform(-0.28, 0.28, len(e.joints)), rng.normal(size=len(e.rates)) * 5
        V = rng.normal(size=6) * [1, 1, 1, 15, 3, 3]
        tau = rng.normal(size=len(e.rates)) * 300
        wrenches = {name: rng.normal(size=6) * 3000 for name in (*rotors(detailed=True), "chassis")}
        A, *bodies = car(q, V, u, tau, *wrenches.values())
        mine = flat(A)
        # ours is spatial, against free fall; theirs is of the moving point, in the world
        mine[3:6] += np.cross(V[:3], V[3:]) + GRAVITY
        poses = {b.name: Pose(*bodies[3 * i : 3 * i + 2]) for i, b in enumerate(ours.bodies)}
        tree.put(poses, {b.name: bodies[3 * i + 2] for i, b in enumerate(ours.bodies)})
        forces = np.zeros(45)
        forces[places] = tau
        found, gap = tree.accelerations(forces, wrenches)
        assert gap < 1e-13
        base = found[tree.dofs(theirs.bodies[0])]
        wanted = np.concatenate([base[3:], base[:3], found[places]])
        worst = max(worst, float(np.abs(mine - wanted).max() / np.abs(wanted).max()))
    return worst


def test_accelerations_of_the_car_are_those_of_mujoco(mechanisms: Made) -> None:
    """Measured 1e-14."""
    m = mechanisms["hmmwv"]()
    assert largest_difference(m, m, 20) < 1e-11


def test_a_heavier_rod_of_theirs_is_seen(mechanisms: Made) -> None:
    """Negative control: one per cent more on one strut rod of 2 kg."""
    m = mechanisms["hmmwv"]()
    heavy = tuple(replace(b, mass=1.01 * b.mass) if b.name == "rod_fl" else b for b in m.bodies)
    assert largest_difference(m, Mechanism(heavy, m.cuts, m.independent), 1) > 1e-7


def efforts(ours: Mechanism, theirs: Mechanism) -> float:
    """Of all forces along joints and on the base that random accelerations take, relative to the largest of each."""
    tree, e = Tree(theirs), Embedded(ours)
    sizes = {n: {"ball": 4, "univ": 2}.get(ours.by_name[n].joint, 1) for n in e.joints}
    q, u = {n: ca.SX.sym(n, size) for n, size in sizes.items()}, ca.SX.sym("u", len(e.rates))
    V, A, given = ca.SX.sym("V", 6), ca.SX.sym("A", 6), ca.SX.sym("given", len(e.rates))
    c = e.configuration(q, u)
    parts = np.cumsum([0, *(len(n.independent) for n in e.nodes)]).tolist()
    found = inverse_dynamics(ours, c.compounds, V, ca.vertsplit(given, parts), {}, A)
    motions = c.motions(V)
    states = [v for b in ours.bodies for v in (ca.SX(c.poses[b.name].R), ca.SX(c.poses[b.name].p), motions[b.name])]
    f = ca.Function("f", [*q.values(), u, V, A, given], [ca.vertcat(*found.forces), found.base, *states])
    rng, worst = np.random.default_rng(2), 0.0
    free = ours.base != GROUND
    for _ in range(5):
        at = [np.append(1.0, rng.normal(size=3) * 0.3) if s == 4 else rng.uniform(-1, 1, s) for s in sizes.values()]
        base, spatial = (rng.normal(size=6) * 5 if free else np.zeros(6) for _ in range(2))
        rates = rng.normal(size=len(e.rates)) * 9
        # against free fall: what is at rest accelerates upwards
        against = spatial - np.append(np.zeros(3), GRAVITY)
        forces, left, *bodies = f(*at, rng.normal(size=len(e.rates)) * 3, base, against, rates)
        poses = {b.name: Pose(*bodies[3 * i : 3 * i + 2]) for i, b in enumerate(ours.bodies)} | {GROUND: DESIGN}
        tree.put(poses, {b.name: bodies[3 * i + 2] for i, b in enumerate(ours.bodies)} | {GROUND: ca.DM(6, 1)})
        places = [tree.dofs(theirs.by_name[name])[k] for name, k in e.rates]
        tree.data.qacc[places] = rates
        mine = flat(forces)
        if free:
            moving = tree.dofs(theirs.bodies[0])
            # theirs is of the moving point, force before moment
            linear = spatial[3:] + np.cross(base[:3], base[3:])
            tree.data.qacc[moving] = [*linear, *spatial[:3]]
            places, mine = [*places, *moving], np.concatenate([mine, flat(left)[3:], flat(left)[:3]])
        mujoco.mj_inverse(tree.model, tree.data)
        wanted = tree.data.qfrc_inverse[places]
        worst = max(worst, float(np.abs(mine - wanted).max() / np.abs(wanted).max()))
    return worst


@pytest.mark.parametrize("name", ["pendulum", "hexapod"])
def test_inverse_dynamics_is_that_of_mujoco(name: str, mechanisms: Made) -> None:
    """Measured 1e-15; and a part that is heavier by a per cent is seen."""
    m = mechanisms[name]()
    assert efforts(m, m) < 1e-12
    heavy = replace(m.bodies[-1], mass=1.01 * m.bodies[-1].mass)
    assert efforts(m, Mechanism((*m.bodies[:-1], heavy))) > 1e-5
