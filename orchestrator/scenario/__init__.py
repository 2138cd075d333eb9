"""What acts on a run from outside: inputs, timed changes, stop conditions, pacing."""
