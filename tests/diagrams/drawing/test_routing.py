"""Paths of connections: orthogonal, around boxes, beside each other."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.diagrams import read
from drawbar.diagrams.drawing.picture import svg
from drawbar.diagrams.drawing.pins import pins_and_lines
from drawbar.diagrams.drawing.routing import RouteRequest, route
from drawbar.diagrams.library import find, names


@pytest.mark.parametrize("name", names())
def test_no_connection_of_the_library_runs_through_a_box(name, elements):
    d = read(find(name))
    for bare in (False, True):
        for part in d.parts.values():
            part.geometry = None if bare else part.geometry
        text = svg(d)
        boxes = [[float(r.get(k)) for k in ("x", "y", "width", "height")] for r in elements(text, "rect", "box")]
        ways = [e.get("d") for style in ("connection", "bus") for e in elements(text, "path", style)]
        assert len(ways) == len(pins_and_lines(d)[1])
        for way in ways:
            numbers = [float(v) for v in re.findall(r"-?\d+\.\d", way)]
            for x, y in zip(numbers[::2], numbers[1::2], strict=True):
                assert not [b for b in boxes if b[0] + 1 < x < b[0] + b[2] - 1 and b[1] + 1 < y < b[1] + b[3] - 1]


COORDINATES = st.integers(-40, 40).map(lambda v: 10.0 * v)


@given(st.lists(st.tuples(COORDINATES, COORDINATES), max_size=8), st.lists(st.tuples(*[COORDINATES] * 4), max_size=12))
def test_connections_are_orthogonal_and_join_their_ends(corners, ends):
    boxes = [(x, y, x + 60, y + 40) for x, y in corners]
    wanted = [RouteRequest(i // 2, (a, b), (c, d)) for i, (a, b, c, d) in enumerate(ends)]
    ways = route(boxes, wanted)
    for connection, way in zip(wanted, ways, strict=True):
        assert way[0] == connection.start
        assert way[-1] == connection.end
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(way))
    assert route(boxes, wanted) == ways


def test_a_connection_goes_around_a_box_and_beside_another_connection():
    wall = [(100.0, 0.0, 140.0, 100.0)]
    (way,) = route(wall, [RouteRequest(1, (0.0, 50.0), (300.0, 50.0))])
    assert any(y < 0 or y > 100 for _, y in way)
    assert route([], [RouteRequest(1, (0.0, 50.0), (300.0, 50.0))]) == [[(0.0, 50.0), (300.0, 50.0)]]
    back = [RouteRequest(i, (300.0, 10.0 * i), (0.0, 10.0 * i)) for i in range(4)]
    levels = [way[2][1] for way in route(wall, back)]
    assert len(set(levels)) == 4, "four connections, four ways"


@pytest.mark.parametrize("left", [5.0, 270.0], ids=["behind the start", "before the end"])
def test_a_vertical_stretch_avoids_a_box(left):
    box = (left, 60.0, left + 25.0, 100.0)
    (way,) = route([box], [RouteRequest(1, (0.0, 50.0), (300.0, 150.0))])
    down = [(x, min(y, end), max(y, end)) for (x, y), (_, end) in pairwise(way) if y != end]
    assert down
    assert not [d for d in down if box[0] < d[0] < box[2] and d[1] < box[3] and d[2] > box[1]]
