"""SSP 1.0 files read and written."""
