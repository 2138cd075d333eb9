"""The XML of SSP 1.0: safe parsing, canonical text, tags and literals."""
