"""The powertrain data: consistent in themselves and with the stall speed that they name."""

import pytest

from drawbar.blocks.vehicle.drivetrain.lookup_table import value_at
from drawbar.blocks.vehicle.drivetrain.presets import GENERIC_DIESEL, HMMWV, HMMWV_AXLES, RPM, Preset

PRESETS = pytest.mark.parametrize("preset", [HMMWV, GENERIC_DIESEL], ids=["hmmwv", "generic_diesel"])


@PRESETS
def test_with_the_turbine_at_rest_the_engine_runs_at_1800_rpm(preset: Preset) -> None:
    """There the converter takes the full torque of the engine: T = c w^2."""
    stall_speed = 1800.0 * RPM
    assert preset.capacity[0] * stall_speed**2 == pytest.approx(value_at(preset.full, stall_speed))
    assert preset.capacity[-1] == 0.0, "without slip the converter takes no torque"


@PRESETS
def test_tables_and_shift_points_are_in_order(preset: Preset) -> None:
    for table in (preset.full, preset.motored):
        speeds = [speed for speed, _ in table]
        assert speeds == sorted(set(speeds))
    assert preset.speed_ratio[0] == 0.0 and preset.speed_ratio[-1] == 1.0
    assert preset.ratio == sorted(preset.ratio, reverse=True) and preset.reverse < 0.0
    for up, down in zip(preset.up, preset.down, strict=True):
        assert len(up) == len(down) == len(preset.ratio) - 1
        for i, (above, below) in enumerate(zip(up, down, strict=True)):
            after = above * preset.ratio[i + 1] / preset.ratio[i]
            assert below < after < above, "after a shift up the turbine is above the point to shift down"


def test_the_axles_of_the_hmmwv_have_gears_in_the_hubs_and_geared_differentials() -> None:
    assert HMMWV_AXLES.axle_ratio * HMMWV_AXLES.hub_ratio == pytest.approx(2.73 * 1.92)
    assert (HMMWV_AXLES.front_share, HMMWV_AXLES.bias) == (0.5, [1.0, 2.0, 2.0])
