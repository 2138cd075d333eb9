"""A known force on one wheel of the HMMWV, whose chassis is clamped."""
