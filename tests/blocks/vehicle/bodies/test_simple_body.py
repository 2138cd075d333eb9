"""The HMMWV on simple springs has the mass of the HMMWV and ten degrees of freedom."""

import pytest

from drawbar.blocks.data.default_vehicle import TOTAL_MASS
from drawbar.blocks.vehicle.bodies.simple_body import SimpleBody


def test_its_mass_is_that_of_the_vehicle_with_wishbones() -> None:
    start = {p.name: p.start for p in SimpleBody.interface().of("parameter")}
    mass = start["sprung_mass"][0] + 2 * sum(start["unsprung_mass"])
    assert mass == pytest.approx(TOTAL_MASS, rel=1e-3)


def test_it_has_ten_degrees_of_freedom_and_a_steering_gear() -> None:
    rates = {p.name: p.size for p in SimpleBody.model().x if p.name in ("omega", "v", "travel_rate", "steer_rate")}
    assert rates == {"omega": 3, "v": 3, "travel_rate": 4, "steer_rate": 1}
