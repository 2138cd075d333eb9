"""Operations of a graph that become one operation over four lanes.

A *vector* is four nodes, one of each lane. It is a *pack* where the four are computed by one operation on vectors: each
operand of a pack is a vector of the operands of its nodes, and where those are of one operation, it is a pack again. A
vector of inputs and numbers is loaded, any other one is gathered from scalars.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import casadi as ca
import numpy as np

from drawbar.fmus.vectorize.graph import COMMUTATIVE, LEAVES, Graph, Ref
from drawbar.fmus.vectorize.operations import VECTOR

WIDTH = 4
MIN_DISTINCT = 3  # different nodes in a pack
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
    """The packs of a graph: `at` by their nodes, `owner` the pack of a node, `seen` the vectors and lanes of a node.

    `new` are the vectors added since it was last emptied, so that they can be removed again.
    """

    def __init__(self, graph: Graph) -> None:
        self.nothing = graph.number(-0.0)  # which added to a number leaves it as it is, zeros too
        self.graph = graph
        self.at: dict[Nodes, Pack] = {}
        self.owner: dict[int, Nodes] = {}
        self.seen: dict[int, set[tuple[Nodes, int]]] = defaultdict(set)
        self.new: list[Nodes] = []
        self._loaded: set[Nodes] = set()
        self._profiles = graph.profiles(DEPTH)

    def add(self, nodes: Nodes) -> None:
        """Make a vector, as a pack where its nodes are alike, and likewise of its operands."""
        stack = [nodes]
        while stack:
            nodes = stack.pop()
            if len(set(nodes)) == 1 or nodes in self.at or nodes in self._loaded:
                continue
            operations = {self.graph.operations[node] for node in nodes}
            if len(operations) > 1:
                continue
            (operation,) = operations
            if operation in LEAVES:
                self._loaded.add(nodes)
                self._note(nodes)
            elif operation in VECTOR_OPERATIONS and len(set(nodes)) >= MIN_DISTINCT and self.free(nodes):
                stack += [operand for operand, _ in reversed(self._pack(operation, nodes).operands)]

    def add_sums(self, nodes: Nodes, of: Nodes) -> None:
        """Make a pack of sums to which some lanes add nothing: there `nodes` are those of the vector `of`."""
        terms, others = [], []
        for node, summed in zip(nodes, of, strict=True):
            term, other = Ref(summed), self.nothing
            if node != summed:
                self.owner[node] = nodes
                a, b = self.graph.operands[node]
                term, other = (a, b) if a.node == summed else (b, a)
            terms.append(term)
            others.append(other)
        self.add(tuple(r.node for r in others))
        self.at[nodes] = Pack(ca.OP_ADD, nodes, (_vector(terms), _vector(others)))
        self._note(nodes)

    def free(self, nodes: Nodes) -> bool:
        """Return whether none of the nodes is in a pack yet."""
        return not any(node in self.owner for node in nodes)

    def drop(self, nodes: Nodes) -> None:
        """Remove a pack: its nodes are computed as numbers again."""
        del self.at[nodes]
        for node in set(nodes):
            if self.owner.get(node) == nodes:
                del self.owner[node]

    def forget(self, vectors: list[Nodes]) -> None:
        """Undo the addition of vectors."""
        for nodes in vectors:
            if nodes in self.at:
                self.drop(nodes)
            self._loaded.discard(nodes)
            for lane, node in enumerate(nodes):
                self.seen[node].discard((nodes, lane))

    def _note(self, nodes: Nodes) -> None:
        """Record a new vector, and for each node its lane."""
        self.new.append(nodes)
        for lane, node in enumerate(nodes):
            self.seen[node].add((nodes, lane))

    def _pack(self, operation: int, nodes: Nodes) -> Pack:
        """Make a pack; operands that commute are ordered so that those of a vector are most alike."""
        for node in nodes:
            self.owner[node] = nodes
        columns = [list(self.graph.operands[node]) for node in nodes]
        if operation in COMMUTATIVE:
            first, second = columns[0]
            for column in columns[1:]:
                straight = self._likeness(first, column[0]) + self._likeness(second, column[1])
                if straight < self._likeness(first, column[1]) + self._likeness(second, column[0]):
                    column.reverse()
        self.at[nodes] = Pack(operation, nodes, tuple(_vector(row) for row in zip(*columns, strict=True)))
        self._note(nodes)
        return self.at[nodes]

    def _likeness(self, a: Ref, b: Ref) -> int:
        """Return how well two operands fit in one vector: one node, nodes of one pack, or trees of like operations."""
        if a.node == b.node:
            return 2000
        if a.node in self.owner and self.owner[a.node] == self.owner.get(b.node):
            return 1500
        return -int(np.abs(self._profiles[a.node] - self._profiles[b.node]).sum())


def _vector(refs: tuple[Ref, ...] | list[Ref]) -> tuple[Nodes, Signs]:
    """Return nodes and signs of a vector of operands."""
    return tuple(r.node for r in refs), tuple(r.negative for r in refs)
