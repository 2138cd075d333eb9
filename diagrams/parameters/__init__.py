"""Parameter sets and parameter mappings of SSP 1.0."""
