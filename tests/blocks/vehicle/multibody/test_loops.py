"""Loops closed by formulas against constraints solved by least squares, and against the derivatives of positions."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import least_squares

from drawbar.blocks.data import read
from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import mechanism, rotors, values
from drawbar.blocks.vehicle.multibody.closure import closure_errors, node_poses
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.loops import closed_form
from drawbar.blocks.vehicle.multibody.mechanism import DOF, GROUND, Cut, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import DESIGN

Made = Mapping[str, Callable[..., Mechanism]]
# travel of the lower arms, rad, positive in bump, and lock of the Pitman arm
TRAVEL = {"f": (-0.304, 0.419), "r": (-0.341, 0.385)}
LOCK = np.radians(30.0)


def solver(e: Embedded, name: str) -> tuple[list[str], Callable[[list[float]], Any]]:
    """The independent joints of the node that moves a body, and its poses from them by least squares."""
    m = e.mechanism
    node = next(n for n in e.nodes if name in n.bodies)
    chosen = [b for b, _ in node.independent]
    moving = [b for b in node.bodies if b not in chosen]
    dof = [DOF[m.by_name[b].joint] for b in moving]
    x, given = ca.SX.sym("x", sum(dof)), ca.SX.sym("q", len(chosen))
    q: dict[str, Any] = {b: given[i] for i, b in enumerate(chosen)}
    for b, part in zip(moving, ca.vertsplit(x, np.cumsum([0, *dof]).tolist()), strict=True):
        # a ball by its axis times the tangent of half the angle, so that no root is needed
        q[b] = ca.vertcat(1, part) if m.by_name[b].joint == "ball" else part
    above = {GROUND: DESIGN, m.base: DESIGN, node.parent: DESIGN}
    rows = closure_errors(m, node, q, above)
    rest = ca.Function("rest", [x, given], [rows, ca.jacobian(rows, x)])
    poses = node_poses(m, node, q, above)
    where = ca.Function(
        "poses", [x, given], [ca.vertcat(*(ca.vertcat(ca.vec(ca.SX(poses[b].R)), poses[b].p) for b in node.bodies))]
    )

    def solve(at: list[float]) -> Any:
        found = least_squares(
            lambda x: rest(x, at)[0].full().ravel(),
            np.zeros(sum(dof)),
            lambda x: rest(x, at)[1].full(),
            method="lm",
            ftol=1e-15,
            xtol=1e-15,
            gtol=1e-15,
        )
        assert np.abs(found.fun).max() < 1e-13
        return where(found.x, at).full().ravel()

    return chosen, solve


@pytest.mark.parametrize("body", ["link", "upright_rl", "upright_rr"])
def test_the_closed_form_is_what_a_solver_finds_over_all_travel_and_lock(
    body: str, mechanisms: Made, symbolic: Any, all_poses: Any
) -> None:
    """All bodies of the front axle with its steering, and of each rear corner."""
    state = symbolic(Embedded(mechanisms["hmmwv"](), rotors(detailed=True)))
    chosen, solve = solver(state.e, body)
    k = next(k for k in state.configuration.compounds if body in k.kinematics)
    mine = state.function(all_poses(k), state.configuration.margin)
    low, high = TRAVEL["f" if body == "link" else "r"]
    angles = np.linspace(low, high, 9)
    if body == "link":  # the arms move against each other, under all locks
        pairs = list(zip(angles, angles[::-1], strict=True))
        grid = [{"pitman": s, chosen[1]: a, chosen[2]: b} for s in np.linspace(-LOCK, LOCK, 5) for a, b in pairs]
    else:
        grid = [{chosen[0]: a} for a in np.linspace(low, high, 41)]
    worst = 0.0
    for at in grid:
        found, margin = mine([at.get(n, 0.0) for n in state.q], np.zeros(len(state.e.rates)))
        assert float(margin) > 0.0
        worst = max(worst, float(np.abs(found.full().ravel() - solve([at[n] for n in chosen])).max()))
    assert worst < 1e-12


CASES: dict[str, tuple[tuple[str, ...], float]] = {
    "hmmwv": (rotors(detailed=True), 0.28),
    "quarter car": (("wheel_rl",), 0.3),
    "four-bar": ((), 0.4),
    "slider-crank": ((), 0.5),
}


@pytest.mark.parametrize("name", CASES)
def test_rates_and_biases_are_the_derivatives_of_positions(name: str, mechanisms: Made, symbolic: Any) -> None:
    """``V = J u`` and ``A = V' = c`` (and what a moving parent adds), for all bodies of loops, closed either way."""
    spinning, spread = CASES[name]
    state = symbolic(Embedded(mechanisms[name](), spinning))
    c = state.configuration
    pairs, V, A = [], {state.e.mechanism.base: ca.SX(6, 1)}, {state.e.mechanism.base: ca.SX(6, 1)}
    for k in c.compounds:
        up = k.node.parent
        for b, placed in k.kinematics.items():
            relative = placed.J @ k.u
            V[b] = V[up] + relative
            from_parent = ca.vertcat(
                ca.cross(V[up][:3], relative[:3]), ca.cross(V[up][:3], relative[3:]) + ca.cross(V[up][3:], relative[:3])
            )
            A[b] = A[up] + from_parent + placed.c
            if k.rotor:
                continue
            turning = ca.reshape(state.derivative(ca.vec(ca.SX(placed.pose.R))), 3, 3) @ placed.pose.R.T
            omega = ca.vertcat(turning[2, 1], turning[0, 2], turning[1, 0])
            pairs += [
                (V[b], ca.vertcat(omega, state.derivative(ca.SX(placed.pose.p)) - ca.cross(omega, placed.pose.p)))
            ]
            pairs += [(A[b], state.derivative(V[b]))]
    mine, wanted = (ca.vertcat(*side) for side in zip(*pairs, strict=True))
    evaluate = state.function(mine, wanted)
    rng = np.random.default_rng(2)
    for _ in range(5):
        found = evaluate(rng.uniform(-spread, spread, len(state.q)), rng.normal(size=len(state.e.rates)))
        a, b = (f.full().ravel() for f in found)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-11 * np.abs(b).max())
        assert np.abs(b).max() > 0.1


def test_an_arm_beyond_its_travel_has_no_margin(mechanisms: Made, symbolic: Any) -> None:
    """In droop the upright is too short; that it cannot be assembled is what the solver finds as well."""
    e = Embedded(mechanisms["quarter car"](), ("wheel_rl",))
    state = symbolic(e)
    _, solve = solver(e, "upright_rl")
    margin = state.function(state.configuration.margin)
    assert list(state.q) == ["chassis", "lower_arm_rl"]
    for angle in (-0.6, -0.9):
        assert float(margin([0.0, angle], np.zeros(3))) < 0.0
        with pytest.raises(AssertionError):
            solve([angle])
    for angle in (*TRAVEL["r"], 0.0, -0.5, 0.6):
        assert 0.0 < float(margin([0.0, angle], np.zeros(3))) < 1.0
        solve([angle])


def test_the_pieces_are_found_whichever_way_their_cuts_are_written(
    mechanisms: Made, symbolic: Any, all_poses: Any
) -> None:
    m = mechanisms["hmmwv"]()
    turned = tuple(replace(c, body_a=c.body_b, body_b=c.body_a, point_a=c.point_b, point_b=c.point_a) for c in m.cuts)
    found = []
    for cuts in (m.cuts, turned):
        e = Embedded(Mechanism(m.bodies, cuts, m.independent), rotors(detailed=True))
        forms = [closed_form(e.mechanism, n) for n in e.nodes]
        assert [f is not None for f in forms] == [bool(n.cuts) for n in e.nodes]
        state = symbolic(e)
        found.append(
            state.function(*(all_poses(k) for k in state.configuration.compounds))(
                [0.3, 0.2, -0.2, 0.1, 0.3], np.zeros(9)
            )
        )
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a.full(), b.full())


def without(m: Mechanism, changed: Cut, instead: Cut) -> Mechanism:
    return Mechanism(m.bodies, tuple(instead if c is changed else c for c in m.cuts), m.independent)


def test_what_is_no_parallelogram_is_solved_by_newton(mechanisms: Made, symbolic: Any) -> None:
    """A longer idler: the front axle has no closed form, the rear corners keep theirs."""
    m = mechanisms["hmmwv"](False)
    inplane = next(c for c in m.cuts if c.kind == "inplane")
    moved = inplane.point_b + ca.DM([0.01, 0, 0])
    longer = without(m, inplane, replace(inplane, point_a=moved, point_b=moved))
    e = Embedded(longer, rotors())
    assert [closed_form(longer, n) is not None for n in e.nodes if n.cuts] == [False, True, True]
    state = symbolic(e)
    gap = state.function(state.configuration.closure_error)
    assert float(gap([0.4, 0.2, -0.2, 0.1, 0.3], np.zeros(9))) < 1e-14


def symbolic(data: Any, name: str) -> Any:
    """The same shape with symbols for vectors of points and axes."""
    if isinstance(data, dict):
        return {k: symbolic(v, f"{name}_{k}") for k, v in data.items()}
    return ca.SX.sym(name, 3) if isinstance(data, ca.DM) and data.shape == (3, 1) else data


@pytest.mark.parametrize("parallel", [True, False])
def test_a_car_with_symbols_for_its_hardpoints_closes_by_formulas_if_it_is_a_parallelogram(parallel: bool) -> None:
    data = symbolic(values(read("vehicles/hmmwv.json")), "v")
    s = data["steering"]
    if parallel:  # as it follows from the other three points
        s["idler_link_joint_m"] = s["idler_pivot_m"] + s["pitman_link_joint_m"] - s["pitman_pivot_m"]
    m = mechanism(data)
    forms = [closed_form(m, n) is not None for n in Embedded(m, rotors()).nodes if n.cuts]
    assert forms == [parallel, True, True]
