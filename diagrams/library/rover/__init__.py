"""A rover with four wheels in soil, on a circle."""
