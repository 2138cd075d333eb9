"""Any FMU as a loaded library: archive, description and library."""
