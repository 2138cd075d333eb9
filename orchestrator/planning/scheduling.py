"""The order in which outputs are read and parts are stepped, from what depends on what."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from drawbar.blocks.core.interface import Interface
from drawbar.diagrams.checks.loops import strong_components
from drawbar.diagrams.model.connection import End
from drawbar.diagrams.model.scalar_connections import ScalarConnection

Node = TypeVar("Node", bound=Hashable)
Scalar = tuple[str, str]  # part, variable


def depths(roots: Iterable[Node], before: Callable[[Node], Sequence[Node]]) -> dict[Node, int]:
    """Return the longest chain of nodes before each root and before all nodes that it depends on.

    One edge of each loop is left out.
    """
    depth: dict[Node, int] = {}
    # depth-first without recursion: a chain may have thousands of parts
    for root in dict.fromkeys(roots):
        stack = [(root, iter(before(root)))]
        active = {root}
        while stack:
            node, rest = stack[-1]
            following = next((n for n in rest if n not in depth and n not in active), None)
            if following is not None:
                active.add(following)
                stack.append((following, iter(before(following))))
                continue
            stack.pop()
            active.discard(node)
            depth.setdefault(node, 1 + max((depth.get(n, -1) for n in before(node)), default=-1))
    return depth


def drivers(
    connections: Iterable[ScalarConnection], known: Callable[[str, str], tuple[str, ...] | None]
) -> Callable[[Scalar], Sequence[Scalar]]:
    """Return a function from an output to the outputs that it depends on directly, across connections.

    `known` gives the inputs that an output of a part depends on, or None for all of them.
    """
    into: dict[str, dict[str, list[Scalar]]] = {}
    for w in connections:
        into.setdefault(w.end_part, {}).setdefault(w.end, []).append((w.start_part, w.start))

    def before(node: Scalar) -> list[Scalar]:
        part, scalar = node
        driven, inputs = into.get(part, {}), known(part, scalar)
        chosen = driven.values() if inputs is None else (driven[name] for name in inputs if name in driven)
        return list(itertools.chain.from_iterable(chosen))

    return before


def initial_sweeps(
    connections: Sequence[ScalarConnection], interfaces: Mapping[str, Interface]
) -> tuple[tuple[ScalarConnection, ...], ...]:
    """Return the connections in an order that reads an output only when the inputs it depends on have arrived.

    An output with unknown dependencies is taken to depend on all inputs of its part. Around a loop the order is that of
    the diagram, which amounts to one pass of the exchange.
    """
    before = drivers(connections, lambda part, scalar: interfaces[part].initial_feedthrough.get(scalar))
    depth = depths(((w.start_part, w.start) for w in connections), before)
    levels: dict[int, list[ScalarConnection]] = {}
    for w in connections:
        levels.setdefault(depth[(w.start_part, w.start)], []).append(w)
    return tuple(tuple(levels[k]) for k in sorted(levels))


def order_of_steps(
    parts: Sequence[str], edges: Iterable[tuple[str, str]], direct: Iterable[tuple[str, str]]
) -> list[str]:
    """Return the parts so that senders step before receivers; around a loop, parts with feedthrough step last.

    `edges` lead from part to part; `direct` are those of them that end at an input with direct feedthrough. Where
    neither decides, the order is that of the diagram.
    """
    chosen = [(a, b) for a, b in edges if a != b]
    graph: dict[End, list[End]] = {End(name, ""): [] for name in parts}
    for a, b in chosen:
        graph[End(a, "")].append(End(b, ""))
    # a part in a loop is represented by the first part of that loop
    head = {name: name for name in parts}
    index = {name: i for i, name in enumerate(parts)}
    for loop in strong_components(graph):
        first = min((end.part or "" for end in loop), key=index.__getitem__)
        head.update({end.part or "": first for end in loop})
    members: dict[str, list[str]] = {}
    inside: dict[str, list[tuple[str, str]]] = {}
    for name in parts:
        members.setdefault(head[name], []).append(name)
    for a, b in direct:
        if head[a] == head[b]:
            inside.setdefault(head[a], []).append((a, b))
    order: list[str] = []
    for name in _sorted(list(members), [(head[a], head[b]) for a, b in chosen]):
        order += _sorted(members[name], inside.get(name, []))
    return order


def _sorted(nodes: Sequence[Node], edges: Iterable[tuple[Node, Node]]) -> list[Node]:
    """Return a topological order by Kahn's algorithm.

    Of the nodes without predecessors the earliest comes first; in a loop, where there are none, the earliest that is
    left.
    """
    index = {node: i for i, node in enumerate(nodes)}
    following: dict[Node, list[Node]] = {node: [] for node in nodes}
    waiting = dict.fromkeys(nodes, 0)
    for a, b in set(edges):
        if a != b:
            following[a].append(b)
            waiting[b] += 1
    free = [index[n] for n in nodes if waiting[n] == 0]
    left = dict.fromkeys(nodes)
    order: list[Node] = []
    while left:
        if free:
            node = nodes[heapq.heappop(free)]
            if node not in left:
                continue
        else:
            node = next(iter(left))
        del left[node]
        order.append(node)
        for n in following[node]:
            waiting[n] -= 1
            if waiting[n] == 0 and n in left:
                heapq.heappush(free, index[n])
    return order
