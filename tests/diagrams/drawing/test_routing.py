"""Paths of connections: orthogonal, around boxes, beside each other."""

import random
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
        paths = []
        for way in ways:
            numbers = [float(v) for v in re.findall(r"-?\d+\.\d", way)]
            paths.append(list(zip(numbers[::2], numbers[1::2], strict=True)))
        corners = [(x, y, x + w, y + h) for x, y, w, h in boxes]
        assert behind_boxes(corners, paths) == []


def behind_boxes(boxes, paths):
    """Return the stretches of paths that run behind a box."""
    found = []
    for path in paths:
        for (x0, y0), (x1, y1) in pairwise(path):
            x, y = sorted((x0, x1)), sorted((y0, y1))
            hit = [b for b in boxes if x[1] > b[0] + 1 and x[0] < b[2] - 1 and y[1] > b[1] + 1 and y[0] < b[3] - 1]
            found += [((x0, y0), (x1, y1), b) for b in hit]
    return found


def on_each_other(requests, paths):
    """Return the pairs of stretches of different nets, with no common pin, that lie on each other."""
    stretches = [(i, a, b) for i, path in enumerate(paths) for a, b in pairwise(path)]
    found = []
    for k, (i, a, b) in enumerate(stretches):
        for j, c, d in stretches[k + 1 :]:
            one, two = requests[i], requests[j]
            if one.net == two.net or {one.start, one.end} & {two.start, two.end}:
                continue
            for along, across in ((0, 1), (1, 0)):
                if a[across] == b[across] and c[across] == d[across] and abs(a[across] - c[across]) < 2:
                    ends = min(max(a[along], b[along]), max(c[along], d[along]))
                    if ends - max(min(a[along], b[along]), min(c[along], d[along])) > 2:
                        found.append((a, b, c, d))
    return found


def crowd(seed):
    """Return twelve boxes in four columns, and thirty connections between their pins."""
    chance = random.Random(seed)
    boxes, starts, ends = [], [], []
    for k in range(12):
        left, top = k % 4 * 260.0 + chance.randint(-40, 40), k // 4 * 220.0 + chance.randint(-30, 30)
        height = chance.choice((80.0, 120.0, 150.0))
        boxes.append((left, top, left + 160.0, top + height))
        for i in range(4):
            y = top + 44.0 + (height - 44.0) * (i + 0.5) / 4
            ends.append((left, y))
            starts.append((left + 160.0, y))
    chance.shuffle(ends)
    return boxes, [
        RouteRequest(start, start, end) for start, end in zip(chance.choices(starts, k=30), ends, strict=False)
    ]


def test_in_a_crowd_no_connection_runs_behind_a_box_or_on_another_one():
    for seed in range(6):
        boxes, requests = crowd(seed)
        ways = route(boxes, requests)
        assert behind_boxes(boxes, ways) == []
        assert on_each_other(requests, ways) == []


def test_the_judges_of_these_tests_see_a_path_behind_a_box_and_one_on_another():
    boxes, requests = crowd(0)
    straight = [[r.start, (r.start[0] + 12.0, r.start[1]), (r.start[0] + 12.0, r.end[1]), r.end] for r in requests]
    assert behind_boxes(boxes, straight)
    assert on_each_other(requests, [[(0.0, 0.0), (9.0, 0.0)]] * 2 + straight[2:])


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
