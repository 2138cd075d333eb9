"""The hub: the bus between a vehicle body and its wheels."""
