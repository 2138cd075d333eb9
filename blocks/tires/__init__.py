"""Wheels and tires: contact, the laws of tires on roads and in soil, and the wheels that hang at a hub."""
