"""Braking in a turn with the steering wheel held: how well a HMMWV holds its circle."""
