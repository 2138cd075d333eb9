"""Start values of states from residuals: damped Newton iteration with their exact Jacobian.

`runtime/newton.c` does the same operations in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ITERATIONS = 100
HALVINGS = 30
POLISHES = 5
SEARCHES = 6  # by limited steps, where damped ones lead nowhere
LIMITED = 150  # iterations of each
LONGEST = 0.4  # step of the first search at first, in parts as below
SHORTER = 0.6  # that of the next search over it
EVERY = 15  # iterations after which it is halved
TOLERANCE = 1e-9  # of a step, in parts of the unknown or its nominal value, whichever is larger
SMALLEST_PIVOT = 1e-14  # in parts of the largest entry of its column

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Limits:
    """Of the unknowns: between which values they are looked for, and how large they are."""

    lowest: Vector
    highest: Vector
    nominal: Vector


@dataclass(frozen=True)
class Unsolved:
    """Why no solution was found, and where: the unknown and the iteration at which it ended."""

    why: str
    unknown: int
    iteration: int
    at: Vector
    residual: Vector


def solve(
    guess: Vector, limits: Limits, residual: Callable[[Vector], Vector], jacobian: Callable[[], Vector]
) -> Vector | Unsolved:
    """Solve ``residual(x) = 0`` from `guess`; `jacobian` gives d residual/dx where the last residual was taken.

    Where damped steps end at a corner of the residuals, as where a wheel leaves the ground, limited ones begin anew;
    they may go in a circle, so they begin several times.
    """
    found = _damped(guess, limits, residual, jacobian)
    if isinstance(found, Unsolved):
        longest = LONGEST
        for _ in range(SEARCHES):
            again = _limited(longest, guess, limits, residual, jacobian)
            if again is not None:
                return again
            longest = SHORTER * longest
    return found


def _limited(
    longest: float, guess: Vector, limits: Limits, residual: Callable[[Vector], Vector], jacobian: Callable[[], Vector]
) -> Vector | None:
    """By steps that need not lead nearer, the first as it is, then shorter and shorter, so that they end at corners."""
    now = clamped(guess, limits)
    found = residual(now)
    for k in range(LIMITED):
        factors = _factor(jacobian()) if np.isfinite(found).all() else 0
        if isinstance(factors, int):
            return None
        step = _full_step(*factors, found)
        size = _length(step, now, limits)
        if size <= TOLERANCE:
            return _polished(now, step, size, limits, residual, jacobian)
        if not math.isfinite(size):
            return None
        part = min(1.0, longest * 0.5 ** (k // EVERY) / size) if k else 1.0
        now = clamped(now + part * step, limits)
        found = residual(now)
    return None


def _damped(
    guess: Vector, limits: Limits, residual: Callable[[Vector], Vector], jacobian: Callable[[], Vector]
) -> Vector | Unsolved:
    now = clamped(guess, limits)
    found = residual(now)
    if not np.isfinite(found).all():
        return Unsolved("the residuals have no value", 0, 0, now, found)
    for k in range(ITERATIONS):
        factors = _factor(jacobian())
        if isinstance(factors, int):
            return Unsolved("the residuals do not determine it", factors, k, now, found)
        step = _full_step(*factors, found)
        size = _length(step, now, limits)
        if size <= TOLERANCE:
            return _polished(now, step, size, limits, residual, jacobian)
        part = 1.0
        for _ in range(HALVINGS):
            trial = clamped(now + part * step, limits)
            there = residual(trial)
            if np.isfinite(there).all():
                following = _full_step(*factors, there)
                # the next step by the same Jacobian is clearly shorter: no unit of a residual matters
                if _length(following, now, limits) <= (1.0 - 0.25 * part) * size:
                    break
            part = 0.5 * part
        else:
            return Unsolved("no step leads nearer to one", 0, k, now, found)
        now, found = trial, there
    return Unsolved("no convergence", 0, ITERATIONS, now, found)


def _polished(
    now: Vector,
    step: Vector,
    size: float,
    limits: Limits,
    residual: Callable[[Vector], Vector],
    jacobian: Callable[[], Vector],
) -> Vector:
    """Full steps down to rounding, so that the solution does not depend on the guess."""
    for _ in range(POLISHES):
        if not size > 0.0:
            break
        trial = clamped(now + step, limits)
        there = residual(trial)
        factors = _factor(jacobian()) if np.isfinite(there).all() else 0
        if isinstance(factors, int):
            break
        following = _full_step(*factors, there)
        shorter = _length(following, trial, limits)
        if not shorter <= size:
            break
        now, step = trial, following
        if shorter > 0.5 * size:
            break
        size = shorter
    return now


def clamped(x: Vector, limits: Limits) -> Vector:
    """The unknowns between the values where they are looked for."""
    return np.minimum(np.maximum(x, limits.lowest), limits.highest)


def _length(step: Vector, x: Vector, limits: Limits) -> float:
    """The largest component of a step, in parts of its unknown."""
    size = float(np.max(np.abs(step) / np.maximum(np.abs(x), limits.nominal)))
    return size if math.isfinite(size) else math.inf


def _factor(matrix: Vector) -> tuple[Vector, Sequence[int]] | int:
    """LU decomposition with partial pivoting; the column that has no pivot where it cannot be."""
    a = np.array(matrix)
    n = len(a)
    for k in range(n):
        if not np.isfinite(a[:, k]).all():
            return k
    columns = np.abs(a).max(axis=0)
    pivots: list[int] = []
    for k in range(n):
        pivot = k + int(np.argmax(np.abs(a[k:, k])))
        if not abs(a[pivot, k]) > SMALLEST_PIVOT * columns[k]:
            return k
        pivots.append(pivot)
        a[[k, pivot]] = a[[pivot, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a, pivots


def _full_step(factors: Vector, pivots: Sequence[int], residual: Vector) -> Vector:
    """Minus the inverse of the matrix times the residual."""
    step = -residual
    n = len(step)
    for k, pivot in enumerate(pivots):
        step[k], step[pivot] = step[pivot], step[k]
    for i in range(n):
        for j in range(i):
            step[i] -= factors[i, j] * step[j]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            step[i] -= factors[i, j] * step[j]
        step[i] /= factors[i, i]
    return step
