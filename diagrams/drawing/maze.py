"""The way of a connection through a maze of boxes and other connections, if none of the simple ways is free.

The A* search (Hart, Nilsson and Raphael, IEEE Trans. SSC-4, 1968) over the crossings of a grid of lanes, where a bend
costs as much as a stretch of path.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

Point = tuple[float, float]
Taken = Callable[[float, float, float], bool]  # whether another path runs at a place from low to high
MAX_STATES = 12_000  # that are looked at before the search is given up
_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def way_through(
    start: Point,
    end: Point,
    boxes: Sequence[tuple[float, float, float, float]],
    lanes: tuple[Sequence[float], Sequence[float]],
    taken: tuple[Taken, Taken],
    bend: float,
) -> list[Point] | None:
    """Return the corners of the cheapest free way that leaves and arrives horizontally; None if there is none.

    `lanes` are the x and the y that may be used, `taken` answers for vertical and for horizontal stretches.
    """
    if any(b[0] - 2 < x < b[2] + 2 and b[1] - 2 < y < b[3] + 2 for x, y in (start, end) for b in boxes):
        return None
    xs, ys = (sorted({*lanes[k], start[k], end[k]}) for k in (0, 1))
    first, last = (xs.index(start[0]), ys.index(start[1])), (xs.index(end[0]), ys.index(end[1]))
    free: dict[tuple[int, int, int, int], bool] = {}

    def is_free(i: int, j: int, k: int, m: int) -> bool:
        key = (i, j, k, m) if (i, j) < (k, m) else (k, m, i, j)
        if key not in free:
            (x0, y0), (x1, y1) = (xs[key[0]], ys[key[1]]), (xs[key[2]], ys[key[3]])
            hit = any(x1 > b[0] - 2 and x0 < b[2] + 2 and y1 > b[1] - 2 and y0 < b[3] + 2 for b in boxes)
            free[key] = not hit and not (taken[0](x0, y0, y1) if x0 == x1 else taken[1](y0, x0, x1))
        return free[key]

    def rest(i: int, j: int) -> float:
        return abs(end[0] - xs[i]) + abs(end[1] - ys[j])

    # a state is a crossing and whether it was reached horizontally
    cost = {(*first, True): 0.0}
    before: dict[tuple[int, int, bool], tuple[int, int, bool]] = {}
    queue = [(rest(*first), 0.0, (*first, True))]
    while queue and len(cost) < MAX_STATES:
        _, spent, state = heapq.heappop(queue)
        if state == (*last, True):
            return _corners(state, before, xs, ys)
        if spent > cost[state]:
            continue
        i, j, flat = state
        for di, dj in _STEPS:
            k, m = i + di, j + dj
            if not (0 <= k < len(xs) and 0 <= m < len(ys)) or not is_free(i, j, k, m):
                continue
            there = (k, m, dj == 0)
            price = spent + abs(xs[k] - xs[i]) + abs(ys[m] - ys[j]) + (bend if flat != (dj == 0) else 0.0)
            if price < cost.get(there, float("inf")):
                cost[there], before[there] = price, state
                heapq.heappush(queue, (price + rest(k, m), price, there))
    return None


def _corners(
    state: tuple[int, int, bool],
    before: dict[tuple[int, int, bool], tuple[int, int, bool]],
    xs: Sequence[float],
    ys: Sequence[float],
) -> list[Point]:
    found = [state]
    while found[-1] in before:
        found.append(before[found[-1]])
    return [(xs[i], ys[j]) for i, j, _ in reversed(found)]
