"""Soils, and the laws of stress and force under a wheel in soft soil."""
