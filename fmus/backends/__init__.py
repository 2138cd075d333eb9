"""Ways to run a block or an FMU behind one interface."""
