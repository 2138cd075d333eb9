"""The graph of a function: each operation once, with signs taken out."""

import casadi as ca
import numpy as np

from drawbar.fmus.vectorize.graph import Graph, Ref, read

x = ca.SX.sym("x", 3)


def graph_of(*results: ca.SX) -> tuple[list[Ref], list[int]]:
    graph = read(ca.Function("f", [x], [ca.vertcat(*results)]))
    return [graph.outputs[0, i] for i in range(len(results))], graph.operations


def test_a_product_of_negatives_is_the_product_with_a_sign() -> None:
    (a, b, c), operations = graph_of(x[0] * x[1], -x[0] * x[1], (-x[0]) * (-x[1]))
    assert a.node == b.node == c.node
    assert (a.negative, b.negative, c.negative) == (False, True, False)
    assert operations.count(ca.OP_MUL) == 1


def test_a_sum_keeps_the_signs_of_its_terms() -> None:
    """-(a + b) is not (-a) + (-b) where the sum is zero."""
    graph = Graph()
    a, b = graph.input(0, 0), graph.input(0, 1)
    plain = graph.result(ca.OP_ADD, [a, b])
    negated = graph.result(ca.OP_ADD, [graph.result(ca.OP_NEG, [a]), graph.result(ca.OP_NEG, [b])])
    assert plain.node != negated.node
    assert (plain.negative, negated.negative) == (False, False)


def test_a_difference_is_a_sum_with_a_sign() -> None:
    (a, b), operations = graph_of(x[0] - x[1], -x[1] + x[0])
    assert a == b
    assert operations.count(ca.OP_ADD) == 1 and ca.OP_SUB not in operations


def test_even_functions_drop_the_sign() -> None:
    (a, b, c, d), _ = graph_of(x[0] ** 2, (-x[0]) ** 2, ca.fabs(x[1]), ca.fabs(-x[1]))
    assert a == b and c == d


def test_shapes_and_profiles_tell_trees_apart() -> None:
    graph = read(ca.Function("f", [x], [ca.vertcat(x[0] * x[1] + x[2], x[1] * x[2] + x[0], x[0] * x[1] * x[2])]))
    first, second, third = (graph.outputs[0, i].node for i in range(3))
    for shapes in graph.shapes(3)[2:]:
        assert shapes[first] == shapes[second] != shapes[third]
    profiles = graph.profiles(3)
    assert np.array_equal(profiles[first], profiles[second]) and not np.array_equal(profiles[first], profiles[third])


def test_users_are_those_that_have_a_node_as_operand() -> None:
    graph = read(ca.Function("f", [x], [ca.vertcat(x[0] * x[1], x[0] + x[2])]))
    product, total = (graph.outputs[0, i].node for i in range(2))
    first = next(node for node, place in graph.places.items() if place == (0, 0))
    assert sorted(graph.users()[first]) == sorted([product, total])
