"""The verbs ``drawbar new`` and ``drawbar terrain``."""
