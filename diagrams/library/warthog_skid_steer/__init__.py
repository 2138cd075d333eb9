"""A Warthog with four tires turns in place, then drives an arc, steered by the speed difference of its wheels."""
