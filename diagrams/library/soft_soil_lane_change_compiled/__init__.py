"""The HMMWV changes lanes on sandy loam: the formula compiled into the vehicle."""
