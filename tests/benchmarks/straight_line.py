"""Sparse symmetric systems as straight-line code: an elimination order chosen once, then LDL' without a loop or a test.

The order is that of minimum degree; a pivot is taken only if it is not small beside its row in every sample of numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

ACCEPTED = 1e-3  # of the largest entry of the row


def pattern(K: ca.SX) -> Any:
    """Where a matrix has entries."""
    rows, columns = K.sparsity().get_triplet()
    found = np.zeros(K.shape, bool)
    found[rows, columns] = True
    return found


def static_order(entries: Any, samples: Sequence[Any]) -> list[int]:
    """An order of elimination for a symmetric matrix with these entries and numbers like these."""
    filled, A = entries | entries.T, np.array(samples, float)
    left, order = list(range(len(filled))), []
    while left:
        block = filled[np.ix_(left, left)]
        size = np.abs(A[:, left][:, :, left])
        ratio = (np.diagonal(size, axis1=1, axis2=2) / size.max(axis=2)).min(axis=0)
        degree = np.where(ratio >= ACCEPTED, block.sum(axis=0), np.inf)
        best = int(np.argmin(degree)) if np.isfinite(degree).any() else int(np.argmax(ratio))
        k = left.pop(best)
        order.append(k)
        row = A[:, k, :].copy()
        A -= row[:, :, None] * row[:, None, :] / A[:, k, k][:, None, None]
        filled |= np.outer(filled[k], filled[k])
    return order


class Factored:
    """``L D L'`` of a symmetric matrix of expressions, in an order of elimination."""

    def __init__(self, K: ca.SX, order: Sequence[int]) -> None:
        K = ca.sparsify(K)
        rest: list[dict[int, Any]] = [{} for _ in range(K.shape[0])]
        for i, j, value in zip(*K.sparsity().get_triplet(), K.nonzeros(), strict=True):
            rest[i][j] = value
        self._order, self._inverse, self._columns = list(order), {}, {}
        for k in self._order:
            row = rest[k]
            self._inverse[k] = 1 / row.pop(k)
            names = list(row)
            column = {i: row[i] * self._inverse[k] for i in names}
            for at, i in enumerate(names):
                rest[i].pop(k)
                for j in names[at:]:
                    update = column[i] * row[j]
                    value = rest[i][j] - update if j in rest[i] else -update
                    rest[i][j] = rest[j][i] = value
            self._columns[k] = column

    def forward(self, right: dict[int, Any]) -> dict[int, Any]:
        """``L^-1 right``."""
        x = dict(right)
        for k in self._order:
            if k in x:
                for i, factor in self._columns[k].items():
                    x[i] = x.get(i, 0) - factor * x[k]
        return x

    def scaled(self, x: dict[int, Any]) -> dict[int, Any]:
        """``D^-1 x``."""
        return {k: value * self._inverse[k] for k, value in x.items()}

    def backward(self, x: dict[int, Any]) -> dict[int, Any]:
        """``L'^-1 x``."""
        found = dict(x)
        for k in reversed(self._order):
            for i, factor in self._columns[k].items():
                if i in found:
                    found[k] = found.get(k, 0) - factor * found[i]
        return found

    def solve(self, right: dict[int, Any]) -> dict[int, Any]:
        """``K^-1 right``."""
        return self.backward(self.scaled(self.forward(right)))


def entries(vector: ca.SX) -> dict[int, Any]:
    """A vector by index, without its zeros."""
    vector = ca.sparsify(vector)
    return dict(zip(vector.sparsity().row(), vector.nonzeros(), strict=True))


def column(found: dict[int, Any], size: int) -> ca.SX:
    """A vector of entries by index."""
    return ca.vertcat(*(found.get(i, ca.SX(0)) for i in range(size)))


def solve_whole(M: ca.SX, J: ca.SX, f: ca.SX, h: ca.SX, samples: Sequence[Any]) -> ca.SX:
    """``a`` of ``M a + J' x = f``, ``J a = h`` by LDL' of the whole; samples are numbers of M and J."""
    zero = ca.SX(J.shape[0], J.shape[0])
    K = ca.sparsify(ca.vertcat(ca.horzcat(M, J.T), ca.horzcat(J, zero)))
    numbers = [np.block([[m, j.T], [j, np.zeros((len(j), len(j)))]]) for m, j in samples]
    factored = Factored(K, static_order(pattern(K), numbers))
    return column(factored.solve(entries(ca.vertcat(f, h))), M.shape[0])


def solve_by_schur(M: ca.SX, J: ca.SX, f: ca.SX, h: ca.SX, samples: Sequence[Any]) -> ca.SX:
    """The same by the Schur complement ``J M^-1 J'``."""
    M, J = ca.sparsify(M), ca.sparsify(J)
    mass = Factored(M, static_order(pattern(M), [m for m, _ in samples]))
    rows = [mass.forward(entries(J[i, :].T)) for i in range(J.shape[0])]
    scaled = [mass.scaled(row) for row in rows]
    S = ca.SX(J.shape[0], J.shape[0])
    for i, row in enumerate(rows):
        for j in range(i + 1):
            shared = [k for k in row if k in scaled[j]]
            if shared:
                S[i, j] = S[j, i] = sum(
                    (row[k] * scaled[j][k] for k in shared[1:]), row[shared[0]] * scaled[j][shared[0]]
                )
    numbers = [j @ np.linalg.solve(m, j.T) for m, j in samples]
    schur = Factored(S, static_order(pattern(S), numbers))
    free = mass.solve(entries(f))
    left = {
        i: sum((J[i, k] * free[k] for k in J[i, :].sparsity().get_triplet()[1]), ca.SX(0)) - h[i]
        for i in range(J.shape[0])
    }
    x = schur.solve(left)
    pull = entries(f - ca.mtimes(J.T, column(x, J.shape[0])))
    return column(mass.solve(pull), M.shape[0])
