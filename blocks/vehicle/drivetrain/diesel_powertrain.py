"""The powertrain of a generic military diesel, heavier than that of the HMMWV."""

from drawbar.blocks import Parameter
from drawbar.blocks.vehicle.drivetrain.powertrain import Powertrain
from drawbar.blocks.vehicle.drivetrain.presets import GENERIC_DIESEL as DIESEL


class DieselPowertrain(Powertrain):
    """A `Powertrain` with a generic military diesel of 793 N m at 1600 rpm, governed at 2600 rpm, without a low range.

    Source: ``blocks/data/powertrains/generic_diesel.json``. It is not the engine of the HMMWV. Its gears are those of
    `DieselGearbox`, for a total ratio of axles and hubs of 5 : 1; with them a HMMWV reaches 67 km/h.
    """

    full_speed = Parameter(
        [p[0] for p in DIESEL.full], "rad/s", "speeds of the full-throttle curve", size=len(DIESEL.full)
    )
    full_torque = Parameter(
        [p[1] for p in DIESEL.full], "N.m", "torques of the full-throttle curve", size=len(DIESEL.full)
    )
    motored_speed = Parameter(
        [p[0] for p in DIESEL.motored], "rad/s", "speeds of the motored curve, without fuel", size=len(DIESEL.motored)
    )
    motored_torque = Parameter(
        [p[1] for p in DIESEL.motored], "N.m", "torques of the motored curve, without fuel", size=len(DIESEL.motored)
    )
    inertia = Parameter(DIESEL.inertia, "kg.m2", "J, inertia of engine and impeller", min=1e-3)
    idle = Parameter(DIESEL.idle, "rad/s", "idle speed, below which the governor opens the throttle", min=1.0)
    capacity = Parameter(
        DIESEL.capacity, "N.m.s2", "c, impeller torque over its speed squared at each speed ratio", size=6, min=0.0
    )
    low_ratio = Parameter(
        DIESEL.low_range, "1", "ratio of the transfer case in low range; that of high range is 1", min=1.0
    )
