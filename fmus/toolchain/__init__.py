"""C compilers, the cache of what they made, and the progress of a build."""
