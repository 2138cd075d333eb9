"""Old names of blocks, ports and parameters, for messages that give the new one.

The tables serve messages only; an old name never resolves.
"""

from __future__ import annotations

from collections.abc import Iterable

from drawbar.blocks.core.arrays import split
from drawbar.blocks.core.errors import did_you_mean

CLASSES = {
    "Hold": "SampleAndHold",
    "Limit": "Saturation",
    "PullBench": "SingleWheelTester",
    "RateLimit": "RateLimiter",
    "SpeedTrial": "PerformanceTest",
}
# old and new package of the modules that moved without a change of name
_MOVED = {
    ("vehicle", "vehicle.hub"): "hub",
    ("vehicle", "vehicle.bodies"): "air_drag chassis hub_body simple_body single_track vehicle_body",
    ("vehicle", "vehicle.hmmwv"): "hmmwv hmmwv_body hmmwv_on_soil hmmwv_on_wheels hmmwv_rig hmmwv_vehicle",
    ("vehicle", "vehicle.drivetrain"): "wheel_torque",
    ("vehicle", "vehicle.rover"): "planar_rover rover_command rover_wheel skid_steer warthog_body",
    ("vehicle", "tires"): "axle_tire rolling_wheel",
    ("terrain", "tires"): "bekker_wheel closed_form_wheel fiala_tire soft_tire soil_wheel surface_tire wheel",
    ("terrain", "terrain.ground"): (
        "elevation elevation_probe flat_road flat_soil ground half_round mapped rough_road"
    ),
}
_BLOCKS = "drawbar.blocks."
MODULES = {
    **{f"{_BLOCKS}{old}.{m}": f"{_BLOCKS}{new}.{m}" for (old, new), names in _MOVED.items() for m in names.split()},
    f"{_BLOCKS}sensors.speed_trial": f"{_BLOCKS}sensors.performance_test",
    f"{_BLOCKS}signals.hold": f"{_BLOCKS}signals.sample_and_hold",
    f"{_BLOCKS}signals.limit": f"{_BLOCKS}signals.saturation",
    f"{_BLOCKS}signals.rate_limit": f"{_BLOCKS}signals.rate_limiter",
    f"{_BLOCKS}terrain.pull_bench": f"{_BLOCKS}tires.single_wheel_tester",
}
# methods and attributes that an author writes
MEMBERS = {"fastest": "stability_bounds", "told_if_true": "warn_if_true", "told_if_below": "warn_if_below"}
# the possible new names of a port or parameter; a block has one of them
VARIABLES = {
    "brush": ("bristle_torque",),
    "brush_angle": ("bristle_angle",),
    "goal": ("next_gear",),
    "grip": ("engagement",),
    "held": ("integral_torque",),
    "hub_place": ("hub_position",),
    "least": ("lower_limit",),
    "least_acceleration": ("min_acceleration",),
    "left": ("shift_timer",),
    "most": ("upper_limit", "max_torque", "full_torque"),
    "most_acceleration": ("max_acceleration",),
    "mu_min": ("sliding_ratio",),
    "now": ("current_gear",),
    "propeller": ("propshaft_torque",),
    "propeller_speed": ("propshaft_speed",),
    "propelling": ("output_torque",),
    "push": ("external_force", "wheel_force", "force"),
    "twist": ("external_moment",),
    "wait": ("latency_timer",),
}


def renamed_block(reference: str) -> str:
    """Return ``; it is now 'x'`` for the old class name or ``package.module:Class`` of a block, else an empty text."""
    module, colon, name = reference.rpartition(":")
    new = f"{MODULES.get(module, module)}{colon}{CLASSES.get(name, name)}"
    return "" if new == reference or (module and module not in MODULES) else f"; it is now '{new}'"


def did_you_mean_variable(name: str, valid: Iterable[str]) -> str:
    """Return ``; it is now 'x'`` for the old name of a variable or an element of it, else as `did_you_mean` does."""
    names = set(valid)
    path, dot, last = name.rpartition(".")
    base = split(last)[0]
    for new in VARIABLES.get(base, ()):
        if f"{path}{dot}{new}" in names:
            return f"; it is now '{path}{dot}{new}{last.removeprefix(base)}'"
    return did_you_mean(name, names)
