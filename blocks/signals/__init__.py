"""Sources, lags and other general blocks."""
