"""The C runtime that every exported FMU carries."""
