"""A run in a child process, watched from its parent."""
