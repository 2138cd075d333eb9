"""The rigid wheel in soil: published and computed values, limits, bounds and energy."""

from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from drawbar.blocks.terrain.soil.bekker import Bekker, static_sinkage
from drawbar.blocks.terrain.soil.soil_stress import ForcesAndMoments, Shear, SoilStress

W, R, B = 6348.0, 0.47, 0.318
LAW = Bekker(B)
SAND = SoilStress(1.1, 900.0, 1523.4e3, 1000.0, np.radians(30.0), 0.025)
CLAY = SoilStress(0.5, 13200.0, 692.2e3, 4140.0, np.radians(13.0), 0.01)
LOAM = SoilStress(0.7, 5300.0, 1515e3, 1700.0, np.radians(29.0), 0.025)
angles = st.floats(0.05, 1.2)
slips = st.floats(-1.0, 1.0)
sides = st.floats(-3.0, 3.0)


def numbers(f: ForcesAndMoments) -> list[float]:
    return [float(v) for v in vars(f).values()]


@cache
def rigid_function(anisotropic: bool) -> ca.Function:
    theta, s, t = (ca.SX.sym(n) for n in ("theta", "s", "t"))
    across = (0.04, 0.02) if anisotropic else None
    f = LAW.forces(LOAM, R, theta, -0.3 * theta, Shear(s, t), across)
    return ca.Function("f", [theta, s, t], [ca.vertcat(*vars(f).values())])


def rigid(theta: float, s: float, t: float, anisotropic: bool = False) -> list[float]:
    return [float(v) for v in np.asarray(rigid_function(anisotropic)(theta, s, t)).ravel()]


@pytest.mark.parametrize(
    ("of", "theta_f", "s", "beta", "exact"),
    [
        (SAND, 20.0, 0.1, 0.0, (-0.329239, 0.0, 3.49197, 0.0, -0.0226551, 0.0)),
        (SAND, 50.0, 0.8, 36.0, (-1.56676, -4.59466, 63.5103, -0.335744, -2.06749, -0.13546)),
        (LOAM, 30.0, 0.3, 10.0, (-12.3473, -6.10139, 106.609, -0.474717, -1.26234, -0.100449)),
        (LOAM, 40.0, 0.5, 20.0, (-20.0888, -18.6786, 211.0, -1.41767, -4.31603, -0.419774)),
        (CLAY, 30.0, 0.3, 10.0, (-20.0824, -9.61965, 170.435, -0.747901, -1.99339, -0.157498)),
        (CLAY, 50.0, 0.8, 36.0, (-92.346, -19.5268, 453.0, -1.41296, -8.80579, -0.588225)),
    ],
)
def test_vectors_of_adaptive_quadrature(
    of: SoilStress, theta_f: float, s: float, beta: float, exact: tuple[float, ...]
) -> None:
    """Small wheel on the soils of the 2011 paper, theta_m = theta_f/2; t/a = -(1 - s) tan beta."""
    shear = Shear(s, -(1.0 - s) * np.tan(np.radians(beta)))
    f = Bekker(0.075, 0.5, 0.0).forces(of, 0.08, np.radians(theta_f), 0.0, shear)
    assert numbers(f) == pytest.approx(exact, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("name", ["LETE sand", "sandy loam", "clayey soil"])
def test_error_of_the_quadrature(name: str, wong_soil: Any) -> None:
    """Of forces and torque over the load, with the points that are used: the most is on LETE sand."""
    s = ca.SX.sym("s")
    sums = [LAW.forces(wong_soil(name), R, 0.6, 0.0, Shear(s, 0.0), points=points) for points in (8, 96)]
    f = ca.Function("f", [s], [ca.vertcat(at.F_x, at.F_z, at.M_y) for at in sums], {"cse": True})

    def error(*slips: float) -> float:
        few, many = (np.asarray(sums) for sums in f.map(len(slips))(np.reshape(slips, (1, -1))))
        return float((np.abs(few - many) / many[1]).max())

    assert error(0.02, 0.1, 0.3, 0.6, 0.95) < 3.5e-7
    assert 3e-4 < error(-0.005, -0.02, -0.05, -0.1) < 3.5e-3, "where the stress turns about within the contact"
    assert error(-0.2, -0.3, -0.5, -0.8, -0.9) < 3e-5


def test_the_braked_force_goes_in_no_steps() -> None:
    """Where the slip of the rim turns about from one point of the integrals to the next."""
    rows = np.array([rigid(0.47, s, 0.0) for s in np.linspace(-0.1, 0.02, 481)])
    assert np.abs(np.diff(rows[:, [0, 2, 4]], axis=0)).max() < 0.01 * rows[-1, 2]
    fine = LAW.forces(LOAM, R, 0.47, -0.3 * 0.47, Shear(-0.03, 0.0), points=64)
    assert rigid(0.47, -0.03, 0.0) == pytest.approx(numbers(fine), abs=5e-3 * rows[-1, 2])


@pytest.mark.parametrize(
    ("name", "h", "pull"),
    [
        ("LETE sand", 20.5, 1671.0),
        ("dry sand", 108.8, 641.0),
        ("sandy loam", 43.3, 789.0),
        ("clayey soil", 42.5, 112.0),
        ("upland loam", 83.1, 1414.0),
        ("rubicon loam", 67.0, 976.0),
        ("north gower clay loam", 31.2, 693.0),
    ],
)
def test_rigid_wheel_under_the_load_of_a_hmmwv(name: str, h: float, pull: float, wong_soil: Any) -> None:
    """Sinkage in mm and drawbar pull at 20 percent of slip, of the table of the reference."""
    shear, of = Shear(0.2, 0.0), wong_soil(name)

    def at(sinkage: float) -> ForcesAndMoments:
        return LAW.forces(of, R, LAW.entry(sinkage, R), 0.0, shear)

    found = brentq(lambda z: float(at(z).F_z) - W, 1e-4, 0.4)
    assert 1e3 * found == pytest.approx(h, abs=0.051)
    assert float(at(found).F_x) == pytest.approx(pull, abs=0.6)
    estimated, stiffness = static_sinkage(of, B, R, 0.4, W)
    assert float(estimated) == pytest.approx(found, rel=0.04)
    rolling = Shear(0.0, 0.0)
    slope = [float(LAW.forces(of, R, LAW.entry(z, R), 0.0, rolling).F_z) for z in (0.99 * found, 1.01 * found)]
    assert float(stiffness) == pytest.approx((slope[1] - slope[0]) / (0.02 * found), rel=0.12)


@given(angles, slips, sides, st.booleans())
def test_finite_and_odd_across(theta: float, s: float, t: float, anisotropic: bool) -> None:
    found = np.array(rigid(theta, s, t, anisotropic))
    assert np.isfinite(found).all()
    mirrored = np.array(rigid(theta, s, -t, anisotropic)) * [1, -1, 1, -1, 1, -1]
    np.testing.assert_allclose(found, mirrored, rtol=1e-12, atol=1e-9 * abs(found[2]))
    assert found[1] * t >= 0.0


@given(angles, slips, sides, st.booleans())
def test_shear_is_bounded_by_the_strength(theta: float, s: float, t: float, anisotropic: bool) -> None:
    """``c A + F_z tan phi`` for the side force; anisotropic soil alone may give each direction all of it."""
    found = rigid(theta, s, t, anisotropic)
    area = B * R * 1.3 * theta
    pressure = rigid(theta, 0.0, 0.0)[2] * 1.6
    assert abs(found[1]) <= LOAM.c * area + pressure * np.tan(LOAM.phi)


def test_pressure_without_friction_turns_no_wheel() -> None:
    slick = SoilStress(0.7, 5300.0, 1515e3, 0.0, 0.0, 0.025)
    assert float(LAW.forces(slick, R, 0.4, 0.0, Shear(0.3, 0.0)).M_y) == pytest.approx(0.0, abs=1e-9)


@settings(max_examples=200)
@given(angles, st.floats(0.0, 20.0), st.floats(-20.0, 20.0), st.floats(0.0, 20.0), st.booleans())
def test_a_steady_wheel_takes_energy_and_gives_none(
    theta: float, v_x: float, v_y: float, tread: float, anisotropic: bool
) -> None:
    """The power of the ground on hub and spin, with slips that have settled."""
    V = max(v_x, tread)
    if V < 1e-3:
        return
    F_x, F_y, F_z, _, M_y, _ = rigid(theta, (tread - v_x) / V, -v_y / V, anisotropic)
    assert F_x * v_x + F_y * v_y + M_y * tread / R <= 1e-9 * abs(F_z) * (V + abs(v_y))


def test_without_the_sign_of_the_displacement_a_braked_wheel_would_pull() -> None:
    """Negative control: equation 5 as printed, with the size of the displacement."""
    braked = rigid(0.4, -0.5, 0.0)
    assert braked[0] < 0.0
    assert braked[4] > 0.0, "the ground turns it on"
    assert rigid(0.4, 0.5, 0.0)[4] < 0.0


@given(st.floats(0.05, 1.1), slips, st.floats(-2.0, 2.0))
def test_load_grows_with_sinkage(theta: float, s: float, t: float) -> None:
    assert rigid(1.01 * theta, s, t)[2] > rigid(theta, s, t)[2]


@settings(max_examples=50)
@given(angles, st.floats(-0.9, 0.9), st.floats(-1.0, 1.0), st.booleans())
def test_derivatives_are_those_of_the_law(theta: float, s: float, t: float, anisotropic: bool) -> None:
    """But for the tip of the cone at no slip at all, where the slope is finite."""
    f = rigid_function(anisotropic)
    at = f.sx_in()
    slope = ca.Function("J", at, [ca.jacobian(f(*at), ca.vertcat(*at))])
    assert np.isfinite(np.asarray(slope(theta, 0.0, 0.0))).all()
    assume(abs(s) + abs(t) > 1e-3)
    assume(s == 0.0 or abs(s) > 1e-12)  # between them s is beyond a corner, and 1 + s in it
    J, x = np.asarray(slope(theta, s, t)), np.array([theta, s, t])
    for k in range(3):
        step = 1e-6 * np.eye(3)[k]
        ahead = np.asarray(f(*(x + step)) - f(*x)).ravel() / 1e-6
        behind = np.asarray(f(*x) - f(*(x - step))).ravel() / 1e-6
        slack = 1e-3 * (np.abs(J[:, k]) + np.abs(J).max())
        assert (J[:, k] >= np.minimum(ahead, behind) - slack).all()
        assert (J[:, k] <= np.maximum(ahead, behind) + slack).all()


def test_moduli_of_anisotropic_soil_act_apart() -> None:
    """Along and across are each mobilized by their own displacement, beyond the circle at worst by root two."""
    both, alone = np.array(rigid(0.5, 0.6, 1.0, True)), np.array(rigid(0.5, 0.6, 1.0))
    assert 1.0 < both[1] / alone[1] < np.sqrt(2.0) + 0.01
