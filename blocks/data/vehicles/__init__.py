"""Data of vehicles, one JSON file each."""
