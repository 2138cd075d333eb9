"""A ride on a rough road: a HMMWV at 15 m/s on class C of ISO 8608."""
