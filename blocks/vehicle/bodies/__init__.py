"""Vehicle bodies: the free chassis, bodies from vehicle files, and planar models."""
