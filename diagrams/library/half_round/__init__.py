"""The HMMWV drives over a half-round."""
