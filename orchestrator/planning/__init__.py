"""From a checked diagram to a static schedule."""
