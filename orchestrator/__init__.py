"""Runs of a diagram: planned, stepped, recorded, read back and reported."""
