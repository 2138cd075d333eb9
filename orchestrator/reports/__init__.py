"""What is reported of a run: responses, error bars, latency."""
