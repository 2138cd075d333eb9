"""The master that steps a schedule, in C and in Python."""
