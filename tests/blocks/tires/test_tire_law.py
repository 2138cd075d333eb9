"""What laws of tires share, with each of them: slips that give the forces of the start, and the bound of the rates."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.tires.fiala import Fiala
from drawbar.blocks.tires.pac2002 import Pac2002
from drawbar.blocks.tires.pac2002_tire import published
from drawbar.blocks.tires.relaxation import Relaxation
from drawbar.blocks.tires.tire_law import MAX_GRIP_SHARE, TireLaw

RELAXATION = Relaxation(0.5, 0.5, 0.1, 2.5)
HMMWV = published("hmmwv_pac2002")
LAWS: dict[str, TireLaw] = {
    "Fiala": Fiala(RELAXATION, TIRE["c_slip_N"], TIRE["c_alpha_N_per_rad"], 0.57, TIRE["width_m"], 0.015),
    "Pacejka": Pac2002(RELAXATION, HMMWV, HMMWV.scaling),
    "Pacejka, symmetric and cambered": Pac2002(RELAXATION, HMMWV, HMMWV.scaling, asymmetry=0.0, camber=-0.1),
    "Pacejka without combined slip": Pac2002(
        RELAXATION, replace(HMMWV, values={**HMMWV.values, "RBX1": 0.0}), HMMWV.scaling
    ),
}


def compiled(law: TireLaw) -> tuple[Callable[..., Any], Callable[..., Any]]:
    symbols = [ca.SX.sym(n) for n in ("F_z", "a", "b", "mu")]
    forces = ca.Function("forces", symbols, list(law.forces(*symbols))[:2])
    slips = ca.Function("slips", symbols, list(law.slips_at_forces(*symbols, speed=20.0)))
    return forces, slips


FUNCTIONS = {name: compiled(law) for name, law in LAWS.items()}


@pytest.mark.parametrize("name", LAWS)
@settings(max_examples=50)
@given(st.floats(1500.0, 2e4), st.floats(0.0, 0.8), st.floats(-np.pi, np.pi), st.floats(0.1, 1.2))
def test_slips_are_those_at_which_the_law_gives_the_forces(
    name: str, F_z: float, share: float, angle: float, mu: float
) -> None:
    forces, slips = FUNCTIONS[name]
    along, across = np.cos(angle), np.sin(angle)
    size = share * 0.5 * mu * F_z
    kappa, t = (float(v) for v in slips(F_z, size * along, size * across, mu))
    found = [float(v) for v in forces(F_z, kappa, t, mu)]
    assert found == pytest.approx([size * along, size * across], abs=2e-3 * mu * F_z)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("direction", [(1.0, 0.0), (-0.8, 0.6), (0.6, -0.8), (0.0, 1.0)])
def test_of_forces_beyond_the_grip_slips_give_a_share_in_their_direction(
    name: str, direction: tuple[float, float]
) -> None:
    forces, slips = FUNCTIONS[name]
    F_x, F_y = (float(v) for v in forces(6000.0, *slips(6000.0, *(5e4 * v for v in direction), 0.8), 0.8))
    size = np.hypot(F_x, F_y)
    assert [F_x / size, F_y / size] == pytest.approx(direction, abs=0.02)
    assert 0.4 < size / (0.8 * 6000.0) < MAX_GRIP_SHARE * 1.1


@pytest.mark.parametrize("name", LAWS)
def test_a_wheel_in_the_air_has_finite_slips(name: str) -> None:
    assert np.isfinite([float(v) for v in FUNCTIONS[name][1](0.0, 0.0, 0.0, 0.8)]).all()


def test_slips_that_ignore_the_shifts_would_not_hold() -> None:
    """Negative control: at zero slip the tire as measured has forces."""
    assert abs(float(FUNCTIONS["Pacejka"][0](6000.0, 0.0, 0.0, 0.8)[1])) > 50.0
