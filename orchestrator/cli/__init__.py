"""The command ``drawbar`` and the verbs of this package."""
