"""Energies and accelerations of a body that is cut at its hubs, by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.bodies.simple_body import SimpleBody

G = 9.80665


def mass(s: Any) -> float:
    return float(s.values["sprung_mass"] + 2 * (s.values["unsprung_mass[1]"] + s.values["unsprung_mass[2]"]))


def test_the_kinetic_energy_of_a_translation_is_that_of_all_masses(stand: Callable[..., Any]) -> None:
    s = stand(SimpleBody)
    found = s.outputs(**{"v[1]": 3.0, "v[2]": -1.0, "v[3]": 2.0})
    assert found["kinetic_energy"] == pytest.approx(mass(s) / 2 * 14.0)


def test_the_potential_energy_rises_by_weight_times_height(stand: Callable[..., Any]) -> None:
    s = stand(SimpleBody)
    low, high = (s.outputs(z=s.values["z"] + dz)["potential_energy"] for dz in (0.0, 0.3))
    assert high - low == pytest.approx(mass(s) * G * 0.3)


def test_without_hub_forces_the_momentum_changes_by_the_weight(stand: Callable[..., Any]) -> None:
    """Along the vertical of the chassis: its origin, its rotation and the wheels in their guides, summed by mass."""
    s = stand(SimpleBody)
    rates = s.rates()
    about_x, about_y, rise = rates["omega[1]"], rates["omega[2]"], rates["v[3]"]
    force = mass(s) * rise
    for i in range(4):
        axle = i // 2 + 1
        x, y = s.values[f"axle_offset[{axle}]"], s.values[f"track_width[{axle}]"] / 2 * (1 if i % 2 == 0 else -1)
        force += s.values[f"unsprung_mass[{axle}]"] * (about_x * y - about_y * x + rates[f"travel_rate[{i + 1}]"])
    lean = np.cos(s.values["pitch"]) * np.cos(s.values["roll"])
    assert force == pytest.approx(-mass(s) * G * lean, rel=1e-6)
    assert rates["travel_rate[1]"] < -50.0, "the wheels are pushed down by their springs"
