"""The ground under wheels as blocks: the ground bus, planes, roads and elevation maps."""
