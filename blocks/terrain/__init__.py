"""What a wheel stands on, and the laws of tires on it."""
