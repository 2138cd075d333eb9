"""Paths of connections around boxes: right out of the start, down or up, along, down or up, right into the end.

Each path takes the cheapest of a few levels: those of its ends, and those just above and below the boxes between. One
that would run behind a box or on another path is sought through the maze of what is free. Paths of different nets run
beside each other; those of one net may coincide. In pixels, y downwards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from drawbar.diagrams.drawing.maze import way_through

Point = tuple[float, float]
STUB = 12.0  # the shortest straight stretch out of a box and into one
LANE = 6.0  # the distance of paths side by side
CLEAR = 8.0  # the distance between a path and a box that it passes
BEND, HIT = 40.0, 3000.0  # the cost of a bend and of a box in the way, in pixels of path
LEVELS = 14  # the levels that are tried for one path, beside those of its ends
MAX_LANES = 40  # the most lanes that are tried until one is free
SIDE_LANES = 5  # the lanes beside each box that the search through the maze may use
MAX_CAREFUL = 300  # connections; nobody follows one among more
MAZE_MARGIN = 200.0  # px around both ends within which the way must lie
MAX_MAZES = 25  # the most paths that are sought so: each takes as long as all simple ones


@dataclass(frozen=True)
class RouteRequest:
    """A connection to be routed; those with the same `net` come from the same pin.

    It begins to the right. At a bus whose other members are inputs, on the left side of its box, it begins to the left
    (-1).
    """

    net: object
    start: Point
    end: Point
    begins: float = 1.0


@dataclass
class _Lanes:
    """The stretches of parallel lines that are taken, by the lane in which they lie."""

    taken: dict[int, list[tuple[float, float, float, object]]] = field(default_factory=lambda: defaultdict(list))

    def free(self, at: float, low: float, high: float, net: frozenset[object], away: float) -> float:
        """Return the place nearest to `at` in the direction `away` with no path of another net beside it."""
        for step in range(MAX_LANES):
            place = at + away * LANE * step
            if not self.meets(place, low, high, net):
                return place
        return at

    def meets(self, place: float, low: float, high: float, nets: frozenset[object], near: float = LANE - 1) -> bool:
        """Return whether a path of other nets runs along the same stretch, too near to distinguish the two."""
        lane = round(place / LANE)
        return any(
            abs(at - place) < near and other not in nets and low < end + 3 and begin < high + 3
            for k in (lane - 1, lane, lane + 1)
            for at, begin, end, other in self.taken.get(k, ())
        )

    def take(self, at: float, low: float, high: float, net: object) -> None:
        """Note that a path runs there."""
        self.taken[round(at / LANE)].append((at, low, high, net))


def route(boxes: Sequence[tuple[float, float, float, float]], requests: Sequence[RouteRequest]) -> list[list[Point]]:
    """Return the corners of each path, in the order of `requests`. `boxes` are (left, top, right, bottom)."""
    router = _Router(np.array(boxes, dtype=float).reshape(-1, 4), requests)
    found: dict[int, list[Point]] = {}
    # short paths first: they have the least choice
    order = sorted(range(len(requests)), key=lambda i: (_length(requests[i]), i))
    for i in order:
        found[i] = router.route(requests[i])
    return [found[i] for i in range(len(requests))]


def _span(a: float, b: float) -> tuple[float, float]:
    return (a, b) if a < b else (b, a)


def _length(request: RouteRequest) -> float:
    (x0, y0), (x1, y1) = request.start, request.end
    return abs(x1 - x0) + abs(y1 - y0) + (1e6 if x1 < x0 else 0.0)


class _Router:
    def __init__(self, boxes: NDArray[np.float64], requests: Sequence[RouteRequest]) -> None:
        self.boxes = boxes
        self.across, self.along = _Lanes(), _Lanes()
        self.mazes = MAX_MAZES if len(requests) <= MAX_CAREFUL else 0  # that are left
        for request in requests:  # the straight ends are fixed
            (x0, y0), (x1, y1) = request.start, request.end
            self.along.take(y0, *_span(x0, x0 + request.begins * STUB), request.net)
            self.along.take(y1, *_span(x1, x1 - STUB), ("into", request.end))

    def route(self, request: RouteRequest) -> list[Point]:
        """Return the corners of one path, which is taken from then on."""
        nets = frozenset([request.net, ("into", request.end)])
        way = self._simple_way(request, nets)
        if self.mazes and not self._is_free(way, nets):
            self.mazes -= 1
            way = self._maze_way(request, nets) or way
        for (x0, y0), (x1, y1) in pairwise(way):
            if x0 == x1:
                self.across.take(x0, *_span(y0, y1), request.net)
            else:
                self.along.take(y0, *_span(x0, x1), request.net)
        return way

    def _simple_way(self, request: RouteRequest, nets: frozenset[object]) -> list[Point]:
        """Return the path over the cheapest level."""
        (x0, y0), (x1, y1) = request.start, request.end
        xa, xb = x0 + request.begins * STUB, x1 - STUB
        if (
            request.begins > 0
            and abs(y0 - y1) < 0.5
            and x1 > x0
            and self._hits_along(np.array([y0]), x0 + 1, x1 - 1)[0] == 0
        ):
            return [request.start, request.end]
        levels = self._levels(request, xa, xb)
        low, high = _span(xa, xb)
        cost = np.abs(levels - y0) + np.abs(levels - y1) + BEND * (2.0 - (levels == y0) - (levels == y1))
        cost += HIT * (self._hits_along(levels, low, high) + self._hits_across(xa, y0, levels))
        cost += HIT * self._hits_across(xb, y1, levels)
        if xb < xa:  # a path that turns back must not run through its own box
            cost += HIT * ((levels == y0) | (levels == y1))
        for i, level in enumerate(levels):
            if self.along.meets(float(level), low, high, nets):
                cost[i] += LANE if level not in (y0, y1) else 10 * BEND
        level = float(levels[int(np.argmin(cost))])
        if level not in (y0, y1):
            level = self.along.free(level, low, high, nets, 1.0 if level >= (y0 + y1) / 2 else -1.0)
        if level != y0:
            xa = self.across.free(xa, *_span(y0, level), nets, request.begins)
        if level != y1:
            xb = self.across.free(xb, *_span(y1, level), nets, -1.0)
        return _simple([request.start, (xa, y0), (xa, level), (xb, level), (xb, y1), request.end])

    def _is_free(self, way: Sequence[Point], nets: frozenset[object]) -> bool:
        """Return whether a path runs neither behind a box nor on another path."""
        for (x0, y0), (x1, y1) in pairwise(way):
            (left, right), (top, bottom) = _span(x0, x1), _span(y0, y1)
            b = self.boxes
            if np.any((right > b[:, 0] + 1) & (left < b[:, 2] - 1) & (bottom > b[:, 1] + 1) & (top < b[:, 3] - 1)):
                return False
            if (
                self.across.meets(x0, top, bottom, nets, 2.0)
                if x0 == x1
                else self.along.meets(y0, left, right, nets, 2.0)
            ):
                return False
        return True

    def _maze_way(self, request: RouteRequest, nets: frozenset[object]) -> list[Point] | None:
        """Return the cheapest free path through all lanes beside the boxes, None if there is none."""
        (x0, y0), (x1, y1) = request.start, request.end
        a, b = (x0 + request.begins * STUB, y0), (x1 - STUB, y1)
        (left, right), (top, bottom) = _span(a[0], b[0]), _span(a[1], b[1])
        left, right, top, bottom = left - MAZE_MARGIN, right + MAZE_MARGIN, top - MAZE_MARGIN, bottom + MAZE_MARGIN
        c = self.boxes
        near = c[(c[:, 2] > left) & (c[:, 0] < right) & (c[:, 3] > top) & (c[:, 1] < bottom)]
        sides = [CLEAR + LANE * k for k in range(SIDE_LANES)]
        xs = [float(v) for d in sides for v in (*(near[:, 0] - d), *(near[:, 2] + d)) if left <= v <= right]
        ys = [float(v) for d in sides for v in (*(near[:, 1] - d), *(near[:, 3] + d)) if top <= v <= bottom]
        taken = (
            lambda x, low, high: self.across.meets(x, low, high, nets),
            lambda y, low, high: self.along.meets(y, low, high, nets),
        )
        found = way_through(a, b, near.tolist(), (xs, ys), taken, BEND)
        return _simple([request.start, *found, request.end]) if found else None

    def _levels(self, request: RouteRequest, xa: float, xb: float) -> NDArray[np.float64]:
        between = self.boxes[(self.boxes[:, 2] > min(xa, xb)) & (self.boxes[:, 0] < max(xa, xb))]
        edges = np.concatenate([between[:, 1] - CLEAR - LANE / 2, between[:, 3] + CLEAR + LANE / 2])
        edges = np.unique(edges)
        middle = (request.start[1] + request.end[1]) / 2
        near = edges[np.argsort(np.abs(edges - middle), kind="stable")[:LEVELS]]
        outer = edges[[0, -1]] if len(edges) else np.array([min(request.start[1], request.end[1]) - STUB])
        return np.concatenate([[request.start[1], request.end[1]], near, outer])

    def _hits_along(self, levels: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
        """Return how many boxes a horizontal stretch at each level runs into."""
        b = self.boxes[(self.boxes[:, 2] > low) & (self.boxes[:, 0] < high)]
        inside = (b[:, 1] - CLEAR / 2 < levels[:, None]) & (b[:, 3] + CLEAR / 2 > levels[:, None])
        return np.asarray(inside.sum(axis=1), dtype=float)

    def _hits_across(self, x: float, y: float, levels: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how many boxes a vertical stretch from `y` to each level runs into."""
        b = self.boxes[(self.boxes[:, 0] - 2 < x) & (self.boxes[:, 2] + 2 > x)]
        low, high = np.minimum(y, levels)[:, None], np.maximum(y, levels)[:, None]
        return np.asarray(((b[:, 1] < high) & (b[:, 3] > low)).sum(axis=1), dtype=float)


def _simple(points: list[Point]) -> list[Point]:
    """Return the corners without repeated points and without points on a straight line."""
    corners: list[Point] = []
    for point in points:
        if corners and corners[-1] == point:
            continue
        while len(corners) > 1 and any(corners[-2][k] == corners[-1][k] == point[k] for k in (0, 1)):
            corners.pop()
        corners.append(point)
    return corners
