"""Sensors and meters: what a vehicle perceives, and what is measured on it."""
