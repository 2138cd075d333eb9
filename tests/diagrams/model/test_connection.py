"""Ends and connections: how they are shown, and their canonical order."""

import random

from drawbar.diagrams.model.connection import Connection, End, canonical_order


def test_an_end_is_shown_by_its_part_and_port():
    assert str(End("body", "hub.force[1]")) == "body.hub.force[1]"
    assert str(End(None, "speed")) == "speed"
    assert str(Connection(End("a", "y"), End(None, "out"))) == "a.y -> out"


def test_elements_come_by_their_index_and_the_ends_of_the_diagram_first():
    wanted = [
        Connection(End(start, x), End("sink", x))
        for start, x in [(None, "u"), ("a", "y[2]"), ("a", "y[10]"), ("a", "z"), ("b", "y")]
    ]
    shuffled = list(wanted)
    random.Random(0).shuffle(shuffled)
    assert shuffled != wanted
    assert sorted(shuffled, key=canonical_order) == wanted
