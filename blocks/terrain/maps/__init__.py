"""Maps of the ground: their contents, and how they are made, read and written."""
