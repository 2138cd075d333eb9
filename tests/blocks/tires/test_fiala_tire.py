"""A wheel with a Fiala tire on the bench: load, force at a small slip, and relaxation, by hand."""

from typing import Any

import pytest

from drawbar.blocks.tires.fiala_tire import FialaTire

STIFFNESS, RADIUS, C_S = 326332.0, 0.47, 193929.0
ROLLING = {"hub.velocity": [10.0, 0.0, 0.0], "turning": 10.0 / 0.45}


def at(height: float, **values: Any) -> dict[str, Any]:
    return {"hub.position": [0.0, 0.0, height], **values}


@pytest.mark.parametrize("height", [0.40, 0.45, 0.47, 0.6])
def test_the_load_is_that_of_a_spring_which_only_pushes(bench: Any, height: float) -> None:
    found = bench(FialaTire).out(**at(height))
    load = max(0.0, STIFFNESS * (RADIUS - height))
    assert found["load"] == pytest.approx(load, abs=1e-9)
    assert found["hub.force"] == pytest.approx([0.0, 0.0, load], abs=1e-9)
    assert (found["force_x"], found["force_y"]) == (0.0, 0.0)


def test_sinking_into_the_ground_adds_the_damper(bench: Any) -> None:
    still, sinking = (bench(FialaTire).out(**at(0.45, **{"hub.velocity": [0.0, 0.0, v]}))["load"] for v in (0.0, -0.1))
    assert sinking - still == pytest.approx(7500.0 * 0.1)


@pytest.mark.parametrize("slip", [-2e-5, 1e-5])
def test_at_a_small_slip_the_force_is_its_slip_stiffness_times_the_slip(bench: Any, slip: float) -> None:
    tire = bench(FialaTire, rolling_resistance=0.0)
    assert tire.out(**at(0.45, kappa=slip, **ROLLING))["force_x"] == pytest.approx(C_S * slip, rel=1e-3)


def test_the_force_stays_within_friction(bench: Any) -> None:
    found = bench(FialaTire).out(**at(0.45, kappa=0.9, t=-0.9, **ROLLING))
    assert found["force_x"] > 0.0
    assert (found["force_x"] ** 2 + found["force_y"] ** 2) ** 0.5 <= 0.9835 * found["load"]


def test_slips_relax_along_the_distance_rolled(bench: Any) -> None:
    """The slip of a wheel that rolls freely falls by v/sigma times itself: 10 m/s over 2 m."""
    rates = bench(FialaTire).ode(**at(0.45, kappa=0.02, t=-0.01, **ROLLING))
    assert rates["kappa"] == pytest.approx(-10.0 / 2.0 * 0.02)
    assert rates["t"] == pytest.approx(10.0 / 2.0 * 0.01)


def test_drive_torque_turns_the_wheel_in_the_air(bench: Any) -> None:
    rates = bench(FialaTire, inertia=2.0).ode(**at(0.6, drive=30.0))
    assert rates["turning"] == pytest.approx(15.0)
