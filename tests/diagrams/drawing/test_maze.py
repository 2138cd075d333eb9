"""The way through a maze: cheapest, free, horizontal at its ends."""

from drawbar.diagrams.drawing.maze import way_through


def free(place, low, high):
    return False


LANES = ([-10.0, 50.0, 110.0], [-20.0, 120.0])


def test_the_way_is_straight_where_nothing_is_between():
    way = way_through((0.0, 0.0), (100.0, 0.0), [], LANES, (free, free), 40.0)
    assert (way[0], way[-1]) == ((0.0, 0.0), (100.0, 0.0))
    assert {y for _, y in way} == {0.0}


def test_the_way_goes_around_a_wall_on_the_shorter_side():
    wall = (40.0, -10.0, 45.0, 110.0)
    way = way_through((0.0, 0.0), (100.0, 0.0), [wall], ([10.0, 90.0], [-20.0, 120.0]), (free, free), 40.0)
    assert -20.0 in {y for _, y in way}
    assert 120.0 not in {y for _, y in way}


def test_a_taken_lane_is_avoided_and_no_way_is_none():
    wall, lanes = (40.0, -10.0, 45.0, 110.0), ([10.0, 90.0], [-20.0, 120.0])
    way = way_through((0.0, 0.0), (100.0, 0.0), [wall], lanes, (free, lambda y, low, high: y == -20.0), 40.0)
    assert 120.0 in {y for _, y in way}
    taken = (free, lambda y, low, high: y != 0.0)
    assert way_through((0.0, 0.0), (100.0, 0.0), [wall], lanes, taken, 40.0) is None
