"""The picture of a diagram: layout, routing and SVG."""
