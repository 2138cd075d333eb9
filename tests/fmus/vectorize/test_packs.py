"""Packs are added with all that they need, and removed without a trace."""

import casadi as ca

from drawbar.fmus.vectorize.graph import Graph, read
from drawbar.fmus.vectorize.packs import Nodes, Packs

x = ca.SX.sym("x", 8)


def corners(*results: ca.SX) -> tuple[Graph, Nodes]:
    graph = read(ca.Function("f", [x], [ca.vertcat(*results)]))
    return graph, tuple(graph.outputs[0, i].node for i in range(4))


def test_a_pack_brings_the_packs_of_its_operands() -> None:
    graph, nodes = corners(*(ca.sqrt(x[i] * x[4 + i]) for i in range(4)))
    packs = Packs(graph)
    packs.add(nodes)
    assert [pack.operation for pack in packs.at.values()] == [ca.OP_SQRT, ca.OP_MUL]
    ((product, signs),) = packs.at[nodes].operands
    assert packs.at[product].operation == ca.OP_MUL and not any(signs)
    assert all(not packs.free((node,)) for node in (*nodes, *product))


def test_signs_of_operands_are_those_of_their_lanes() -> None:
    graph, nodes = corners(*(x[i] + (-1) ** i * x[4 + i] for i in range(4)))
    packs = Packs(graph)
    packs.add(nodes)
    assert [signs for _, signs in packs.at[nodes].operands] == [(False,) * 4, (False, True, False, True)]


def test_unlike_operations_are_no_pack() -> None:
    graph, nodes = corners(x[0] * x[1], x[1] * x[2], x[2] * x[3], x[3] / x[4])
    packs = Packs(graph)
    packs.add(nodes)
    assert packs.at == {} and packs.free(nodes)


def test_what_is_forgotten_leaves_nothing() -> None:
    graph, nodes = corners(*(ca.sqrt(x[i] * x[4 + i]) for i in range(4)))
    packs = Packs(graph)
    packs.add(nodes)
    packs.forget(packs.new)
    assert packs.at == {} and packs.owner == {} and not any(packs.seen.values())
    packs.new = []
    packs.add(nodes)
    assert len(packs.at) == 2
