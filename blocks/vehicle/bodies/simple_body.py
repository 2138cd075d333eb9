"""The HMMWV on simple springs, by its vehicle file."""

from pathlib import Path

from drawbar.blocks.vehicle.bodies.vehicle_body import VehicleBody

FILE = Path(__file__).parents[2] / "data" / "vehicles" / "hmmwv_simple.json"


class SimpleBody(VehicleBody, file=FILE):
    """A HMMWV with simple vertical springs, cut at the hubs: 10 degrees of freedom. What `VehicleBody` says.

    It stands in a diagram where `HmmwvBody` does. Its springs and dampers have the rates of that vehicle's wishbones at
    rest; roll and bump steer and the rising roll centres of these are left out. Numbers of
    ``blocks/data/vehicles/hmmwv_simple.json``.
    """
