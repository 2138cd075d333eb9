"""Tires and wheels: the contact, the laws of tires on roads and in soil, and the wheel blocks that connect to a hub."""
