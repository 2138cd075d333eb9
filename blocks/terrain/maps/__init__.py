"""Maps of the ground: what they hold, how they are made, read and written."""
