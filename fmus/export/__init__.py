"""From a block to an FMU: C code, model description and package."""
