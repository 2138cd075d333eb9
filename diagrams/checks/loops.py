"""Loops of direct feedthrough: outputs that depend on themselves at one instant."""

from __future__ import annotations

from collections import deque

from drawbar.blocks.core.arrays import split
from drawbar.diagrams.model.connection import End
from drawbar.diagrams.model.structure import SystemStructure

Graph = dict[End, list[End]]


def loops(diagram: SystemStructure) -> list[list[End]]:
    """Return one shortest path, by port, around each group of variables that depend on each other.

    A path ends where it begins. Variables are followed element by element: an array whose elements feed each other's
    neighbours is no loop. Loops that differ only in the element are given once. Outputs whose dependencies an FMU
    leaves open close no loop.
    """
    graph = dependencies(diagram)
    found: dict[tuple[End, ...], list[End]] = {}
    for component in strong_components(graph):
        inside = set(component)
        start = next((n for n in component if n.name and _is_output(diagram, n)), component[0])
        path = [diagram.whole(e) for e in _around(graph, start, inside)]
        found.setdefault(tuple(path), path)
    return list(found.values())


def dependencies(diagram: SystemStructure) -> Graph:
    """Return the edges from each scalar to those that follow from it at once: along connections, and through parts."""
    graph: Graph = {}
    for connection in diagram.connections:
        a, b = connection.start, connection.end
        if a.part is None or b.part is None:
            continue
        for start, end in zip(diagram.scalars(a), diagram.scalars(b), strict=False):
            graph.setdefault(End(a.part, start), []).append(End(b.part, end))
    for part in diagram.parts.values():
        for output, inputs in part.interface.feedthrough.items():
            for name in inputs:
                graph.setdefault(End(part.name, name), []).append(End(part.name, output))
    return graph


def connection_loops(diagram: SystemStructure) -> list[list[End]]:
    """Return a shortest path around each loop that connections close through connectors of systems alone.

    No part lies on it, so nothing ever gives its values, and no delay could.
    """
    graph: Graph = {}
    _hops(diagram, "", graph)
    found = [_around(graph, component[0], set(component)) for component in strong_components(graph)]
    arrays = dict.fromkeys(tuple(End(e.part, split(e.name)[0]) for e in loop) for loop in found)
    return [list(loop) for loop in arrays]


def _hops(diagram: SystemStructure, path: str, graph: Graph) -> None:
    """Add the connections between connectors of a system at `path` (``axle.`` or empty) and of the systems in it."""

    def at(end: End, scalar: str) -> End:
        return End((path if end.part is None else f"{path}{end.part}.").rstrip(".") or None, scalar)

    for c in diagram.connections:
        if all(e.part is None or e.part in diagram.systems for e in (c.start, c.end)):
            for a, b in zip(diagram.scalars(c.start), diagram.scalars(c.end), strict=False):
                graph.setdefault(at(c.start, a), []).append(at(c.end, b))
    for name, system in diagram.systems.items():
        _hops(system.diagram, f"{path}{name}.", graph)


def strong_components(graph: Graph) -> list[list[End]]:
    """Return the strongly connected components, in order of first visit (Tarjan 1972, without recursion)."""
    index: dict[End, int] = {}
    low: dict[End, int] = {}
    stack: list[End] = []
    on_stack: set[End] = set()
    found: list[list[End]] = []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph.get(root, ())))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, successors = work[-1]
            for following in successors:
                if following not in index:
                    index[following] = low[following] = len(index)
                    stack.append(following)
                    on_stack.add(following)
                    work.append((following, iter(graph.get(following, ()))))
                    break
                if following in on_stack:
                    low[node] = min(low[node], index[following])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = [stack.pop()]
                    while component[-1] != node:
                        component.append(stack.pop())
                    component.reverse()
                    on_stack.difference_update(component)
                    if len(component) > 1 or node in graph.get(node, ()):
                        found.append(component)
    return sorted(found, key=lambda component: index[component[0]])


def _around(graph: Graph, start: End, inside: set[End]) -> list[End]:
    """Return the shortest path from a node back to itself within its component."""
    before: dict[End, End] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for following in graph.get(node, ()):
            if following == start:
                path = [start, node]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1]
            if following in inside and following not in before:
                before[following] = node
                queue.append(following)
    raise AssertionError("a strong component has a way around")


def _is_output(diagram: SystemStructure, end: End) -> bool:
    port = diagram.port(end)
    return port is not None and port.causality == "output"
