"""Which operations of a graph become one operation over four lanes.

A *pack* is four nodes of one operation. The first come from seeds, results that look alike; each operand of a pack is a
vector of the operands of its nodes, and where those are of one operation, they are a pack again. From packs it goes on
upwards: nodes that do the same to the same lanes of the same vectors belong together too. At last packs are given up
that cost more than they save.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import casadi as ca

from drawbar.fmus.lanes.graph import COMMUTATIVE, Graph, Ref
from drawbar.fmus.lanes.words import VECTOR

WIDTH = 4
FEWEST = 3  # different nodes in a pack
DEPTH = 6  # of the trees by which operands are told apart
Nodes = tuple[int, ...]  # one of each lane
Signs = tuple[bool, ...]

VECTOR_OPERATIONS = {*VECTOR, ca.OP_ADD}


@dataclass(frozen=True)
class Pack:
    """An operation on vectors, each given by its nodes and by which lanes of it are negated."""

    operation: int
    nodes: Nodes
    operands: tuple[tuple[Nodes, Signs], ...]


class Packs:
    """The packs of a graph: `at` by their nodes, `owner` the pack of a node."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.at: dict[Nodes, Pack] = {}
        self.owner: dict[int, Nodes] = {}
        self._shapes = graph.shapes(DEPTH)
        self._users = graph.users()
        # vectors without a pack of which nodes are known, and all lanes a node is seen in
        self._loaded: set[Nodes] = set()
        self._lanes: dict[int, set[tuple[Nodes, int]]] = defaultdict(set)
        self._log: list[Nodes] = []

    def find(self) -> None:
        """From seeds downwards and upwards, until nothing is added; the seeds first that reach furthest."""
        results, others = self._seeds()
        reach = {nodes: self._reach(nodes) for nodes in results}
        for nodes in [*sorted(results, key=lambda nodes: reach[nodes], reverse=True), *reversed(others)]:
            if not any(node in self.owner for node in nodes):
                self._log = []
                self._vector(nodes)
                if len(self._log) == 1:
                    self._forget(nodes)
                else:
                    self._extend()

    def drop(self, nodes: Nodes) -> None:
        """Give up a pack."""
        del self.at[nodes]
        for node in set(nodes):
            del self.owner[node]

    def _seeds(self) -> tuple[list[Nodes], list[Nodes]]:
        """Of results, and of all nodes, four and no more whose trees are alike."""
        results = list(dict.fromkeys(r.node for r in self.graph.outputs.values()))
        everywhere = range(len(self.graph.operations))
        found = [nodes for shapes in reversed(self._shapes[1:]) for nodes in self._alike(results, shapes)]
        return list(dict.fromkeys(found)), self._alike(everywhere, self._shapes[-1])

    def _alike(self, candidates: Iterable[int], shapes: list[int]) -> list[Nodes]:
        alike: dict[int, list[int]] = defaultdict(list)
        for node in candidates:
            if not self.graph.is_leaf(node):
                alike[shapes[node]].append(node)
        return [tuple(nodes) for nodes in alike.values() if len(nodes) == WIDTH]

    def _reach(self, nodes: Nodes) -> int:
        """How many packs would come of a seed."""
        self._log = []
        self._vector(nodes)
        added, self._log = self._log, []
        for vector in added:
            self._forget(vector)
        return len(added)

    def _forget(self, nodes: Nodes) -> None:
        if nodes in self.at:
            self.drop(nodes)
        self._loaded.discard(nodes)
        for lane, node in enumerate(nodes):
            self._lanes[node].discard((nodes, lane))

    def _note(self, nodes: Nodes) -> None:
        self._log.append(nodes)
        for lane, node in enumerate(nodes):
            self._lanes[node].add((nodes, lane))

    def _vector(self, nodes: Nodes) -> None:
        """Make a vector of nodes, as a pack where they are alike."""
        stack = [nodes]
        while stack:
            nodes = stack.pop()
            if len(set(nodes)) == 1 or nodes in self.at or nodes in self._loaded:
                continue
            operations = {self.graph.operations[node] for node in nodes}
            if len(operations) > 1:
                continue
            (operation,) = operations
            if operation in (ca.OP_INPUT, ca.OP_CONST):
                self._loaded.add(nodes)
                self._note(nodes)
            elif (
                operation in VECTOR_OPERATIONS
                and len(set(nodes)) >= FEWEST
                and not any(node in self.owner for node in nodes)
            ):
                stack += [operand for operand, _ in reversed(self._pack(operation, nodes).operands)]

    def _pack(self, operation: int, nodes: Nodes) -> Pack:
        for node in nodes:
            self.owner[node] = nodes
        columns = [list(self.graph.operands[node]) for node in nodes]
        if operation in COMMUTATIVE:
            first, second = columns[0]
            for column in columns[1:]:
                straight = self._likeness(first, column[0]) + self._likeness(second, column[1])
                if straight < self._likeness(first, column[1]) + self._likeness(second, column[0]):
                    column.reverse()
        operands = tuple(
            (tuple(r.node for r in row), tuple(r.negative for r in row)) for row in zip(*columns, strict=True)
        )
        self.at[nodes] = Pack(operation, nodes, operands)
        self._note(nodes)
        return self.at[nodes]

    def _likeness(self, a: Ref, b: Ref) -> int:
        if a.node == b.node:
            return 20
        if a.node in self.owner and self.owner[a.node] == self.owner.get(b.node):
            return 15
        for depth in range(DEPTH, -1, -1):
            if self._shapes[depth][a.node] == self._shapes[depth][b.node]:
                return depth + 1
        return 0

    def _extend(self) -> None:
        """Pack what is done alike to lanes of the same vectors, and what is done to that, and so on."""
        near: set[int] = set()
        while self._log:
            near = {node for node in near if node not in self.owner}
            near |= {u for nodes in self._log for node in nodes for u in self._users[node] if u not in self.owner}
            alike: dict[object, list[list[int]]] = defaultdict(lambda: [[] for _ in range(WIDTH)])
            for node in sorted(near):
                if self.graph.operations[node] in VECTOR_OPERATIONS:
                    for lane, key in self._roles(node):
                        alike[key][lane].append(node)
            self._log = []
            for lanes in alike.values():
                if len({len(lane) for lane in lanes}) == 1:
                    for nodes in zip(*lanes, strict=True):
                        if len(set(nodes)) == WIDTH and not any(node in self.owner for node in nodes):
                            self._vector(nodes)

    def _roles(self, node: int) -> Iterator[tuple[int, object]]:
        """The lanes a node may be in, and what it does there: its operation, and the vectors of its operands."""
        operation, operands = self.graph.operations[node], self.graph.operands[node]
        seen = [{lane for _, lane in self._lanes.get(r.node, ())} for r in operands]
        counts = [sum(lane in lanes for lanes in seen) for lane in range(WIDTH)]
        for lane, count in enumerate(counts):
            if count == 0 or count < max(counts):
                continue
            words = []
            for r in operands:
                vectors = [nodes for nodes, at in self._lanes.get(r.node, ()) if at == lane]
                if vectors:
                    words.append(("lane", *min(vectors)))
                elif self.graph.is_leaf(r.node):
                    words.append(("leaf", self.graph.operations[r.node]))
                else:
                    words.append(("node", r.node))
            yield lane, (operation, *(sorted(words) if operation in COMMUTATIVE else words))
