"""The gearbox of the generic diesel: its ratios and shift points are those of its source."""

import numpy as np
import pytest

from drawbar.blocks.vehicle.drivetrain.diesel_gearbox import DieselGearbox
from drawbar.blocks.vehicle.drivetrain.presets import RPM

START = {port.name: np.array(port.start) for port in DieselGearbox.interface().ports}


def test_the_ratios_halve_from_gear_to_gear() -> None:
    assert START["ratios"] == pytest.approx([5.0, 2.5, 1.25])
    assert START["reverse"] == pytest.approx([-10.0])


def test_at_full_throttle_it_shifts_at_2500_and_1200_rpm_and_below_it_15_percent_earlier() -> None:
    assert START["up_full"] / RPM == pytest.approx([2500.0] * 2)
    assert START["down_full"] / RPM == pytest.approx([1200.0] * 2)
    for full, closed in (("up_full", "up_closed"), ("down_full", "down_closed")):
        assert START[full] == pytest.approx(1.15 * START[closed])
