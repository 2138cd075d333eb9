"""Faults of a diagram, and notes on what a user may not expect."""
