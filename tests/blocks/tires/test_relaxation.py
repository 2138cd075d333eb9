"""Slips with relaxation lengths: their steady values, their recovery after sliding, their damping."""

import numpy as np
import pytest

from drawbar.blocks.data import read
from drawbar.blocks.tires.fiala import Fiala
from drawbar.blocks.tires.relaxation import Relaxation

T = read("vehicles/hmmwv.json")["tire_fiala"]
LAW = Fiala(
    stiffness_x=T["c_slip_N"],
    stiffness_y=T["c_alpha_N_per_rad"],
    sliding_ratio=T["mu_min"] / T["mu_max"],
    width=T["width_m"],
    relaxation=Relaxation(T["relaxation_x_m"], T["relaxation_y_m"], 0.1, 2.5),
    rolling=T["rolling_resistance"],
)


def test_slips_settle_at_their_steady_values_within_the_relaxation_length() -> None:
    v_x, tread, v_y = 10.0, 11.0, -0.5
    kappa = t = 0.0
    h = 1e-4
    for _ in range(int(2.0 / 11.0 / h)):  # the tread has run for sigma
        rate = LAW.slip_rates(v_x, v_y, tread, kappa, t, 6000.0, 0.8)
        kappa, t = kappa + h * float(rate[0]), t + h * float(rate[1])
    assert kappa == pytest.approx(1.0 / 11.0 * (1 - np.exp(-1.0)), rel=2e-3)
    assert t == pytest.approx(0.5 / 11.0 * (1 - np.exp(-1.0)), rel=2e-3)
    steady = LAW.slip_rates(v_x, v_y, tread, 1.0 / 11.0, 0.5 / 11.0, 6000.0, 0.8)
    assert [float(r) for r in steady] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_at_the_end_of_a_slide_no_more_slip_is_left_than_the_tire_holds() -> None:
    """A locked wheel comes to rest from 2.5 m/s within 0.9 m; sliding it holds 3 mu F_z/C_S = 0.04."""
    kappa, v, h, deceleration = -1.0, 2.5, 1e-3, 3.5
    while v > 0.0:
        kappa += h * float(LAW.slip_rates(v, 0.0, 0.0, kappa, 0.0, 6000.0, 0.8)[0])
        v -= h * deceleration
    held = 3.0 * 0.8 * LAW.sliding_ratio * 6000.0 / T["c_slip_N"]
    assert -2.0 * held < kappa < -0.9 * held
    at_speed = [float(LAW.slip_rates(10.0, 0.0, 0.0, k, 0.0, load, 0.8)[0]) for k, load in ((-1.0, 6e3), (-1.0, 0.0))]
    assert at_speed == [0.0, 0.0], "steady at speed"


@pytest.mark.parametrize("v", [(0.0, 10.0), (0.5, 10.0), (0.0, 1.0), (1.0, 1.0), (0.3, 0.06)])
def test_slips_of_a_locked_wheel_settle_opposite_to_its_motion(v: tuple[float, float]) -> None:
    """Broadside as well, and at low speed, where they recover; friction stays that of sliding."""
    kappa, t, h, speed = -0.3, 0.0, 2e-3, np.hypot(*v)
    for _ in range(20000):
        rate = LAW.slip_rates(*v, 0.0, kappa, t, 6000.0, 0.8)
        kappa, t = kappa + h / speed * float(rate[0]), t + h / speed * float(rate[1])
    assert [kappa / np.hypot(kappa, t), t / np.hypot(kappa, t)] == pytest.approx(
        [-v[0] / speed, -v[1] / speed], abs=1e-6
    )
    sliding = LAW.relaxation.sliding(*v, 0.0)
    friction = float(LAW.friction(kappa, t, 0.8, sliding)) / (0.8 * LAW.sliding_ratio)
    assert friction == pytest.approx(1.0, abs=1e-3)
    angle = float(LAW.relaxation.slip_angle(*v, 0.0, t))
    if speed > 2.5:
        assert angle == pytest.approx(-np.arctan2(v[1], v[0]), abs=1e-3)


def test_sliding_is_told_from_rolling_and_from_sticking_at_low_speed() -> None:
    """A locked wheel slides wholly down to 0.25 m/s; below that the share falls with the speed."""
    rolling = [float(LAW.relaxation.sliding(v, 0.0, v)) for v in (0.0, 0.5, 10.0)]
    assert rolling == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    locked = [float(LAW.relaxation.sliding(v, 0.0, 0.0)) for v in (0.25, 0.5, 1.0, 10.0)]
    assert locked == pytest.approx([1.0] * 4, abs=1e-6)
    assert float(LAW.relaxation.sliding(0.1, 0.0, 0.0)) == pytest.approx(0.4)
    assert [float(LAW.relaxation.sliding(10.0, 0.0, 10.0 * (1.0 - s))) for s in (0.1, 0.5)] == pytest.approx([0.1, 0.5])


def test_only_a_wheel_that_rolls_has_an_aligning_moment() -> None:
    """One that stands is deflected evenly along its contact; hence its lateral force has no lever."""
    assert [float(LAW.relaxation.rolling(*v)) for v in ((0.0, 0.0), (-0.05, 0.0), (3.0, 3.1))] == [0.0, 0.5, 1.0]


def test_damping_is_for_low_speed_only() -> None:
    assert [float(v) for v in LAW.relaxation.damped_slips(2.5, 0.3, 2.4, 0.1, 0.2)] == [0.1, 0.2]
    kappa, t = LAW.relaxation.damped_slips(0.0, 0.02, 0.01, 0.0, 0.0)
    assert float(kappa) == pytest.approx(0.1 * 0.01 / 2.0, rel=0.01)
    assert float(t) == pytest.approx(-0.1 * 0.02 / 2.0, rel=0.01), "against the motion"
