"""The C runtime that every exported unit carries."""
