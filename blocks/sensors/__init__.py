"""Sensors: what a vehicle perceives of the ground and of others."""
