"""From a block to a self-contained FMU, and from any FMU to a live instance."""
