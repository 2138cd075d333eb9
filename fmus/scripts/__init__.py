"""Python blocks: their source text, their samples, and their FMUs."""
