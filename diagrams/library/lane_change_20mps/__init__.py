"""A change of lane and back at 20 m/s: the second scenario of the 2013 paper."""
