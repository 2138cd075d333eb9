"""What is done four times alike is found, from results that look alike down to their operands."""

from typing import Any

import casadi as ca

from drawbar.fmus.vectorize.graph import read
from drawbar.fmus.vectorize.search import find_packs

x = ca.SX.sym("x", 9)


def operations_in_packs(*results: Any) -> list[int]:
    packs = find_packs(read(ca.Function("f", [x], [ca.vertcat(*results)])))
    return sorted(pack.operation for pack in packs.at.values())


def corner(i: int) -> ca.SX:
    return ca.sqrt(x[i] * x[4 + i] + 1.0)


def test_four_corners_are_one_operation_each() -> None:
    assert operations_in_packs(*map(corner, range(4))) == sorted([ca.OP_SQRT, ca.OP_ADD, ca.OP_MUL])


def test_three_alike_are_no_pack() -> None:
    assert operations_in_packs(*map(corner, range(3))) == []


def test_a_term_that_some_lanes_lack_is_added_as_nothing() -> None:
    rows = [corner(i) * x[i] + (x[8] * x[4 + i] if i < 2 else 0.0) for i in range(4)]
    found = operations_in_packs(*(ca.sqrt(row * row + 1.0) for row in rows))
    assert found.count(ca.OP_SQRT) == 2
