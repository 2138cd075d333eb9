"""The HMMWV on simple springs, by its vehicle file."""

from pathlib import Path

from drawbar.blocks.vehicle.bodies.vehicle_body import VehicleBody

FILE = Path(__file__).parents[2] / "data" / "vehicles" / "hmmwv_simple.json"


class SimpleBody(VehicleBody, file=FILE):
    """A HMMWV with simple vertical springs, cut at the hubs: 10 degrees of freedom.

    The equations are those of `VehicleBody`. It replaces `HmmwvBody` on a diagram. Its springs and dampers have the
    rates of that vehicle's wishbones at rest; roll and bump steer and the migration of the roll centres are left out.
    Data of ``blocks/data/vehicles/hmmwv_simple.json``.
    """
