"""The control of the gearbox of the generic military diesel."""

from drawbar.blocks import Parameter
from drawbar.blocks.vehicle.drivetrain.gearbox import Gearbox
from drawbar.blocks.vehicle.drivetrain.presets import GENERIC_DIESEL as DIESEL

PAIRS = len(DIESEL.ratio) - 1


class DieselGearbox(Gearbox):
    """A `Gearbox` with the three speeds 5, 2.5 and 1.25 of a generic military diesel (`DieselPowertrain`).

    Source: ``blocks/data/powertrains/generic_diesel.json``.
    """

    ratios = Parameter(DIESEL.ratio, "1", "input over output speed of each forward gear", size=PAIRS + 1, min=1e-3)
    reverse = Parameter(DIESEL.reverse, "1", "input over output speed of the reverse gear", max=-1e-3)
    up_closed = Parameter(
        DIESEL.up[0], "rad/s", "turbine speed of the upshift from each gear, throttle closed", size=PAIRS
    )
    up_full = Parameter(DIESEL.up[1], "rad/s", "turbine speed of the upshift from each gear, full throttle", size=PAIRS)
    down_closed = Parameter(
        DIESEL.down[0], "rad/s", "turbine speed of the downshift to each gear, throttle closed", size=PAIRS
    )
    down_full = Parameter(
        DIESEL.down[1], "rad/s", "turbine speed of the downshift to each gear, full throttle", size=PAIRS
    )
