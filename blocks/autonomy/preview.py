"""The bus from a course or planner to the steering control: the path ahead."""

from drawbar.blocks import Bus, Member

POINTS = 10


class Preview(Bus):
    """Points of the wanted path in the vehicle's axes, nearest first, from its centre of gravity."""

    distance = Member("m", "how far ahead along the vehicle's axis, increasing from above zero", size=POINTS)
    offset = Member("m", "how far the path lies to the left there", size=POINTS)
