"""What is told of a run: responses, accuracy, latency."""
