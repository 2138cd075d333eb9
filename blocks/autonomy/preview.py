"""The bus from a course or planner to the steering control: the path ahead."""

from drawbar.blocks import Bus, Member

POINTS = 10


class Preview(Bus):
    """Points of the wanted path in the vehicle's axes, nearest first, from its centre of gravity."""

    distance = Member("m", "distances ahead along the vehicle's x axis, positive and increasing", size=POINTS)
    offset = Member("m", "offsets of the path to the left at these distances", size=POINTS)
