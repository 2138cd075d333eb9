"""Dependencies of outputs and of start values, from sparsity."""

from typing import Any

import casadi as ca

from drawbar.blocks.authoring.dependencies import Known, pattern, solved_together


def test_dependencies_at_communication_points(mixed: Any) -> None:
    feedthrough = mixed.interface().feedthrough
    assert feedthrough["through"] == ("a",)
    assert feedthrough["cancelled"] == ()
    assert feedthrough["second"] == ("b[2]",)
    assert feedthrough["remembered[1]"] == () and feedthrough["remembered[2]"] == ("a",)
    assert feedthrough["s"] == ()
    assert "shown" not in feedthrough  # a local is not connected


def test_dependencies_during_initialization(mixed: Any) -> None:
    initial = mixed.interface().initial_feedthrough
    assert initial["through"] == ("a", "k")
    assert initial["second"] == ("b[2]", "s")
    assert initial["remembered[2]"] == ("a", "s")


def test_residuals_that_share_an_unknown_are_solved_together() -> None:
    a, b, c, d = (ca.SX.sym(name) for name in "abcd")
    residual = ca.vertcat(a + b, c, b - 1, d + c)
    of_residuals, of_unknowns = solved_together(residual, ca.vertcat(a, b, c, d))
    assert of_residuals[0] == of_residuals[2] != of_residuals[1] == of_residuals[3]
    assert of_unknowns == [of_residuals[0], of_residuals[0], of_residuals[1], of_residuals[1]]


def test_a_solution_depends_on_all_that_its_group_reads() -> None:
    p, q, r, x, y = (ca.SX.sym(name) for name in "pqrxy")
    known = Known(ca.vertcat(p, q, r), ["p", "q", "r"])
    known.add(x, ["x"], [["q"]])  # calculated from q
    z = ca.SX.sym("z", 2)
    known.add_solution(ca.vertcat(z[0] - x, z[1] - r * y), z, ["z[1]", "z[2]"])
    assert known.of(ca.vertcat(z[0], z[1], z[0] + p)) == [("q",), ("r",), ("p", "q")]


def test_the_pattern_has_the_order_of_the_names() -> None:
    x = ca.SX.sym("x", 3)
    assert pattern(ca.vertcat(x[2] * x[0], 1.0), x, ["x[1]", "x[2]", "x[3]"]) == [("x[1]", "x[3]"), ()]
