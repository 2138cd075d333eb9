"""Braking in a turn with the steering wheel held: how a HMMWV keeps its circle."""
