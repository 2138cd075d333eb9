"""The Magic Formula of Pacejka 2002 against published values and other programs, and its limits.

Angles are those of the Magic Formula: alpha positive where the tire moves to its left, gamma where its top leans right.
"""

import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.tires.pac2002 import ASYMMETRIC, MIN_STIFFNESS, Pac2002
from drawbar.blocks.tires.tir_file import from_sections

LAWS = runpy.run_path(str(Path(__file__).with_name("pacejka_laws.py")))
law, evaluated, HMMWV, HMMWV_AT, SYMMETRIC = (
    LAWS[name] for name in ("law", "evaluated", "HMMWV", "HMMWV_AT", "SYMMETRIC")
)
SI = {"LENGTH": "meter", "FORCE": "newton", "ANGLE": "radian", "TIME": "second"}
# 205/60R15 91V at 2.2 bar: Pacejka, Tyre and Vehicle Dynamics, 2nd ed. (2006), table A3.1; without camber
BOOK = from_sections(
    {
        "UNITS": SI,
        "MODEL": {"PROPERTY_FILE_FORMAT": "PAC2002"},
        "TIRE": {
            **{"FNOMIN": 4000.0, "UNLOADED_RADIUS": 0.313, "VERTICAL_STIFFNESS": 2e5, "FZMIN": 200.0, "FZMAX": 9000.0},
            **{"PCX1": 1.685, "PDX1": 1.210, "PDX2": -0.037, "PEX1": 0.344, "PEX2": 0.095, "PEX3": -0.020},
            **{"PKX1": 21.51, "PKX2": -0.163, "PKX3": 0.245, "PHX1": -0.002, "PHX2": 0.002},
            **{"RBX1": 12.35, "RBX2": -10.77, "RCX1": 1.092, "RHX1": 0.007},
            **{"PCY1": 1.193, "PDY1": -0.990, "PDY2": 0.145, "PEY1": -1.003, "PEY2": -0.537, "PEY3": -0.083},
            **{"PKY1": -14.95, "PKY2": 2.130, "PHY1": 0.003, "PHY2": -0.001, "PVY1": 0.045, "PVY2": -0.024},
            **{"RBY1": 6.461, "RBY2": 4.196, "RBY3": -0.015, "RCY1": 1.081, "RHY1": 0.009},
            **{"RVY1": 0.053, "RVY2": -0.073, "RVY4": 35.44, "RVY5": 1.9, "RVY6": -10.71},
            **{"QBZ1": 8.964, "QBZ2": -1.106, "QBZ3": -0.842, "QBZ9": 18.47, "QCZ1": 1.180, "QDZ1": 0.100},
            **{"QDZ2": -0.001, "QDZ6": -0.008, "QEZ1": -1.609, "QEZ2": -0.359, "QEZ4": 0.174},
            **{"QHZ1": 0.007, "QHZ2": -0.002, "SSZ1": 0.043, "SSZ2": 0.001},
        },
    },
    "205/60R15",
)


BOOK_AT = evaluated(law(BOOK))


@pytest.mark.parametrize(
    ("F_z", "kappa", "F_x"),
    [
        (2000.0, -0.3, -2267.63603),
        (2000.0, 0.03, 977.4660065),
        (4000.0, -0.105, -4721.995984),
        (4000.0, -0.015, -1420.917956),
        (4000.0, 0.0, -172.0094611),
        (4000.0, 0.3, 4391.07609),
        (6000.0, -0.03, -4000.067746),
        (8000.0, 0.105, 9365.367716),
    ],
)
def test_longitudinal_force_of_the_car_tire_of_the_book(F_z: float, kappa: float, F_x: float) -> None:
    """Computed by the magic-formula-tyre-library of teasit (MATLAB) in Octave: data of KMoula30/outlap, fx0.csv."""
    assert BOOK_AT(F_z, kappa, 0.0)[0] == pytest.approx(F_x, rel=1e-8, abs=1e-4)


@pytest.mark.parametrize(
    ("F_z", "alpha", "F_y", "M_z"),
    [
        (2000.0, -0.105, 1968.613857, -18.95653733),
        (2000.0, 0.042, -1007.626856, 9.46346945),
        (4000.0, -0.042, 1899.24457, -63.09854265),
        (4000.0, 0.0, 42.00044636, -11.32558474),
        (4000.0, 0.105, -3345.177799, 40.92966604),
        (6000.0, -0.105, 4749.054262, -136.1385596),
        (8000.0, 0.042, -2432.781924, 122.8104052),
    ],
)
def test_lateral_force_and_moment_of_the_car_tire_of_the_book(F_z: float, alpha: float, F_y: float, M_z: float) -> None:
    """Source as above, fy0_mz.csv, whose M_z is that of the lateral force alone: lambda_s is 0.

    There the trail depends on tan(alpha), as in the Magic Formula 6.1, here on alpha: 0.6 % of M_z at 0.1 rad.
    """
    found = evaluated(law(BOOK, {"LS": 0.0}))(F_z, 0.0, alpha)
    assert found[1] == pytest.approx(F_y, rel=1e-5, abs=5e-3)
    assert found[2] == pytest.approx(M_z, rel=1e-3 if abs(alpha) < 0.05 else 6e-3)


@pytest.mark.parametrize(
    ("kappa", "alpha", "F_x", "F_y"),
    [
        (-0.25, -0.034, -4520.00086, 642.679839),
        (-0.1, -0.068, -4075.321239, 2298.140466),
        (-0.05, 0.034, -3198.126109, -1523.188374),
        (0.05, 0.068, 2484.914109, -2402.289342),
        (0.1, 0.0, 4642.134416, 243.0478165),
        (0.2, -0.034, 4688.237631, 951.7635944),
    ],
)
def test_combined_slip_of_the_car_tire_of_the_book(kappa: float, alpha: float, F_x: float, F_y: float) -> None:
    """Source as above, combined.csv; the weights depend there on tan(alpha), here on alpha."""
    assert BOOK_AT(4000.0, kappa, alpha)[:2] == pytest.approx([F_x, F_y], rel=1e-3)


@pytest.mark.parametrize(
    ("F_z", "kappa", "alpha", "gamma", "F_x", "F_y", "M_z"),
    [
        (6500.0, 0.0, 0.0, 0.0, -53.7256, -134.3856, -5.2689),
        (6500.0, -0.1, 0.0, 0.0, -6088.5284, 72.0338, 53.3937),
        (6500.0, 0.05, 0.0, 0.0, 4805.5157, -218.6086, -47.2999),
        (6500.0, 0.0, -0.15, 0.0, -26.9029, 4212.2325, -26.2533),
        (6500.0, 0.0, 0.0, 0.1, -53.7256, -163.2442, -28.4769),
        (6500.0, 0.0, 0.05, 0.1, -45.9151, -2115.1872, -11.0219),
        (6500.0, 0.0, 0.05, -0.1, -45.9151, -1978.7333, 31.1261),
        (12000.0, -0.05, 0.05, 0.0, -7326.9589, -3517.6032, 96.1581),
        (12000.0, 0.08, -0.1, 0.05, 7900.7752, 3639.1393, 16.7802),
        (2000.0, -0.02, 0.08, -0.15, -578.0319, -911.6447, 44.962),
        (30000.0, -0.3, 0.02, 0.02, -19158.1377, -1269.9728, 156.9513),
    ],
)
def test_with_camber_and_combined_slip_as_another_program(
    F_z: float, kappa: float, alpha: float, gamma: float, F_x: float, F_y: float, M_z: float
) -> None:
    """Computed with the equations of matheusft/MFeval_julia (FITTYP 6)."""
    assert HMMWV_AT(F_z, kappa, alpha, gamma) == pytest.approx([F_x, F_y, M_z], abs=1e-3)


def test_overturning_moment() -> None:
    """The same program with q_sx1 = 0.01, q_sx2 = 0.3 and q_sx3 = 0.05."""
    tire = replace(HMMWV, values={**HMMWV.values, "QSX1": 0.01, "QSX2": 0.3, "QSX3": 0.05})
    assert float(law(tire, camber=0.1).overturning(6500.0, -2115.1871902518487)) == pytest.approx(-70.31631713506533)
    assert float(law(HMMWV, camber=0.1).overturning(6500.0, -2000.0)) == 0.0


def test_rolling_resistance() -> None:
    """M_y = R_0 F_z (q_sy1 + q_sy2 F_x/F_z0 + q_sy3 |v/V_0| + q_sy4 (v/V_0)^4), by hand at twice V_0 = 16.7 m/s."""
    terms = {"QSY1": 0.01, "QSY2": 0.1, "QSY3": 0.002, "QSY4": 1e-4}
    tire = replace(HMMWV, values={**HMMWV.values, **terms})
    moving = law(tire).in_motion(0.0, -33.4, -33.4)
    assert float(moving.resistance(6000.0, 0.47, -700.0)) == pytest.approx(6000.0 * 0.47 * (0.01 - 0.002 + 0.0056))
    assert float(law(HMMWV).resistance(6000.0, -0.1)) == 0.0


def slopes(pacejka: Pac2002, F_z: float, gamma: float = 0.0) -> Any:
    at = ca.SX.sym("at", 2)
    forces = replace(pacejka, camber=gamma).forces(F_z, at[0], at[1], 1.0)
    return np.asarray(ca.Function("J", [at], [ca.jacobian(ca.vertcat(*forces[:2]), at)])([0.0, 0.0]))


@pytest.mark.parametrize("F_z", [2000.0, 6500.0, 20000.0])
def test_without_shifts_no_slip_gives_no_force_and_the_slopes_are_the_stiffnesses(F_z: float) -> None:
    """K_xkappa = F_z (p_Kx1 + p_Kx2 df_z) exp(p_Kx3 df_z), K_yalpha = p_Ky1 F'_z0 sin(2 atan(F_z/(p_Ky2 F'_z0)))."""
    pacejka = law(HMMWV, {"LHX": 0.0, "LVX": 0.0}, asymmetry=0.0)
    assert SYMMETRIC(F_z, 0.0, 0.0) == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    F_z0 = 35000.0 * 0.580904846
    df_z = F_z / F_z0 - 1.0
    K_xkappa = F_z * (14.848 - 9.8161 * df_z) * np.exp(0.15818 * df_z)
    K_yalpha = -10.289 * F_z0 * np.sin(2.0 * np.arctan(F_z / (3.3343 * F_z0)))
    np.testing.assert_allclose(slopes(pacejka, F_z), [[K_xkappa, 0.0], [0.0, -K_yalpha]], rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("mu", [1.0, 0.4])
def test_the_peaks_are_those_of_the_friction_at_the_load(mu: float) -> None:
    F_z = 9000.0
    df_z = F_z / (35000.0 * 0.580904846) - 1.0
    along = max(SYMMETRIC(F_z, kappa, 0.0, mu=mu)[0] for kappa in np.linspace(0.0, 1.0, 2001))
    across = max(SYMMETRIC(F_z, 0.0, -alpha, mu=mu)[1] for alpha in np.linspace(0.0, 1.0, 2001))
    assert along == pytest.approx((0.77751 - 0.24431 * df_z) * mu * F_z, rel=1e-5)
    assert across == pytest.approx((0.73957 - 0.075004 * df_z) * mu * F_z, rel=1e-5)


def test_load_that_moves_from_one_wheel_to_the_other_costs_lateral_force() -> None:
    """4 and 4 kN against 2 and 6 kN at -0.105 rad: 7186.6 N against 6717.7 N, from the published values above."""
    even, uneven = 2.0 * BOOK_AT(4000.0, 0.0, -0.105)[1], sum(BOOK_AT(F_z, 0.0, -0.105)[1] for F_z in (2e3, 6e3))
    assert [even, uneven] == pytest.approx([2.0 * 3593.292118, 1968.613857 + 4749.054262], rel=1e-5)
    friction = [BOOK_AT(F_z, 0.0, -0.21)[1] / F_z for F_z in (2e3, 4e3, 6e3, 8e3)]
    assert (np.diff(friction) < -0.03).all()


def test_a_wheel_that_leans_right_is_pushed_to_the_right() -> None:
    """ISO 8855; the camber stiffness is K_yalpha p_Hy3 + F_z (p_Vy3 + p_Vy4 df_z)."""
    F_z, gamma, F_z0 = 6500.0, 1e-5, 35000.0 * 0.580904846
    K_yalpha = -10.289 * F_z0 * np.sin(2.0 * np.arctan(F_z / (3.3343 * F_z0)))
    thrust = K_yalpha * -0.038716 + F_z * (-0.31373 - 0.055766 * (F_z / F_z0 - 1.0))
    assert thrust < 0.0
    assert SYMMETRIC(F_z, 0.0, 0.0, gamma)[1] == pytest.approx(thrust * gamma, rel=1e-3)


def test_the_mirror_image_gives_mirrored_forces_and_the_mean_of_both_coefficients_none() -> None:
    left, right = evaluated(law(HMMWV, asymmetry=1.0)), evaluated(law(HMMWV, asymmetry=-1.0))
    for at in ((6500.0, 0.0, 0.0, 0.0), (6500.0, -0.03, 0.06, 0.05), (12000.0, 0.02, -0.1, -0.1)):
        F_z, kappa, alpha, gamma = at
        F_x, F_y, M_z = left(*at)
        assert right(F_z, kappa, -alpha, -gamma) == pytest.approx([F_x, -F_y, -M_z], rel=1e-9)
    assert abs(left(6500.0, 0.0, 0.0)[1]) > 100.0, "ply steer and conicity as measured"
    assert abs(SYMMETRIC(6500.0, 0.0, 0.0)[1]) < 1e-9
    assert set(ASYMMETRIC) <= set(HMMWV.values)


@pytest.mark.parametrize("load", [0.0, -500.0])
def test_no_load_no_force(load: float) -> None:
    assert HMMWV_AT(load, 0.2, -0.1, 0.05) == [0.0, 0.0, 0.0]


def test_below_and_above_the_range_of_loads() -> None:
    """Proportional to the load below FZMIN = 1016.6 N, constant above FZMAX = 45746.3 N."""
    least, most = HMMWV_AT(1016.6, 0.03, 0.05), HMMWV_AT(45746.3, 0.03, 0.05)
    assert HMMWV_AT(508.3, 0.03, 0.05) == pytest.approx([0.5 * v for v in least])
    assert HMMWV_AT(6e4, 0.03, 0.05) == pytest.approx(most)


def test_slips_and_camber_beyond_their_ranges_count_as_the_ends() -> None:
    tight = replace(HMMWV, values={**HMMWV.values, "KPUMIN": -0.2, "ALPMAX": 0.15, "CAMMAX": 0.1})
    at = evaluated(law(tight))
    assert at(6500.0, -0.5, 0.0) == pytest.approx(at(6500.0, -0.2, 0.0))
    assert at(6500.0, 0.0, 0.4) == pytest.approx(at(6500.0, 0.0, 0.15))
    assert at(6500.0, 0.0, 0.0, 0.2) == pytest.approx(at(6500.0, 0.0, 0.0, 0.1))
    outside = [
        bool(law(tight, camber=gamma).outside_range(load, kappa, t))
        for load, kappa, t, gamma in (
            (6500.0, -0.1, 0.1, 0.05),
            (0.0, 0.0, 0.0, 0.0),
            (500.0, 0.0, 0.0, 0.0),
            (5e4, 0.0, 0.0, 0.0),
            (6500.0, -0.3, 0.0, 0.0),
            (6500.0, 0.0, -0.3, 0.0),
            (6500.0, 0.0, 0.0, 0.15),
        )
    ]
    assert outside == [False, False, True, True, True, True, True]


@pytest.mark.parametrize(("F_z", "gamma", "LFZO"), [(45000.0, 0.0, 0.4), (6500.0, 0.26, 1.0)])
def test_neither_load_nor_camber_turns_the_forces_round(F_z: float, gamma: float, LFZO: float) -> None:
    """Both stiffnesses would be negative: K_xkappa by its p_Kx2, K_yalpha by p_Ky3 = 5. The output tells it."""
    tire = replace(HMMWV, values={**HMMWV.values, "PKY3": 5.0})
    pacejka = law(tire, {"LFZO": LFZO, "LHX": 0.0, "LVX": 0.0}, asymmetry=0.0)
    at = evaluated(pacejka)
    assert at(F_z, 0.02, 0.0, gamma)[0] > 0.0
    assert at(F_z, -0.2, 0.0, gamma)[0] < 0.0
    upright, leaning = (replace(pacejka, camber=angle) for angle in (0.0, gamma))
    K = [float(v.curves(F_z, 1.0).across.K) for v in (upright, leaning)]
    assert min(abs(v) for v in K) >= MIN_STIFFNESS * abs(K[0])
    assert K[0] * K[1] > 0.0
    assert bool(leaning.outside_range(F_z, 0.0, 0.0))
    assert not bool(upright.outside_range(6500.0, 0.0, 0.0))


def test_rolling_backward_it_is_the_mirror_image_of_rolling_forward() -> None:
    """Of a tire without ply steer: drag instead of push at zero slip, and the trail on the other side."""
    ahead, back = (law(HMMWV, asymmetry=0.0).in_motion(0.0, v, v) for v in (10.0, -10.0))
    F_x, F_y, M_z = (float(ca.evalf(ca.SX(v))) for v in ahead.forces(6500.0, 0.01, 0.05, 1.0))
    mirrored = [float(ca.evalf(ca.SX(v))) for v in back.forces(6500.0, -0.01, 0.05, 1.0)]
    assert mirrored[:2] == pytest.approx([-F_x, F_y], rel=1e-3)
    assert mirrored[2] * M_z < 0.0
