"""Reading and writing of SSP 1.0 files."""
