"""What happens to a run from outside: inputs, timed changes, stop conditions, pacing."""
