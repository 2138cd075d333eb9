"""The generic diesel has the map of its file."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.drivetrain.diesel_powertrain import DieselPowertrain

RPM = np.pi / 30.0


def test_the_map_of_the_generic_diesel_is_that_of_its_file(bench: Any) -> None:
    b = bench(DieselPowertrain)
    for rpm, torque in ((800.0, 382.0), (1600.0, 793.0), (2450.0, 575.5), (2600.0, 79.0)):
        assert b.out(engine_speed=rpm * RPM, throttle=1.0)["engine_torque"] == pytest.approx(torque)
    assert b.out(engine_speed=1500.0 * RPM)["engine_torque"] == pytest.approx(-60.0)
