"""The entry angle from a load, in two evaluations of the law."""

import json
from collections.abc import Callable
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from drawbar.blocks.terrain.soil.entry_angle import entry_angle
from drawbar.blocks.terrain.soil.soil_stress import Shear, SoilStress
from drawbar.blocks.terrain.soil.tbf import TBF

REFERENCE = json.loads((Path(__file__).parents[3] / "fidelity" / "tbf_reference.json").read_text("utf-8"))
WHEELS = {name: TBF(**values) for name, values in REFERENCE["wheels"].items()}
SOILS = {name: SoilStress(**values) for name, values in REFERENCE["soils"].items()}
SNOW = SoilStress(1.6, 4370.0, 196720.0, 1030.0, np.radians(19.7), 0.04)  # Wong


def functions(wheel: TBF, soil: SoilStress) -> tuple[ca.Function, ca.Function]:
    """The load at an entry angle, and the angle at a load with its derivative; slip, side slip."""
    t, s, y, w = (ca.SX.sym(n) for n in ("t", "s", "y", "w"))
    angle = entry_angle(wheel, soil, Shear(s, y), w)
    load = ca.Function("load", [t, s, y], [wheel.reaction(soil, t, Shear(s, y)).F_z])
    return load, ca.Function("angle", [w, s, y], [angle, ca.jacobian(angle, ca.vertcat(w, s, y))], {"cse": True})


PAIRS = {(i, name): functions(wheel, soil) for i, wheel in WHEELS.items() for name, soil in SOILS.items()}


@pytest.mark.parametrize(("i", "soil"), PAIRS)
def test_the_error_is_at_most_a_twentieth_of_a_percent(i: str, soil: str) -> None:
    """Over the grid of the 2011 paper's table 4 and shallower: measured at most 0.014 %."""
    load, angle = PAIRS[i, soil]
    worst = 0.0
    for entry in np.radians(np.arange(10.0, 51.0, 5.0)):
        for s in np.arange(0.1, 0.81, 0.1):
            for y in (1.0 - s) * np.tan(np.radians([0.0, 18.0, 36.0])):
                worst = max(worst, abs(float(angle(load(entry, s, y), s, y)[0]) / entry - 1.0))
    assert worst < 2e-4


def one_sided(f: Callable[[NDArray[np.float64]], float], at: NDArray[np.float64], step: NDArray[np.float64]) -> float:
    """Return the second-order one-sided difference along the only coordinate in which `step` is not zero."""
    return (4.0 * f(at + step) - 3.0 * f(at) - f(at + 2.0 * step)) / (2.0 * float(step.sum()))


@settings(max_examples=60)
@example(("L", "clayey_soil"), 0.5, 0.09999999999999998, 0.5)  # just below a kink at a slip of 0.1
@example(("L", "clayey_soil"), 0.75, -0.25, 0.0)  # even in the side slip, so flat where there is none
@given(st.sampled_from(sorted(PAIRS)), st.floats(0.2, 0.9), st.floats(-0.9, 0.9), st.floats(-0.6, 0.6))
def test_its_derivative_is_that_of_what_it_computes(key: tuple[str, str], entry: float, s: float, y: float) -> None:
    if abs(s) < 1e-3:
        return
    load, angle = PAIRS[key]
    at = np.array([float(load(entry, s, y)), s, y])
    slope = angle(*at)[1].full().ravel()
    for k, size in enumerate((1e-6 * at[0], 1e-6, 1e-6)):
        # at a kink in the slip the derivative is that of one side, elsewhere that of the central difference
        step = size * np.eye(3)[k]
        found = [one_sided(lambda x: float(angle(*x)[0]), at, side) for side in (step, -step)]
        found.append((float(angle(*(at + step))[0]) - float(angle(*(at - step))[0])) / (2.0 * size))
        assert any(slope[k] == pytest.approx(value, rel=1e-4, abs=1e-6) for value in found), (slope[k], found)
    # and of the solution it stands for: d theta/d load = 1/(d load/d theta)
    exact = (float(load(entry + 1e-6, s, y)) - float(load(entry - 1e-6, s, y))) / 2e-6
    assert slope[0] * exact == pytest.approx(1.0, abs=0.02)


@given(st.sampled_from([*SOILS, "snow"]), st.floats(0.0, 1e7), st.floats(-2.0, 2.0), st.floats(-10.0, 10.0))
def test_it_is_finite_and_bounded_for_any_load(name: str, w: float, s: float, y: float) -> None:
    angle = WHOLE[name]
    value, slope = angle(w, s, y)
    assert 1e-4 * (1 - 1e-12) <= float(value) <= 1.45 * (1 + 1e-12)
    assert np.isfinite(slope.full()).all()


WHOLE = {name: functions(WHEELS["L"], soil)[1] for name, soil in {**SOILS, "snow": SNOW}.items()}
