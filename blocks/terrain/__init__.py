"""The ground under a wheel: soils, maps and the blocks that send them."""
