"""A Warthog with four tires turns in place, then drives an arc, by the difference of its wheels."""
