"""Any FMU live: archive, description, library and calls."""
