"""Traction on surfaces: published peaks and examples, bounds, symmetry, and what it may do to energy."""

from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from drawbar.blocks.tires.surfaces import CODES, Section, Surfaces, coarse_soil, fine_soil, paved

LAW = Surfaces(np.radians(5.0))
codes = st.integers(0, 5)
slips = st.floats(-1.5, 1.5)
loads = st.floats(0.0, 3e4, allow_subnormal=False)
strengths = st.floats(1e4, 5e6)


def _hmmwv(load: Any, cone_index: Any) -> Section:
    return Section(0.318, 0.94, 0.26, load / 326332.0, load, cone_index)


def _forces() -> ca.Function:
    code, load, strength, s, t = (ca.SX.sym(n) for n in ("code", "load", "strength", "s", "t"))
    given_ = [code, load, strength, s, t]
    return ca.Function("f", given_, [ca.vertcat(*LAW.forces(code, _hmmwv(load, strength), s, t))])


FORCES = _forces()


def forces(*values: float) -> list[float]:
    return [float(v) for v in np.asarray(FORCES(*values)).ravel()]


@pytest.mark.parametrize(
    ("name", "most", "slip", "sliding"),
    [("dry", 1.0, 0.18, 0.914), ("wet", 0.82, 0.088, 0.637), ("snow", 0.3, 0.31, 0.286), ("ice", 0.1, 0.39, 0.096)],
)
def test_peaks_of_the_paved_laws(name: str, most: float, slip: float, sliding: float) -> None:
    """Computed for this project from the coefficients of MAVS."""
    s = np.linspace(0.0, 1.0, 10001)
    mu = np.array([float(paved(CODES.index(name), value)[0]) for value in s[::10]])
    assert mu.max() == pytest.approx(most, abs=5e-4)
    assert s[::10][mu.argmax()] == pytest.approx(slip, abs=0.006)
    assert mu[-1] == pytest.approx(sliding, abs=6e-4)


def test_examples_of_a_small_tire_on_soil() -> None:
    """Clay T 0.468, M 0.065, sand T 0.362: examples of the reference for W 3.892 kN, CI 310 kPa, s 0.2."""
    tire = Section(0.226, 0.704, 0.15, 0.03, 3892.0, 310e3)
    T, _, M = fine_soil(tire, 0.2)
    assert [float(T), float(M)] == pytest.approx([0.468, 0.065], abs=5e-4)
    assert float(coarse_soil(tire, 0.2)[0]) == pytest.approx(0.362, abs=1e-3)


@pytest.mark.parametrize(
    ("cone_index", "clay", "sand"),
    [(150e3, -0.31, 0.34), (300e3, 0.32, 0.36), (600e3, 0.78, 0.38), (1200e3, 1.0, 0.40)],
)
def test_examples_of_the_hmmwv_tire(cone_index: float, clay: float, sand: float) -> None:
    """Net traction on clay, gross on sand, of the reference; gross traction below zero is held at zero here."""
    tire = Section(0.318, 0.94, 0.26, 0.0195, 6350.0, cone_index)
    T, _, M = fine_soil(tire, 0.2)
    assert float(T - M) == pytest.approx(clay, abs=0.013)
    assert float(coarse_soil(tire, 0.2)[0]) == pytest.approx(sand, abs=0.005)


def test_strength_of_soil_is_in_pascal() -> None:
    """The cone index of 250 psi is 1.72 MPa; taken for kPa it would be another soil."""
    right, wrong = (float(fine_soil(_hmmwv(6350.0, CI), 0.2)[2]) for CI in (250 * 6894.76, 250.0))
    assert right < 0.01
    assert wrong == 1.0


@given(codes, loads, strengths, slips, st.floats(-3.0, 3.0))
def test_finite_bounded_and_odd_across(code: int, load: float, strength: float, s: float, t: float) -> None:
    F_x, F_y, M = found = forces(code, load, strength, s, t)
    assert np.isfinite(found).all()
    assert np.hypot(F_x, F_y) <= 1.0001 * load
    assert 0.0 <= M <= load
    assert forces(code, load, strength, s, -t) == pytest.approx([F_x, -F_y, M], rel=1e-12, abs=1e-12)
    assert F_y * t >= 0.0


@given(codes, loads, strengths, st.floats(-30.0, 30.0), st.floats(-20.0, 20.0), st.floats(-30.0, 30.0))
@example(5, 1500.0, 1.72e6, 5.0, 0.0, 5.102)  # firm sand, where the raw formula has no traction at small slip
def test_a_steady_tire_takes_energy_and_gives_none(
    code: int, load: float, strength: float, v_x: float, v_y: float, tread: float
) -> None:
    V = max(abs(v_x), abs(tread), abs(v_y))
    if V < 1e-6:
        return
    F_x, F_y, M = forces(code, load, strength, (tread - v_x) / V, -v_y / V)
    assert M >= 0.0
    assert F_x * (v_x - tread) + F_y * v_y <= 1e-9 * load


def test_the_raw_formula_for_sand_would_give_energy() -> None:
    """Negative control: without slip it has some traction, so a towed wheel would push."""
    q = 0.2
    T_max, A, C = 0.42 + 0.009 / q, 0.76 + 0.014 / q, 1.56 - 0.022 / q
    assert -0.5 + (T_max + 0.5) * (1 + A * np.exp(0.07)) ** (-1 / C) > 0.1
    assert float(coarse_soil(_hmmwv(6350.0, 1e6), -0.01)[0]) <= 0.0


@given(codes, loads, strengths, st.floats(-0.9, 0.9), st.floats(-1.0, 1.0))
def test_derivatives_are_those_of_the_law(code: int, load: float, strength: float, s: float, t: float) -> None:
    at = np.array([code, load, strength, s, t])
    for k in (3, 4):
        step = 1e-6 * np.eye(5)[k]
        ahead = np.asarray(FORCES(*(at + step)) - FORCES(*at)).ravel() / 1e-6
        behind = np.asarray(FORCES(*at) - FORCES(*(at - step))).ravel() / 1e-6
        slope = np.asarray(SLOPES(*at))[:, k - 3]
        assert np.isfinite(slope).all()
        slack = 1e-3 * (np.abs(slope) + load)
        assert (slope >= np.minimum(ahead, behind) - slack).all()
        assert (slope <= np.maximum(ahead, behind) + slack).all()


def _slopes() -> ca.Function:
    values = FORCES.sx_in()
    return ca.Function("J", values, [ca.jacobian(FORCES(*values), ca.vertcat(*values[3:]))])


SLOPES = _slopes()


@given(codes, loads, strengths, st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_beyond_the_grip_the_force_is_opposite_to_the_sliding(
    code: int, load: float, strength: float, s: float, t: float
) -> None:
    limit_x, limit_y = LAW.sliding_slips
    if np.hypot(s / limit_x, t / limit_y) < 1.0:
        return
    F_x, F_y, _ = forces(code, load, strength, s, t)
    assert F_x * t - F_y * s == pytest.approx(0.0, abs=1e-9 * load + 1e-9)
    assert F_x * s + F_y * t >= 0.0


def test_a_locked_wheel_at_five_degrees_keeps_the_lateral_share_of_its_motion() -> None:
    """On dry road 8 % of the load; by the law of MAVS, whose lateral force does not know of the sliding, 57 %."""
    t = np.tan(np.radians(5.0))
    assert forces(0, 6000.0, 1e6, -1.0, t)[1] / 6000.0 == pytest.approx(0.914 * np.sin(np.radians(5.0)), rel=0.01)
    mavs = Surfaces(LAW.crolla_angle, published=True).forces(0, _hmmwv(6000.0, 1e6), -1.0, t)
    assert float(mavs[1]) / 6000.0 == pytest.approx(0.57, abs=0.01)


@pytest.mark.parametrize("code", range(6))
def test_combined_slip_leaves_less_of_each(code: int) -> None:
    along, across, both = (forces(code, 6000.0, 8e5, s, t) for s, t in ((0.2, 0.0), (0.0, 0.3), (0.2, 0.3)))
    assert 0.0 < both[0] < along[0]
    assert 0.0 < both[1] < across[1]


def test_grip_across_is_that_of_the_surface() -> None:
    """On ice a tenth of the load, not all of it."""
    assert forces(CODES.index("ice"), 6000.0, 1e6, 0.0, 1.0)[1] == pytest.approx(600.0, rel=1e-3)
