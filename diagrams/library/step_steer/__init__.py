"""A step of the steering wheel at 80 km/h: how a HMMWV responds."""
