"""Data of tires, one JSON file each."""
