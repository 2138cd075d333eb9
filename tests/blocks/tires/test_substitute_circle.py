"""The deformable tire in soil: the substitute circle, its deflection, published values, limits and energy."""

from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from drawbar.blocks.data import read
from drawbar.blocks.terrain.soil.bekker import Bekker
from drawbar.blocks.terrain.soil.soil_stress import ForcesAndMoments, Shear, SoilStress
from drawbar.blocks.terrain.soil.soils import soil as record
from drawbar.blocks.terrain.soil.soils import soil_names
from drawbar.blocks.tires.soil_rolling import contact_onset
from drawbar.blocks.tires.substitute_circle import ONSET_SINKAGE, SubstituteCircle

W, R, B, K_T = 6348.0, 0.47, 0.318, 326332.0
LAW = Bekker(B)
LOAM = SoilStress(0.7, 5300.0, 1515e3, 1700.0, np.radians(29.0), 0.025)


def numbers(f: ForcesAndMoments) -> list[float]:
    return [float(v) for v in vars(f).values()]


class Printed(SubstituteCircle):
    """With the printed approximation of equation 23, by which the table of the reference was made."""

    def radius(self, d: Any, h: Any) -> Any:
        return self.R * (np.sqrt(1.0 + d / h) + np.sqrt(d / h)) ** 2


DEFORMABLE = [
    ("LETE sand", 8.2, 11.4, 3183.0),
    ("dry sand", 82.0, 2.56, 1679.0),
    ("sandy loam", 21.7, 5.39, 2136.0),
    ("clayey soil", 16.9, 6.46, 1325.0),
    ("upland loam", 60.4, 2.95, 2625.0),
    ("rubicon loam", 38.7, 3.74, 2261.0),
    ("north gower clay loam", 13.9, 7.46, 2243.0),
]


@pytest.mark.parametrize(("name", "h", "flat", "pull"), DEFORMABLE)
def test_soft_tire_under_the_load_of_a_hmmwv(name: str, h: float, flat: float, pull: float, wong_soil: Any) -> None:
    """The table of the reference with the printed radius; the exact one is smaller by 3 to 6 percent."""
    shear, of, d = Shear(0.2, 0.0), wong_soil(name), W / K_T
    exact, printed = SubstituteCircle(LAW, R, K_T), Printed(LAW, R, K_T)

    def sinkage(law: SubstituteCircle) -> float:
        found: float = brentq(lambda z: float(law.forces(of, d, z, shear).F_z) - W, 1e-4, 0.4)
        return found

    as_printed, found = sinkage(printed), sinkage(exact)
    assert 1e3 * as_printed == pytest.approx(h, abs=0.06)
    assert float(printed.radius(d, as_printed)) / R == pytest.approx(flat, rel=5e-3)
    assert float(printed.forces(of, d, as_printed, shear).F_x) == pytest.approx(pull, abs=1.0)
    assert 0.93 * flat < float(exact.radius(d, found)) / R < 0.98 * flat
    assert float(exact.forces(of, d, found, shear).F_x) == pytest.approx(pull, rel=0.04)
    # the bracket finds that deflection, and a softer tire sinks less and pulls more than a rigid wheel
    assert float(exact.deflection(of, d + found, shear)) == pytest.approx(d, rel=3e-5)
    hard = brentq(lambda z: float(LAW.forces(of, R, LAW.entry(z, R), 0.0, shear).F_z) - W, 1e-4, 0.4)
    assert found < hard
    assert float(exact.forces(of, d, found, shear).F_x) > float(LAW.forces(of, R, LAW.entry(hard, R), 0.0, shear).F_x)


def test_radius_goes_through_the_ends_of_the_contact() -> None:
    """The arc of the larger circle is as long on the ground as the chord of the flattened tire's circle."""
    for d, h in ((0.02, 0.02), (0.02, 0.08), (0.04, 0.01)):
        R_s = float(SubstituteCircle(LAW, R, K_T).radius(d, h))
        chord = np.sqrt(d * (2 * R - d)) + np.sqrt((d + h) * (2 * R - d - h))
        assert np.sqrt(h * (2 * R_s - h)) == pytest.approx(chord, rel=1e-12)


def test_a_hard_tire_is_a_rigid_wheel_and_hard_soil_a_flat_tire() -> None:
    shear = Shear(0.2, 0.1)
    sunk = 0.05
    d = float(SubstituteCircle(LAW, R, 1e12).deflection(LOAM, sunk, shear))
    stiff = numbers(SubstituteCircle(LAW, R, 1e12).forces(LOAM, d, sunk - d, shear))
    assert stiff == pytest.approx(numbers(LAW.forces(LOAM, R, LAW.entry(sunk, R), 0.0, shear)), rel=5e-3)
    rock = SoilStress(1.0, 0.0, 1e10, 1e3, 0.5, 0.025)
    on_rock = SubstituteCircle(LAW, R, K_T)
    assert float(on_rock.deflection(rock, 0.02, shear)) == pytest.approx(0.02, rel=6e-3)
    assert float(on_rock.radius(0.02, 1e-5)) > 1000.0 * R


@pytest.mark.parametrize("name", [n for n in soil_names() if SoilStress.of(record(n)).modulus(B) > 0.0])
def test_the_bracket_carries_the_load_of_the_tire_on_every_soil(name: str) -> None:
    """25 mm pressed in, on snow as on clay that is nearly rock: tire and soil carry the same."""
    of, law = SoilStress.of(record(name)), SubstituteCircle(LAW, R, K_T)
    d = float(law.deflection(of, 0.025, Shear(0.0, 0.0)))
    carried = float(law.forces(of, d, 0.025 - d, Shear(0.0, 0.0)).F_z * contact_onset(0.025 - d, R, ONSET_SINKAGE))
    assert carried == pytest.approx(K_T * d, rel=2e-2, abs=5.0)


@cache
def soft_function() -> ca.Function:
    d, h, s, t = (ca.SX.sym(n) for n in ("d", "h", "s", "t"))
    f = SubstituteCircle(LAW, R, K_T).forces(LOAM, d, h, Shear(s, t))
    return ca.Function("f", [d, h, s, t], [ca.vertcat(*vars(f).values())])


@settings(max_examples=200)
@given(st.floats(0.0, 0.1), st.floats(1e-4, 0.2), st.floats(0.0, 20.0), st.floats(-20.0, 20.0), st.floats(0.0, 20.0))
def test_a_steady_soft_tire_takes_energy_and_gives_none(
    d: float, h: float, v_x: float, v_y: float, tread: float
) -> None:
    """As of the rigid wheel, with the slip over the flattened radius; and it is finite and odd across."""
    V = max(v_x, tread)
    if V < 1e-3:
        return
    found = np.asarray(soft_function()(d, h, (tread - v_x) / V, -v_y / V)).ravel()
    assert np.isfinite(found).all()
    F_x, F_y, F_z, _, M_y, _ = found
    assert F_x * v_x + F_y * v_y + M_y * tread / (R - d) <= 1e-9 * abs(F_z) * (V + abs(v_y))
    mirrored = np.asarray(soft_function()(d, h, (tread - v_x) / V, v_y / V)).ravel() * [1, -1, 1, -1, 1, -1]
    np.testing.assert_allclose(found, mirrored, rtol=1e-12, atol=1e-9 * abs(F_z) + 1e-12)


def test_pressure_without_friction_turns_no_wheel() -> None:
    """Although the arc of a flattened tire has another centre than the wheel."""
    slick = SoilStress(0.7, 5300.0, 1515e3, 0.0, 0.0, 0.025)
    circle = SubstituteCircle(LAW, R, K_T)
    assert float(circle.forces(slick, 0.02, 0.03, Shear(0.3, 0.0)).M_y) == pytest.approx(0.0, abs=1e-9)


def test_facts_are_in_the_data_file() -> None:
    assert read("vehicles/hmmwv.json")["tire_fiala"]["vertical_stiffness_N_per_m"] == K_T
