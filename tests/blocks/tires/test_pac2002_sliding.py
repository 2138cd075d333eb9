"""The Magic Formula at the grip and beyond: no more and no less than friction, against the sliding, and no energy."""

import runpy
from collections.abc import Callable
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from drawbar.blocks.tires.pac2002 import Pac2002

LAWS = runpy.run_path(str(Path(__file__).with_name("pacejka_laws.py")))
law, HMMWV, HMMWV_AT, SYMMETRIC, ALONE, RELAXATION, without_combined_slip = (
    LAWS[name] for name in ("law", "HMMWV", "HMMWV_AT", "SYMMETRIC", "ALONE", "RELAXATION", "without_combined_slip")
)
Evaluate = Callable[..., list[float]]


@given(st.floats(1200.0, 2e4), st.floats(-0.9, 0.9), st.floats(-0.5, 0.5), st.floats(0.05, 1.2))
@example(6500.0, -0.03, -0.03, 0.1)  # 1.08 if G_ykappa, 1.21 below if G_xalpha did not know the friction
@example(6500.0, -0.01, 0.03, 0.1)
@example(6500.0, 0.0025, 0.038, 0.1)  # 1.07 if each weight scaled one of its slips only
def test_both_forces_stay_within_the_ellipse_of_the_peaks(F_z: float, kappa: float, alpha: float, mu: float) -> None:
    """The published weights exceed it by at most 3 %; on low friction they act at the slips over it."""
    curves = law(HMMWV).curves(F_z, mu)
    F_x, F_y, _ = SYMMETRIC(F_z, kappa, alpha, mu=mu)
    assert np.hypot(F_x / float(curves.along.D), F_y / float(curves.across.D)) < 1.04


def test_negative_control_weights_that_do_not_know_the_friction_leave_the_ellipse() -> None:
    """On ice both pure forces are at their peaks at slips that hardly reduce each other."""
    pacejka = law(HMMWV, {"LHX": 0.0, "LVX": 0.0}, asymmetry=0.0)
    kappa, alpha, curves = 0.02, 0.04, pacejka.curves(6500.0, 0.1)
    G_x, G_y = (float(ca.evalf(ca.SX(G))) for G in pacejka.weights(curves.df_z, kappa, alpha))
    alone = [SYMMETRIC(6500.0, kappa, 0.0, mu=0.1)[0], SYMMETRIC(6500.0, 0.0, alpha, mu=0.1)[1]]
    D = float(curves.along.D), float(curves.across.D)
    assert np.hypot(G_x * alone[0] / D[0], G_y * alone[1] / D[1]) > 1.2
    F_x, F_y, _ = SYMMETRIC(6500.0, kappa, alpha, mu=0.1)
    assert np.hypot(F_x / D[0], F_y / D[1]) < 1.04


@given(st.floats(1200.0, 2e4), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.05, 1.0))
def test_below_the_sliding_slip_friction_changes_the_size_of_the_forces_alone(
    F_z: float, along: float, across: float, mu: float
) -> None:
    """Similarity: at the friction mu and slips times mu the forces are mu times as large."""
    x, y = (0.7 * float(v) for v in law(HMMWV).curves(F_z, 1.0).sliding_slips)  # together within u = 1
    full = SYMMETRIC(F_z, x * along, np.arctan(y) * across)
    low = SYMMETRIC(F_z, mu * x * along, mu * np.arctan(y) * across, mu=mu)
    assert low[:2] == pytest.approx([mu * v for v in full[:2]], rel=1e-9, abs=1e-9 * F_z)


def sliding_against(tire: Evaluate, F_z: float, angle: float, mu: float, sliding: float = 1.0) -> tuple[float, float]:
    """Return |F|/(mu F_z) of a locked wheel, and by what angle F deviates from the direction against its motion."""
    v = np.array([np.cos(angle), np.sin(angle)])
    kappa, t = -v / np.abs(v).max()
    F = np.array(tire(F_z, kappa, -np.arctan(t), mu=mu, s=sliding)[:2])
    return float(np.hypot(*F) / (mu * F_z)), float(np.arctan2(v[0] * F[1] - v[1] * F[0], -v @ F))


DIRECTIONS = st.floats(-np.pi, np.pi)
LOADS = st.floats(1200.0, 2e4)
FRICTION = st.floats(0.05, 1.2)


@given(LOADS, DIRECTIONS, FRICTION)
@example(6500.0, np.radians(20.0), 1.0)  # 0.53 and 9 degrees by the published weights
@example(6500.0, np.radians(60.0), 0.1)  # 0.05 and 34 degrees
def test_the_force_on_a_locked_wheel_opposes_its_motion_and_is_that_of_full_slip(
    F_z: float, angle: float, mu: float
) -> None:
    """Also by a tire as measured, and by one without coefficients of combined slip."""
    for tire in (SYMMETRIC, HMMWV_AT, ALONE):
        size, deviation = sliding_against(tire, F_z, angle, mu)
        assert abs(deviation) < np.radians(1.0)
        alone = [sliding_against(tire, F_z, a, mu)[0] for a in np.pi * np.array([-0.5, 0.0, 0.5, 1.0])]
        assert 0.9 * min(alone) < size < 1.1 * max(alone)
        assert 0.3 < size < 0.8


def test_negative_control_the_published_weights_let_a_locked_wheel_steer() -> None:
    """In a motion of 20 degrees the force has 10.7; therefore the law departs from them beyond the grip."""
    pacejka = law(HMMWV, {"LHX": 0.0, "LVX": 0.0}, asymmetry=0.0)
    G_x, G_y = pacejka.weights(pacejka.curves(6500.0, 1.0).df_z, -1.0, np.radians(20.0))
    F_x, F_y = SYMMETRIC(6500.0, -1.0, 0.0, s=1.0)[0], SYMMETRIC(6500.0, 0.0, np.radians(20.0), s=1.0)[1]
    assert np.degrees(np.arctan(float(G_y) * F_y / (float(G_x) * F_x))) == pytest.approx(10.7, abs=0.1)


@given(LOADS, DIRECTIONS, FRICTION, st.floats(1.0, 200.0))
@example(6500.0, np.radians(225.0), 0.1, 6.0)  # 0.07 where the weights took the slips over the friction without limit
def test_beyond_its_grip_a_tire_keeps_friction_in_every_direction(
    F_z: float, angle: float, mu: float, u: float
) -> None:
    """Of a wheel that rolls, at slips of u times those where the contact slides; from u = 4 on against the sliding."""
    curves = law(HMMWV).curves(F_z, mu)
    limits = [float(v) for v in curves.sliding_slips]
    kappa, t = u * limits[0] * np.cos(angle), u * limits[1] * np.sin(angle)
    if max(abs(kappa), abs(t)) > 1.0:
        return
    F_x, F_y, _ = SYMMETRIC(F_z, kappa, -np.arctan(t), mu=mu)
    least = min(abs(SYMMETRIC(F_z, -1.0, 0.0, mu=mu)[0]), abs(SYMMETRIC(F_z, 0.0, 1.4, mu=mu)[1]))
    assert 0.75 * least < np.hypot(F_x, F_y) < 1.04 * max(float(curves.along.D), abs(float(curves.across.D)))
    if u >= 4.0:
        assert abs(np.arctan2(kappa * F_y - t * F_x, kappa * F_x + t * F_y)) < np.radians(1.0)


@given(
    *(LOADS, st.floats(-1.0, 0.5), st.floats(-1.2, 1.2), FRICTION, st.floats(0.0, 1.0)),
    *(DIRECTIONS, st.floats(-0.15, 0.15)),
)
def test_the_forces_are_continuous(
    F_z: float, kappa: float, alpha: float, mu: float, sliding: float, angle: float, gamma: float
) -> None:
    """Over the slips, also at zero and at the ends of both departures from the published law, and of any tire."""
    step = 1e-6 * mu
    for tire in (HMMWV_AT, ALONE):
        here = tire(F_z, kappa, alpha, gamma, mu, sliding)
        near = tire(F_z, kappa + step * np.cos(angle), alpha + step * np.sin(angle), gamma, mu, sliding)
        changes = [abs(a - b) for a, b in zip(here, near, strict=True)]
        assert max(changes[:2]) < 1e-4 * mu * F_z
        assert changes[2] < 1e-4 * F_z


POWER = (
    st.floats(0.0, 4e4),
    st.floats(-30.0, 30.0),
    st.floats(-10.0, 10.0),
    st.floats(-30.0, 30.0),
    st.floats(0.05, 1.2),
)


def power(pacejka: Pac2002, F_z: float, v_x: float, v_y: float, tread: float, mu: float, sliding: float) -> float:
    """Return the power of the ground's force on the sliding tread, with slips that have settled, in W."""
    V = float(RELAXATION.speed(v_x, v_y, tread))
    F_x, F_y, _ = (float(ca.evalf(ca.SX(v))) for v in pacejka.forces(F_z, (tread - v_x) / V, -v_y / V, mu, sliding))
    return F_x * (v_x - tread) + F_y * v_y


@given(*POWER, st.floats(0.0, 1.0))
def test_a_steady_tire_takes_energy_and_gives_none(
    F_z: float, v_x: float, v_y: float, tread: float, mu: float, sliding: float
) -> None:
    """An upright tire without shifts; camber thrust and ply steer act without slip, at the cost of the rolling."""
    if float(RELAXATION.speed(v_x, v_y, tread)) < 1e-6:
        return
    pacejka = law(HMMWV, {"LHX": 0.0, "LVX": 0.0}, asymmetry=0.0)
    assert power(pacejka, F_z, v_x, v_y, tread, mu, sliding) <= 1e-9 * F_z
    alone = law(without_combined_slip(HMMWV), {"LHX": 0.0, "LVX": 0.0}, asymmetry=0.0)
    assert power(alone, F_z, v_x, v_y, tread, mu, sliding) <= 1e-9 * F_z


def test_negative_control_a_tire_with_shifts_pushes_where_it_slips() -> None:
    assert power(law(HMMWV), 6500.0, 10.0, 10.0 * -0.0015, 10.0, 1.0, 0.0) > 0.1


def test_a_file_without_combined_slip_has_forces_that_turn_against_the_sliding() -> None:
    """As in `combined_forces`: a locked wheel at 0.1 rad; the pure forces together would exceed friction by a third."""
    at = ALONE
    F_x, F_y, _ = at(6500.0, -1.0, -0.1)
    assert F_y / -F_x == pytest.approx(np.tan(0.1), rel=1e-6)
    assert at(6500.0, -0.05, 0.0)[0] == pytest.approx(SYMMETRIC(6500.0, -0.05, 0.0)[0], rel=1e-6)
    assert at(6500.0, 0.0, 0.05)[1] == pytest.approx(SYMMETRIC(6500.0, 0.0, 0.05)[1], rel=1e-6)


def test_a_locked_wheel_has_its_sliding_friction_also_at_the_slip_of_the_peak() -> None:
    """There its slips recover at low speed; |F_x|/F_z at full slip is 0.548, at the peak 0.94."""
    peak, recovered, full = (SYMMETRIC(6500.0, -k, 0.0, s=s)[0] for k, s in ((0.1, 0.0), (0.1, 1.0), (1.0, 1.0)))
    assert peak / 6500.0 == pytest.approx(-0.936, abs=0.001)
    assert recovered == pytest.approx(full)
    assert full / 6500.0 == pytest.approx(-0.5486, abs=1e-4)
    assert SYMMETRIC(6500.0, -0.1, 0.0, s=0.1)[0] == pytest.approx(peak, rel=1e-3), "a rolling one keeps its own"


@given(st.floats(0.0, 2e4), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(-0.3, 0.3))
def test_forces_and_their_derivatives_are_finite(F_z: float, kappa: float, t: float, gamma: float) -> None:
    at = ca.SX.sym("at", 5)
    outputs = ca.vertcat(*law(HMMWV, camber=at[3]).forces(at[0], at[1], at[2], at[4]))
    J = ca.Function("J", [at], [outputs, ca.jacobian(outputs, at)])
    for values in J([F_z, kappa, t, gamma, 0.8]):
        assert np.isfinite(np.asarray(values)).all()
