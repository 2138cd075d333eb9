"""The automatic layout: nothing overlaps, connections run to the right, the same diagram gives the same places."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.diagrams import Diagram
from drawbar.diagrams.drawing.layout import GRID, MAX_COORDINATE, _crossings, layout, order_layers, place, spread

SIZES = st.tuples(st.integers(1, 20), st.integers(1, 20)).map(lambda wh: (wh[0] * GRID, wh[1] * GRID))


@st.composite
def graphs(draw, acyclic=False):
    names = [f"n{i}" for i in range(draw(st.integers(0, 14)))]
    sizes = {n: draw(SIZES) for n in names}
    pairs = list(combinations(names, 2)) if acyclic else [(a, b) for a in names for b in names if a != b]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=30)) if pairs else []
    return names, sizes, edges


def overlaps(places):
    return [
        (a, b)
        for (a, p), (b, q) in combinations(places.items(), 2)
        if p[0] < q[2] and q[0] < p[2] and p[1] < q[3] and q[1] < p[3]
    ]


def test_overlapping_boxes_are_found_by_the_check_itself():
    assert overlaps({"a": (0, 0, 10, 10), "b": (9, 9, 20, 20), "c": (10, 0, 20, 9)}) == [("a", "b")]


@given(graphs())
def test_no_boxes_overlap_and_all_stand_on_the_grid(graph):
    names, sizes, edges = graph
    places = place(names, sizes, edges)
    assert places.keys() == set(names)
    assert overlaps(places) == []
    for name, (x1, y1, x2, y2) in places.items():
        assert (x2 - x1, y2 - y1) == sizes[name]
        assert all(v % GRID == 0 for v in (x1, y1, x2, y2))
    assert place(names, sizes, edges) == places


@given(graphs(acyclic=True))
def test_without_cycles_every_connection_runs_to_the_right(graph):
    names, sizes, edges = graph
    places = place(names, sizes, edges)
    assert all(places[a][2] < places[b][0] for a, b in edges)


def test_cycles_are_broken_against_the_order_of_the_diagram():
    layers = order_layers(
        ["plant", "sensor", "control"], [("plant", "sensor"), ("sensor", "control"), ("control", "plant")]
    )
    assert [[n for n in layer if "\0" not in n] for layer in layers] == [["plant"], ["sensor"], ["control"]]
    edges = [("sensor", "control"), ("control", "plant"), ("plant", "sensor")]
    assert [layer[0] for layer in order_layers(["control", "plant", "sensor"], edges)] == ["control", "plant", "sensor"]


def test_a_source_stands_just_before_what_it_feeds():
    layers = order_layers(["a", "b", "c", "late"], [("a", "b"), ("b", "c"), ("late", "c")])
    assert layers == [["a"], ["b", "late"], ["c"]]


def test_crossings_that_need_not_be_are_removed():
    names = ["a1", "a2", "a3", "b1", "b2", "b3"]
    edges = [("a1", "b3"), ("a2", "b2"), ("a3", "b1")]
    after = {n: [b for a, b in edges if a == n] for n in names}
    assert _crossings([names[:3], names[3:]], after) == 3
    assert _crossings(order_layers(names, edges), after) == 0


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), unique=True, max_size=20))
def test_crossings_are_counted_as_by_hand(pairs):
    upper, lower = [f"a{i}" for i in range(7)], [f"b{i}" for i in range(7)]
    after = {n: [] for n in [*upper, *lower]}
    for i, j in pairs:
        after[f"a{i}"].append(f"b{j}")
    by_hand = sum((i - k) * (j - m) < 0 for (i, j), (k, m) in combinations(pairs, 2))
    assert _crossings([upper, lower], after) == by_hand


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 5)), max_size=12))
def test_spread_keeps_the_distances(items):
    wanted, distances = [float(w) for w, _ in items], [float(d) for _, d in items]
    found = spread(wanted, distances, 1.0)
    assert all(b - a >= d for (a, b), d in zip(pairwise(found), distances, strict=False))
    assert spread([0.0, 10.0, 30.0], [5.0] * 3, 1.0) == [0.0, 10.0, 30.0]
    assert spread([10.0, 10.0], [4.0, 4.0], 1.0) == [8.0, 12.0]


def test_a_part_with_geometry_stays_where_it_is(block):
    d = Diagram("some")
    a, b, c = (d.add(n, block("Gain")) for n in "abc")
    d.connect(a.y, b.u)
    d.connect(b.y, c.u)
    b.geometry = (30.0, 40.0, 10.0, 20.0)  # flipped, as a file may have it
    places = layout(d)
    assert places["b"] == (10.0, 20.0, 30.0, 40.0)
    assert overlaps(places) == []
    assert places["a"][2] - places["a"][0] == 20.0, "in the scale of those that have a place"
    assert (a.geometry, b.geometry) == (None, (30.0, 40.0, 10.0, 20.0))
    a.geometry, c.geometry = (0.0, 0.0, 5.0, 5.0), (50.0, 0.0, 60.0, 9.0)
    assert layout(d) == {"a": a.geometry, "b": (10.0, 20.0, 30.0, 40.0), "c": c.geometry}


@pytest.mark.parametrize(
    "odd", [(float("nan"), 0, 1, 1), (0, 0, float("inf"), 1), (0, 0, 0, 1), (0, 0, MAX_COORDINATE, 1)]
)
def test_a_geometry_that_says_nothing_is_none(block, odd):
    d = Diagram("some")
    d.add("a", block("Gain"))
    free = layout(d)
    d.parts["a"].geometry = odd
    assert layout(d) == free


def test_long_connections_keep_a_place_between_boxes():
    names = ["a", "b", "c"]
    edges = [("a", "b"), ("b", "c"), ("a", "c")]
    layers = order_layers(names, edges)
    assert [len(layer) for layer in layers] == [1, 2, 1]
    sizes = dict.fromkeys(names, (40.0, 20.0))
    alone = place(names, sizes, edges[:2])
    assert alone["b"][1] == alone["a"][1] == alone["c"][1]
    assert place(names, sizes, edges)["b"][1] != place(names, sizes, edges)["a"][1]
