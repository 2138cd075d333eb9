"""Mass and spin inertia of the HMMWV are sums over its bodies."""

import pytest

from drawbar.blocks.data.default_vehicle import SPIN_INERTIA, TOTAL_MASS, VEHICLE


def test_the_mass_is_that_of_chassis_steering_four_corners_and_four_wheels() -> None:
    masses = [b["mass_kg"] for axle in ("front", "rear") for b in VEHICLE[axle]["bodies"].values()]
    steering = [VEHICLE["steering"]["bodies"][b]["mass_kg"] for b in ("pitman", "link")]
    wheel = VEHICLE["wheel"]["rim"]["mass_kg"] + VEHICLE["wheel"]["tire"]["mass_kg"]
    assert len(masses) == 8
    assert pytest.approx(VEHICLE["chassis"]["mass_kg"] + sum(steering) + 2 * sum(masses) + 4 * wheel) == TOTAL_MASS
    assert pytest.approx(2573.138) == TOTAL_MASS


def test_the_spin_inertia_is_that_of_rim_tire_spindle_and_half_shaft() -> None:
    assert pytest.approx(7.78782) == SPIN_INERTIA
