"""Run folders: written, read and compared."""
