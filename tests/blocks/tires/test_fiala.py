"""The Fiala law: published check values, symmetry, bounds, smoothness and what it may do to energy."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drawbar.blocks.data import read
from drawbar.blocks.tires.fiala import Fiala
from drawbar.blocks.tires.relaxation import Relaxation
from drawbar.blocks.tires.tire_law import MAX_GRIP_SHARE

T = read("vehicles/hmmwv.json")["tire_fiala"]
LAW = Fiala(
    stiffness_x=T["c_slip_N"],
    stiffness_y=T["c_alpha_N_per_rad"],
    sliding_ratio=T["mu_min"] / T["mu_max"],
    width=T["width_m"],
    relaxation=Relaxation(T["relaxation_x_m"], T["relaxation_y_m"], 0.1, 2.5),
    rolling=T["rolling_resistance"],
)
slips = st.floats(-2.0, 2.0)
loads = st.floats(0.0, 2e4)
frictions = st.floats(0.05, 1.2)


def law(fiala: Fiala, sliding: float = 0.0) -> Callable[..., Any]:
    F_z, kappa, t, mu = (ca.SX.sym(n) for n in ("F_z", "kappa", "t", "mu"))
    f = ca.Function("f", [F_z, kappa, t, mu], list(fiala.forces(F_z, kappa, t, mu, sliding)))
    return lambda *values: [float(v) for v in f(*values)]


COMBINED, PUBLISHED = law(LAW), law(replace(LAW, published=True))
AT_REST = law(LAW, sliding=1.0)


@pytest.mark.parametrize(
    ("kappa", "alpha", "F_x", "F_y", "M_z"),
    [
        (0.01, 0.0, 1939.3, 0.0, 0.0),
        (0.05, 0.0, 4913.7, 0.0, 0.0),
        (0.2, 0.0, 5201.8, 0.0, 0.0),
        (-0.1, 0.0, -5234.2, 0.0, 0.0),
        # where the tire moves to its left by alpha: t = -tan alpha
        (0.0, 2.0, 0.0, -1577.0, 134.9),
        (0.0, 5.0, 0.0, -3347.1, 190.3),
        (0.0, 10.0, 0.0, -4916.6, 91.4),
        (0.1, 5.0, 5162.2, -3327.6, 186.2),
    ],
)
def test_values_of_the_reference(kappa: float, alpha: float, F_x: float, F_y: float, M_z: float) -> None:
    """6 kN on a road of the tire's own friction; computed for this project from the corrected equations."""
    found = PUBLISHED(6000.0, kappa, -np.tan(np.radians(alpha)), T["mu_max"])
    assert found == pytest.approx([F_x, F_y, M_z], abs=0.051)
    if kappa == 0.0 or alpha == 0.0:
        same = COMBINED(6000.0, kappa, -np.tan(np.radians(alpha)), T["mu_max"])
        assert same == pytest.approx(found, rel=1e-9, abs=1e-6), "slip in one direction is as published"


def test_driven_pushes_forwards_side_force_opposes_and_the_moment_straightens() -> None:
    F_x, F_y, M_z = COMBINED(6000.0, 0.05, 0.0, 0.8)
    assert F_x > 0.0
    F_x, F_y, M_z = COMBINED(6000.0, 0.0, 0.05, 0.8)  # moves to its right
    assert F_y > 0.0
    assert M_z < 0.0, "turns it to the right, where it goes"


@given(loads, slips, slips, frictions)
def test_the_law_is_odd(F_z: float, kappa: float, t: float, mu: float) -> None:
    for f in (COMBINED, PUBLISHED):
        assert f(F_z, -kappa, -t, mu) == pytest.approx([-v for v in f(F_z, kappa, t, mu)], rel=1e-12, abs=1e-12)


@given(loads, slips, slips, frictions)
def test_the_force_is_bounded_by_friction(F_z: float, kappa: float, t: float, mu: float) -> None:
    F_x, F_y, _ = COMBINED(F_z, kappa, t, mu)
    most = float(ca.evalf(LAW.friction(ca.SX(kappa), ca.SX(t), mu))) * F_z
    assert np.hypot(F_x, F_y) <= most * (1 + 1e-9) + 2e-9


def test_by_the_published_law_both_forces_exceed_friction_together() -> None:
    """Negative control."""
    F_x, F_y, _ = PUBLISHED(6000.0, 0.3, 0.3, 0.8)
    assert np.hypot(F_x, F_y) > 1.3 * float(LAW.friction(0.3, 0.3, 0.8)) * 6000.0


def test_a_locked_wheel_at_five_degrees_keeps_the_lateral_share_of_its_motion() -> None:
    """5 % of the load, where the published law keeps 46 % and its sum, scaled back to friction, 35 %."""
    t = np.tan(np.radians(5.0))
    F_x, F_y, M_z = COMBINED(6000.0, -1.0, t, T["mu_max"])
    assert F_y / 6000.0 == pytest.approx(T["mu_min"] * np.sin(np.radians(5.0)), rel=0.01)
    assert F_y / F_x == pytest.approx(-t, rel=1e-9)
    assert M_z == 0.0
    assert PUBLISHED(6000.0, -1.0, t, T["mu_max"])[1] / 6000.0 == pytest.approx(0.457, abs=0.001)


@given(loads, st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), frictions)
def test_beyond_the_grip_the_force_is_opposite_to_the_sliding(F_z: float, kappa: float, t: float, mu: float) -> None:
    limits = [float(limit) for limit in LAW.sliding_slips(kappa, t, F_z, mu)]
    if F_z < 20.0 or np.hypot(kappa / limits[0], t / limits[1]) < 1.0:
        return
    F_x, F_y, _ = COMBINED(F_z, kappa, t, mu)
    size = np.hypot(kappa, t)
    assert F_x * t - F_y * kappa == pytest.approx(0.0, abs=1e-9 * F_z * size)
    assert (F_x * kappa + F_y * t) / size > 0.74 * float(LAW.friction(kappa, t, mu)) * F_z


@given(loads, st.floats(-30.0, 30.0), st.floats(-10.0, 10.0), st.floats(-30.0, 30.0), frictions)
def test_a_steady_tire_takes_energy_and_gives_none(F_z: float, v_x: float, v_y: float, tread: float, mu: float) -> None:
    """The power of the ground's force on the sliding tread, with slips that have settled."""
    V = float(LAW.relaxation.speed(v_x, v_y, tread))
    if V < 1e-6:
        return
    for f in (COMBINED, PUBLISHED, AT_REST):
        F_x, F_y, _ = f(F_z, (tread - v_x) / V, -v_y / V, mu)
        power = F_x * (v_x - tread) + F_y * v_y
        assert power <= 1e-9 * F_z


@settings(max_examples=200)
@given(st.sampled_from([0.0, 1.0, 3000.0, 9000.0]), slips, slips)
def test_derivatives_are_those_of_the_law(F_z: float, kappa: float, t: float) -> None:
    at = ca.SX.sym("at", 3)
    outputs = ca.vertcat(*LAW.forces(at[0], at[1], at[2], 0.8))
    value, slope = ca.Function("f", [at], [outputs]), ca.Function("J", [at], [ca.jacobian(outputs, at)])
    x = np.array([F_z, kappa, t])
    J = np.asarray(slope(x))
    assert np.isfinite(J).all()
    for k in (1, 2):
        # where the law has a corner, its slope lies between one-sided ones
        step = 1e-9 * np.eye(3)[k]
        ahead = np.asarray(value(x + step) - value(x)).ravel() / 1e-9
        behind = np.asarray(value(x) - value(x - step)).ravel() / 1e-9
        slack = 1e-3 * (np.abs(J[:, k]) + T["c_slip_N"] * (F_z > 0)) + 1.0
        assert (J[:, k] >= np.minimum(ahead, behind) - slack).all()
        assert (J[:, k] <= np.maximum(ahead, behind) + slack).all()


def test_slopes_at_zero_slip_are_the_stiffnesses() -> None:
    at = ca.SX.sym("at", 2)
    J = ca.Function("J", [at], [ca.jacobian(ca.vertcat(*LAW.forces(6000.0, at[0], at[1], 0.8)), at)])
    C_S, C_a, w = T["c_slip_N"], T["c_alpha_N_per_rad"], T["width_m"]
    np.testing.assert_allclose(J([0.0, 0.0]), [[C_S, 0.0], [0.0, C_a], [0.0, -C_a * w / 3.0]], rtol=1e-12)


def test_no_load_no_force() -> None:
    assert [abs(v) for v in COMBINED(0.0, 0.3, -0.2, 0.8)] == [0.0, 0.0, 0.0]


@given(st.floats(100.0, 2e4), st.floats(0.0, 0.97), st.floats(-np.pi, np.pi), frictions)
@example(6000.0, 0.4, 0.0, 0.8)  # between a third and a half of the grip, within which the longitudinal law is linear
def test_slips_are_those_at_which_the_law_gives_the_forces(F_z: float, share: float, angle: float, mu: float) -> None:
    """For a wheel that stands, which holds by its sliding friction, and for one that rolls."""
    size = share * LAW.sliding_ratio * mu * F_z
    along, across = size * np.cos(angle), size * np.sin(angle)
    for speed, f in ((0.0, COMBINED), (20.0, COMBINED)):
        kappa, t = (float(v) for v in LAW.slips_at_forces(F_z, along, across, mu, speed))
        F_x, F_y, _ = f(F_z, kappa, t, mu)
        error = 1e-6 if share < 0.6 else 1e-3
        assert [F_x, F_y] == pytest.approx([along, across], rel=error, abs=error * size + 1e-9)


def test_of_forces_beyond_the_grip_slips_give_as_much_as_the_tire_holds() -> None:
    kappa, t = (float(v) for v in LAW.slips_at_forces(6000.0, 3e4, -4e4, 0.8))
    F_x, F_y, _ = COMBINED(6000.0, kappa, t, 0.8)
    assert F_y / F_x == pytest.approx(-4.0 / 3.0, rel=0.02)
    most = MAX_GRIP_SHARE * float(LAW.friction(kappa, t, 0.8)) * 6000.0
    assert np.hypot(F_x, F_y) == pytest.approx(most, rel=0.02)


def test_rolling_resistance_is_its_share_of_the_load() -> None:
    assert float(LAW.resistance(6000.0, 0.45)) == pytest.approx(0.015 * 6000.0 * 0.45)
    assert float(LAW.resistance(6000.0, -0.1)) == 0.0, "a capacity is never negative"
