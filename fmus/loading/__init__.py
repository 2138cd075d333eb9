"""Any FMU as a loaded library: archive, description, library and calls."""
