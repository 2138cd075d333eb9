"""What the base of wheels in soil requires of a law, and what it does where there is no soil."""

from typing import Any

import pytest

from drawbar.blocks.tires.bekker_wheel import BekkerWheel
from drawbar.blocks.tires.soil_wheel import SoilWheel


class Bare(SoilWheel, abstract=True):
    """A subclass that defines nothing."""


def test_a_law_that_a_subclass_lacks_is_named() -> None:
    bare = object.__new__(Bare)
    with pytest.raises(TypeError, match=r"^Bare has no soil law: define soil_forces\(\)"):
        bare.soil_forces(None, None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^Bare has no bound of its traction: define traction_slope"):
        _ = bare.traction_slope


def test_without_soil_the_spring_of_the_initial_equilibrium_is_a_stiff_one(bench: Any) -> None:
    """20 times the rated load over the radius: the body can find its pose before the guard fails."""
    found = bench(BekkerWheel).out(**{"hub.position": [0.0, 0.0, 0.45]})
    assert (found["hub.radius"], found["hub.stiffness"]) == (0.47, pytest.approx(20.0 * 6000.0 / 0.47))


def test_a_wheel_rolls_on_its_own_radius_at_the_start(bench: Any) -> None:
    soil = {"ground.sinkage_exponent": 1.0, "ground.k_phi": 1.5e6}
    rates = bench(BekkerWheel).ode(
        **{"hub.position": [0.0, 0.0, 0.42], "hub.velocity": [4.7, 0.0, 0.0]}, turning=10.0, **soil
    )
    assert rates["s"] == pytest.approx(0.0, abs=1e-9)
    assert rates["t"] == pytest.approx(0.0, abs=1e-9)
