"""Vehicles and their parts."""
