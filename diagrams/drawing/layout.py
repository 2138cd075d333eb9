"""Places of parts without geometry: layers from left to right, few crossings, coordinates on a grid.

After Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures" (IEEE SMC 11,
1981): cycles are broken against the order of the diagram, the layer of a part is the longest path to it, the order
within layers comes from sweeps of barycentres, and heights from a least-squares fit that preserves the distances.
Nothing is random: the same diagram gives the same layout.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from drawbar.diagrams.checks.loops import strong_components
from drawbar.diagrams.drawing.pins import BoxPins, Line, Pin, pins_and_lines
from drawbar.diagrams.model.connection import End
from drawbar.diagrams.model.part import Geometry
from drawbar.diagrams.model.structure import SystemStructure

# in units of SSP geometry; a box of usual size is 40 wide
GRID, WIDTH, MAX_WIDTH, HEADER, PITCH = 5.0, 40.0, 90.0, 15.0, 5.0
COLUMN_GAP, ROW_GAP = 30.0, 15.0
CHARACTER = 1.6  # width of a letter of a label
SWEEPS = 8
MAX_COORDINATE = 1e6  # a geometry beyond it is ignored, as is one that is no number
MAX_BENDS = 20_000  # the most places that long edges reserve between boxes; if there are more, none is reserved

Edge = tuple[str, str]


def layout(diagram: SystemStructure) -> dict[str, Geometry]:
    """Return the geometry of every element, y upwards: its own if it has one, else a place that overlaps no other."""
    sides, lines = pins_and_lines(diagram)
    given = {p.name: g for p in diagram.parts.values() if (g := _ordered_corners(p.geometry)) is not None}
    names = [n for n in dict.fromkeys(e.name for e in diagram.elements) if n not in given]
    if not names:
        return given
    sizes = {n: _size(n, diagram.parts[n].kind if n in diagram.parts else "", sides[n]) for n in names}
    places = place(names, sizes, _edges(lines, set(names)))
    if not given:
        return places
    # parts with a place stay there; the others go below them at the same scale
    scale = median(g[2] - g[0] for g in given.values()) / WIDTH
    left = min(g[0] for g in given.values())
    down = min(g[1] for g in given.values()) - 2 * ROW_GAP * scale
    return given | {
        n: (left + g[0] * scale, down + g[1] * scale, left + g[2] * scale, down + g[3] * scale)
        for n, g in places.items()
    }


def _ordered_corners(g: Geometry | None) -> Geometry | None:
    """Return the geometry with its corners in order; None for one that is empty, too far away or not finite."""
    if g is None or not all(abs(v) < MAX_COORDINATE for v in g) or g[0] == g[2] or g[1] == g[3]:
        return None
    return min(g[0], g[2]), min(g[1], g[3]), max(g[0], g[2]), max(g[1], g[3])


def _size(name: str, kind: str, sides: BoxPins) -> tuple[float, float]:
    """Return the width and height of a box, on the grid."""

    def longest(pins: Sequence[Pin]) -> int:
        return max((len(pin.name) for pin in pins), default=0)

    letters = max(longest(sides.left) + longest(sides.right) + 4, round(1.3 * len(name)) + 2, len(kind) + 2)
    width = GRID * math.ceil(min(max(letters * CHARACTER, WIDTH), MAX_WIDTH) / GRID)
    return width, HEADER + PITCH * max(len(sides.left), len(sides.right), 1)


def _edges(lines: Sequence[Line], names: set[str]) -> list[Edge]:
    pairs = ((s.start.part, s.end.part) for s in lines)
    return list(dict.fromkeys((a, b) for a, b in pairs if a in names and b in names and a != b and a and b))


def place(names: Sequence[str], sizes: Mapping[str, tuple[float, float]], edges: Sequence[Edge]) -> dict[str, Geometry]:
    """Return places of boxes of the given sizes (width, height), with the upper left corner of all at the origin."""
    tied = {name for edge in edges for name in edge}
    layers = order_layers([n for n in names if n in tied], edges)
    heights = {n: sizes[n][1] for layer in layers for n in layer if n in sizes}
    tops = _tops(layers, heights, _long_edges(layers, edges))
    x, lowest = 0.0, 0.0
    found: dict[str, Geometry] = {}
    for layer in layers:
        boxes = [n for n in layer if n in sizes]
        width = max(sizes[n][0] for n in boxes)
        for n in boxes:
            inset = GRID * math.floor((width - sizes[n][0]) / 2 / GRID)
            found[n] = (x + inset, -tops[n] - sizes[n][1], x + inset + sizes[n][0], -tops[n])
            lowest = min(lowest, found[n][1])
        x += width + COLUMN_GAP + GRID * (len(boxes) // 3)
    # parts without a connection go to rows below
    single = [n for n in names if n not in tied]
    columns = max(math.ceil(math.sqrt(len(single))), 1)
    y = lowest - 2 * ROW_GAP if found else 0.0
    for start in range(0, len(single), columns):
        row = single[start : start + columns]
        x = 0.0
        for n in row:
            found[n] = (x, y - sizes[n][1], x + sizes[n][0], y)
            x += sizes[n][0] + COLUMN_GAP
        y -= max(sizes[n][1] for n in row) + ROW_GAP
    return found


def order_layers(names: Sequence[str], edges: Sequence[Edge]) -> list[list[str]]:
    """Return the layers from left to right, each from top to bottom; long edges reserve a place in the layers between.

    The name of such a place begins with a zero character, which no file and no part can have.
    """
    rank = _ranks(names, edges)
    forward = list(dict.fromkeys((a, b) if rank[a] < rank[b] else (b, a) for a, b in edges))
    layers: list[list[str]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for name in names:
        layers[rank[name]].append(name)
    before: dict[str, list[str]] = {name: [] for name in names}
    after: dict[str, list[str]] = {name: [] for name in names}
    bends = sum(rank[b] - rank[a] - 1 for a, b in forward) <= MAX_BENDS
    for a, b in forward:
        last = a
        for level in range(rank[a] + 1, rank[b]) if bends else ():
            bend = f"\0{a}\0{b}\0{level}"
            layers[level].append(bend)
            before[bend], after[bend] = [], []
            after[last].append(bend)
            before[bend].append(last)
            last = bend
        after[last].append(b)
        before[b].append(last)
    best, fewest = layers, _crossings(layers, after)
    for sweep in range(SWEEPS):
        near, way = (before, 1) if sweep % 2 == 0 else (after, -1)
        layers = [list(layer) for layer in layers]
        position = {n: i / max(len(layer), 1) for layer in layers for i, n in enumerate(layer)}
        for layer in layers[::way]:
            # the sort is stable: equal entries preserve their order
            layer.sort(key=lambda n: sum(position[m] for m in near[n]) / len(near[n]) if near[n] else position[n])
            position.update({n: i / len(layer) for i, n in enumerate(layer)})
        if (crossings := _crossings(layers, after)) < fewest:
            best, fewest = layers, crossings
    return best


def _ranks(names: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """Return the layer of each part: the longest path to it, after edges of cycles against the order are reversed."""
    index = {name: i for i, name in enumerate(names)}
    graph: dict[End, list[End]] = {}
    for a, b in edges:
        graph.setdefault(End(a, ""), []).append(End(b, ""))
    cycle = {end.part: k for k, members in enumerate(strong_components(graph)) for end in members}
    turned = [(b, a) if index[a] > index[b] and a in cycle and cycle[a] == cycle.get(b) else (a, b) for a, b in edges]
    after: dict[str, list[str]] = {name: [] for name in names}
    waiting = dict.fromkeys(names, 0)
    for a, b in turned:
        after[a].append(b)
        waiting[b] += 1
    sources = [name for name in names if not waiting[name]]
    ready, order = list(sources), []
    rank = dict.fromkeys(names, 0)
    while ready:
        name = ready.pop()
        order.append(name)
        for follower in after[name]:
            rank[follower] = max(rank[follower], rank[name] + 1)
            waiting[follower] -= 1
            if not waiting[follower]:
                ready.append(follower)
    for name in sources:  # a source goes just before what it feeds
        rank[name] = min(rank[follower] for follower in after[name]) - 1
    return rank


def _crossings(layers: Sequence[Sequence[str]], after: Mapping[str, Sequence[str]]) -> int:
    """Return how many pairs of edges between neighbouring layers cross, by counting inversions."""
    position = {n: i for layer in layers for i, n in enumerate(layer)}
    where = {n: k for k, layer in enumerate(layers) for n in layer}
    total = 0
    for k, layer in enumerate(layers[:-1]):
        ends = [j for n in layer for j in sorted(position[m] for m in after[n] if where[m] == k + 1)]
        tree = [0] * (len(layers[k + 1]) + 1)
        for seen, j in enumerate(ends):
            i, smaller = j + 1, 0
            while i:
                smaller += tree[i]
                i &= i - 1
            total += seen - smaller
            i = j + 1
            while i < len(tree):
                tree[i] += 1
                i += i & -i
    return total


def _long_edges(layers: Sequence[Sequence[str]], edges: Sequence[Edge]) -> dict[str, list[str]]:
    """Return the neighbours of everything that has a place in the layers, in both directions."""
    where = {n: k for k, layer in enumerate(layers) for n in layer}
    near: dict[str, list[str]] = {n: [] for n in where}
    for a, b in dict.fromkeys((a, b) if where[a] < where[b] else (b, a) for a, b in edges):
        bends = [bend for k in range(where[a] + 1, where[b]) if (bend := f"\0{a}\0{b}\0{k}") in where]
        chain = [a, *bends, b]
        for one, other in pairwise(chain):
            near[one].append(other)
            near[other].append(one)
    return near


def _tops(
    layers: Sequence[Sequence[str]], heights: Mapping[str, float], near: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """Return the upper edge of each place, downwards: near the mean height of its neighbours, on the grid."""
    size = {n: heights.get(n, GRID) for layer in layers for n in layer}
    middle: dict[str, float] = {}
    for layer in layers:
        y = 0.0
        for n in layer:
            middle[n] = y + size[n] / 2
            y += size[n] + ROW_GAP
    tops: dict[str, float] = {}
    for sweep in range(SWEEPS):
        for layer in layers[:: 1 if sweep % 2 == 0 else -1]:
            wanted = [sum(middle[m] for m in near[n]) / len(near[n]) - size[n] / 2 for n in layer]
            for n, top in zip(layer, spread(wanted, [size[n] + ROW_GAP for n in layer], GRID), strict=True):
                tops[n], middle[n] = top, top + size[n] / 2
    highest = min(tops.values(), default=0.0)
    return {n: top - highest for n, top in tops.items()}


def spread(wanted: Sequence[float], distances: Sequence[float], grid: float) -> list[float]:
    """Return the places on the grid nearest to the wanted ones in the least-squares sense.

    Each place is at least its distance before the next. The distances must be whole numbers of the grid. This is
    isotonic regression by pooling adjacent violators.
    """
    pools: list[tuple[float, int]] = []  # sum and count
    offset = 0.0
    for value, distance in zip(wanted, distances, strict=True):
        pools.append((value - offset, 1))
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] >= pools[-1][0] / pools[-1][1]:
            (s, n), (t, m) = pools.pop(), pools.pop()
            pools.append((s + t, n + m))
        offset += distance
    flat = [grid * math.floor(s / n / grid + 0.5) for s, n in pools for _ in range(n)]
    offset, found = 0.0, []
    for value, distance in zip(flat, distances, strict=True):
        found.append(value + offset)
        offset += distance
    return found
