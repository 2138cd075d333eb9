"""From a block to a self-contained FMU, and any FMU live."""
