"""Drawbar pull, sinkage, torque and efficiency of one wheel against its slip."""
