"""Rigid bodies joined by hinges, with loops: one description, three formulations of its equations of motion."""
