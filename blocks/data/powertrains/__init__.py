"""Data of engines, converters and gearboxes, one JSON file each."""
