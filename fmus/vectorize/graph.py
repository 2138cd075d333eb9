"""The scalar operations of a CasADi function, each once, with signs taken out.

A negation is no operation here but the sign of a reference: left and right of a vehicle, whose equations CasADi
writes with different signs, become alike. All that is done to signs is exact, zeros included: -(a b) is (-a) b to the
bit, but -(a + b) is not (-a) + (-b) where the sum is zero, so a sum keeps the signs of its operands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray


class Ref(NamedTuple):
    """A node, or its negative."""

    node: int
    negative: bool = False


LEAVES = (ca.OP_INPUT, ca.OP_CONST)
COMMUTATIVE = (ca.OP_ADD, ca.OP_MUL)
ODD_IN_ALL = (ca.OP_MUL, ca.OP_DIV, ca.OP_TWICE, ca.OP_INV, ca.OP_SIGN)  # a sign of an operand is one of the result
EVEN = (ca.OP_SQ, ca.OP_FABS)


@dataclass
class Graph:
    """Nodes in an order in which operands come first.

    ``places`` are the (argument, entry) of inputs, ``numbers`` the values of constants, none of them negative.
    """

    operations: list[int] = field(default_factory=list)
    operands: list[tuple[Ref, ...]] = field(default_factory=list)
    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    numbers: dict[int, float] = field(default_factory=dict)
    outputs: dict[tuple[int, int], Ref] = field(default_factory=dict)
    _known: dict[object, int] = field(default_factory=dict)

    def is_leaf(self, node: int) -> bool:
        """Return whether a node is an input or a number."""
        return self.operations[node] in LEAVES

    def input(self, argument: int, entry: int) -> Ref:
        """Return the node of an entry of an argument."""
        node = self._node(ca.OP_INPUT, (argument, entry))
        self.places[node] = (argument, entry)
        return Ref(node)

    def number(self, value: float) -> Ref:
        """Return the node of a constant."""
        negative = math.copysign(1.0, value) < 0
        node = self._node(ca.OP_CONST, (-value if negative else value,))
        self.numbers[node] = -value if negative else value
        return Ref(node, negative)

    def result(self, operation: int, operands: list[Ref]) -> Ref:
        """Return the node of an operation's result."""
        if operation == ca.OP_NEG:
            return Ref(operands[0].node, not operands[0].negative)
        if operation == ca.OP_SUB:
            operation, operands = ca.OP_ADD, [operands[0], Ref(operands[1].node, not operands[1].negative)]
        negative = False
        if operation in ODD_IN_ALL:
            negative = sum(r.negative for r in operands) % 2 == 1
        if operation in ODD_IN_ALL or operation in EVEN:
            operands = [Ref(r.node) for r in operands]
        if operation in COMMUTATIVE:
            operands = sorted(operands)
        return Ref(self._node(operation, (), tuple(operands)), negative)

    def users(self) -> list[list[int]]:
        """Return for each node the nodes that it is an operand of."""
        found: list[list[int]] = [[] for _ in self.operations]
        for node, operands in enumerate(self.operands):
            for other in {r.node for r in operands}:
                found[other].append(node)
        return found

    def shapes(self, depth: int) -> list[list[int]]:
        """Return hashes of each node's tree of operations, without leaves: by depth 0, 1, ..., last without a limit."""
        levels = [[hash(op) for op in self.operations]]
        for level in range(1, depth + 1):
            whole: list[int] = []
            for node, (op, operands) in enumerate(zip(self.operations, self.operands, strict=True)):
                below = whole if level == depth else levels[-1]
                parts = [below[r.node] for r in operands]
                if op in COMMUTATIVE:
                    parts.sort()
                whole.append(hash((op, *parts)) if operands else levels[0][node])
            levels.append(whole)
        return levels

    def profiles(self, depth: int) -> NDArray[np.int64]:
        """Return for each node how often each operation occurs in its tree, down to a depth."""
        kinds = {operation: k for k, operation in enumerate(dict.fromkeys(self.operations))}
        own = np.zeros((len(self.operations), len(kinds)), np.int64)
        own[np.arange(len(own)), [kinds[operation] for operation in self.operations]] = 1
        below: tuple[list[int], list[int]] = ([], [])  # node and operand of all pairs
        for node, operands in enumerate(self.operands):
            for r in operands:
                below[0].append(node)
                below[1].append(r.node)
        found = own
        for _ in range(depth):
            found, last = own.copy(), found
            np.add.at(found, below[0], last[below[1]])
        return found

    def _node(self, operation: int, leaf: tuple[float, ...], operands: tuple[Ref, ...] = ()) -> int:
        key = (operation, leaf, operands)
        if key not in self._known:
            self._known[key] = len(self.operations)
            self.operations.append(operation)
            self.operands.append(operands)
        return self._known[key]


def read(function: ca.Function) -> Graph:
    """Return the graph of a function over SX."""
    graph = Graph()
    slots: dict[int, Ref] = {}
    for at in range(function.n_instructions()):
        operation = function.instruction_id(at)
        into, given = function.instruction_output(at), function.instruction_input(at)
        if operation == ca.OP_OUTPUT:
            graph.outputs[into[0], into[1]] = slots[given[0]]
        elif operation == ca.OP_INPUT:
            slots[into[0]] = graph.input(given[0], given[1])
        elif operation == ca.OP_CONST:
            slots[into[0]] = graph.number(function.instruction_constant(at))
        else:
            slots[into[0]] = graph.result(operation, [slots[i] for i in given])
    return graph
