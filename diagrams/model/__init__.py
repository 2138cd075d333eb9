"""A diagram in memory: parts, connections, systems and start values."""
