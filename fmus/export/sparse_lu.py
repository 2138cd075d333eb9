"""Sparse linear systems as code without loops: a pivot order chosen once, then LU without row exchanges."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca


@dataclass(frozen=True)
class Factors:
    """``L U`` of a square matrix of expressions, eliminated along its diagonal in the order `order`.

    `column` holds all factors: for each elimination the inverse of the pivot, its column of L and its row of U.
    `places` holds for each elimination the indices of those rows and columns. `relative_pivots` holds for each row the
    magnitude of its pivot over the sum of the magnitudes of the pivot's terms, from the matrix and the elimination. So
    it is near zero, or not a number, where the matrix is singular, and where rounding has left no
    digit of the pivot.
    """

    order: tuple[int, ...]
    places: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    column: ca.SX
    relative_pivots: ca.SX


def markowitz_order(entries: ca.Sparsity) -> tuple[int, ...]:
    """Return an order of the diagonal pivots with little fill-in.

    Next is the one with the fewest products of its row and its column (Markowitz 1957), of equals the first.
    """
    n = entries.size1()
    rows: list[set[int]] = [set() for _ in range(n)]
    columns: list[set[int]] = [set() for _ in range(n)]
    for i, j in zip(*entries.get_triplet(), strict=True):
        if i != j:
            rows[i].add(j)
            columns[j].add(i)
    remaining, order = set(range(n)), []
    while remaining:
        k = min(remaining, key=lambda i: (len(rows[i]) * len(columns[i]), i))
        remaining.remove(k)
        order.append(k)
        for i in columns[k]:
            rows[i] = (rows[i] | rows[k]) - {i, k}
        for j in rows[k]:
            columns[j] = (columns[j] | columns[k]) - {j, k}
    return tuple(order)


def factored(shift: ca.SX, matrix: ca.SX) -> Factors:
    """Return the factors of ``shift I - matrix``."""
    n = matrix.size1()
    matrix = ca.sparsify(matrix)
    rows: list[dict[int, ca.SX]] = [{} for _ in range(n)]
    for i, j, value in zip(*matrix.sparsity().get_triplet(), matrix.nonzeros(), strict=True):
        rows[i][j] = -value
    terms = [shift + ca.fabs(rows[i].get(i, ca.SX(0))) for i in range(n)]
    for i in range(n):
        rows[i][i] = shift + rows[i][i] if i in rows[i] else shift
    order = markowitz_order(matrix.sparsity())
    remaining = set(range(n))
    found, places, relative_pivots = [], [], [ca.SX(0)] * n
    for k in order:
        remaining.remove(k)
        pivot = rows[k].pop(k)
        relative_pivots[k] = ca.fabs(pivot) / terms[k]
        inverse = 1.0 / pivot
        below = tuple(i for i in sorted(remaining) if k in rows[i])
        right = tuple(sorted(rows[k]))
        column = [rows[i].pop(k) * inverse for i in below]
        for i, factor in zip(below, column, strict=True):
            for j in right:
                update = factor * rows[k][j]
                rows[i][j] = rows[i][j] - update if j in rows[i] else -update
                if i == j:
                    terms[i] += ca.fabs(update)
        places.append((below, right))
        found += [inverse, *column, *(rows[k][j] for j in right)]
    return Factors(order, tuple(places), ca.vertcat(ca.SX(0, 1), *found), ca.vertcat(ca.SX(0, 1), *relative_pivots))


def solved(factors: Factors, column: ca.SX, right: ca.SX) -> ca.SX:
    """Return the solution for a right-hand side, by the factors in the form of `column`."""
    x, at, pivots = ca.vertsplit(right), 0, []
    for k, (below, row) in zip(factors.order, factors.places, strict=True):
        pivots.append(at)
        for m, i in enumerate(below):
            x[i] = x[i] - column[at + 1 + m] * x[k]
        at += 1 + len(below) + len(row)
    for k, (below, row), begin in reversed(list(zip(factors.order, factors.places, pivots, strict=True))):
        for m, j in enumerate(row):
            x[k] = x[k] - column[begin + 1 + len(below) + m] * x[j]
        x[k] = column[begin] * x[k]
    return ca.vertcat(ca.SX(0, 1), *x)
