"""What all packages stand on: errors, units of measure, interfaces, and safe reading and writing."""
