"""Sparse factors beside dense ones: any pattern, the order of elimination, and what tells of a singular matrix."""

import casadi as ca
import numpy as np
import pytest

from drawbar.fmus.export.sparse_lu import factored, markowitz_order, solved


def solution(J: np.ndarray, shift: float, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Of ``(shift - J) x = right``, with the worth of the pivots and the number of factors."""
    pattern = ca.sparsify(ca.DM(J))
    symbols, s = ca.SX.sym("J", pattern.sparsity()), ca.SX.sym("s")
    factors, b = factored(s, symbols), ca.SX.sym("b", len(right))
    whole = ca.Function("f", [symbols, s, b], [solved(factors, factors.column, b), factors.relative_pivots])
    x, worth = whole(pattern, shift, right)
    return np.asarray(x).ravel(), np.asarray(worth).ravel(), factors.column.numel()


@pytest.mark.parametrize("seed", range(20))
def test_it_solves_what_numpy_solves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 14))
    J = rng.normal(size=(n, n)) * (rng.random((n, n)) < rng.uniform(0.05, 0.9))
    b = rng.normal(size=n)
    x, worth, _ = solution(J, 12.0, b)
    np.testing.assert_allclose(x, np.linalg.solve(12.0 * np.eye(n) - J, b), rtol=1e-12)
    assert (worth > 1e-3).all()


def test_an_arrow_is_eliminated_from_its_ends() -> None:
    """It fills in nothing from there, and everything from its head."""
    n = 12
    J = np.diag(np.arange(1.0, n + 1))
    J[0, :] = J[:, 0] = 1.0
    order = markowitz_order(ca.sparsify(ca.DM(J)).sparsity())
    assert order[:3] == (1, 2, 3)
    assert order.index(0) >= n - 2
    assert solution(J, 50.0, np.ones(n))[2] == np.count_nonzero(J)


def test_a_chain_keeps_its_width() -> None:
    n = 30
    J = np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    assert solution(J, 5.0, np.ones(n))[2] == n + 2 * (n - 1)


@pytest.mark.parametrize(("J", "bad"), [([[5.0]], 0), ([[0.0, 5.0], [5.0, 0.0]], 1), ([[1.0, 2.0], [np.nan, 1.0]], 1)])
def test_what_is_singular_or_no_number_has_a_pivot_worth_nothing(J: list[list[float]], bad: int) -> None:
    worth = solution(np.array(J), 5.0, np.ones(len(J)))[1]
    assert np.flatnonzero(~(worth > 1e-14)).tolist() == [bad]


def test_a_pivot_of_which_rounding_has_left_nothing_is_worth_nothing() -> None:
    """Terms of 1e17 cancel in it beside the 1 that it began with, which they have swallowed."""
    a, b = 3.0e8 + 1.0 / 3.0, 4.0e8 + 1.0 / 7.0
    J = np.diag([0.0, 0.0, 2.0, 0.0])
    J[3, :3] = J[:3, 3] = [a, b, np.nextafter(np.hypot(a, b), np.inf)]
    x, worth, _ = solution(J, 1.0, np.ones(4))
    assert np.isfinite(x).all(), "its pivot is a number, not 0"
    assert np.flatnonzero(~(worth > 1e-14)).tolist() == [3]
    assert (solution(J / a, 1.0, np.ones(4))[1] > 0.05).all(), "where they do not cancel it is worth much"
