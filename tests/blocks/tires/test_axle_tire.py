"""The axle tire: odd, bounded, opposing slip."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from drawbar.blocks.data import read
from drawbar.blocks.tires.axle_tire import MIN_SPEED, AxleTire, slip_angle

DATA = read("vehicles/hmmwv_planar.json")
TIRE = AxleTire(**{k: v for k, v in DATA["axle_tire"].items() if k != "meaning"})
slips = st.floats(-1.5, 1.5)
loads = st.floats(500.0, 26000.0)


@given(slips, loads)
def test_odd_in_slip(slip: float, load: float) -> None:
    assert TIRE.lateral_force(-slip, load) == -TIRE.lateral_force(slip, load)


@given(slips, loads)
def test_bounded_by_the_peak(slip: float, load: float) -> None:
    assert abs(TIRE.lateral_force(slip, load)) <= TIRE.peak(load) * (1 + 1e-12)


@given(st.floats(1e-6, 1.5), loads)
def test_opposes_slip(slip: float, load: float) -> None:
    assert TIRE.lateral_force(slip, load) < 0.0


@given(st.floats(0.0, 0.05), st.floats(1e-4, 0.01), loads)
def test_monotone_near_zero(slip: float, more: float, load: float) -> None:
    assert TIRE.lateral_force(slip + more, load) < TIRE.lateral_force(slip, load)


@given(st.floats(500.0, 25000.0))
def test_peak_grows_with_load_but_less_than_in_proportion(load: float) -> None:
    assert TIRE.peak(load) < TIRE.peak(1.04 * load) < 1.04 * TIRE.peak(load)


def test_the_peak_is_reached() -> None:
    forces = [-TIRE.lateral_force(slip, 13680.0) for slip in np.linspace(0.0, 1.5, 3001)]
    assert max(forces) == pytest.approx(TIRE.peak(13680.0), rel=1e-6)


@pytest.mark.parametrize("load", [5000.0, 13680.0, 30000.0])
def test_the_peak_lies_where_the_curvature_says(load: float) -> None:
    """``E = (B a - tan(pi/(2 C)))/(B a - atan(B a))`` at the slip angle a of the peak."""
    found = minimize_scalar(lambda slip: TIRE.lateral_force(slip, load), bounds=(0.0, 1.5), method="bounded")
    Ba = -TIRE.slope(load) / (TIRE.PCY1 * TIRE.peak(load)) * found.x
    E = TIRE.PEY1 + TIRE.PEY2 * (load / TIRE.FZ0 - 1.0)
    assert (Ba - np.tan(np.pi / (2.0 * TIRE.PCY1))) / (Ba - np.arctan(Ba)) == pytest.approx(E, rel=1e-3)


@pytest.mark.parametrize(("load", "stiffness", "listed"), [(13680.0, 83.3e3, 84138.0), (12696.0, 77.4e3, 78126.0)])
def test_slope_at_static_load(load: float, stiffness: float, listed: float) -> None:
    numeric = (TIRE.lateral_force(1e-6, load) - TIRE.lateral_force(-1e-6, load)) / 2e-6
    assert numeric == pytest.approx(TIRE.slope(load), rel=1e-6)
    assert -numeric == pytest.approx(stiffness, rel=1e-3)
    assert -numeric == pytest.approx(listed, rel=0.015)  # the source lists a linear tire beside the nonlinear one


@given(st.floats(3.0, 30.0), st.floats(-3.0, 3.0), st.floats(-0.5, 0.5))
def test_slip_angle_of_a_rolling_wheel(forward: float, left: float, steer: float) -> None:
    assert slip_angle(forward, left, steer) == pytest.approx(np.arctan(left / forward) - steer, abs=1e-12)


def test_slip_angle_at_standstill_and_below_the_guard() -> None:
    assert slip_angle(0.0, 0.0, 0.4) == 0.0
    assert slip_angle(0.0, 0.5, 0.0) == pytest.approx(np.arctan(0.5 / MIN_SPEED))
