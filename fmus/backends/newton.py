"""Start values of states from residuals: damped Newton iteration with their exact Jacobian.

`runtime/newton.c` does the same operations in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from drawbar.fmus.runtime.constants import (
    NEWTON_DECREASE,
    NEWTON_HALVINGS,
    NEWTON_ITERATIONS,
    NEWTON_SMALLEST_PIVOT,
    NEWTON_TOLERANCE,
    POLISHING_RATIO,
    POLISHING_STEPS,
    SEARCH_HALVING,
    SEARCH_ITERATIONS,
    SEARCH_STEP,
    SEARCH_STEP_RATIO,
    SEARCHES,
)

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Limits:
    """The bounds of the unknowns within which they are solved for, and their nominal values."""

    lowest: Vector
    highest: Vector
    nominal: Vector


@dataclass(frozen=True)
class Unsolved:
    """Why no solution was found, and where: the unknown and the iteration at which the search ended."""

    why: str
    unknown: int
    iteration: int
    at: Vector
    residual: Vector


def solve(
    guess: Vector, limits: Limits, residual: Callable[[Vector], Vector], jacobian: Callable[[], Vector]
) -> Vector | Unsolved:
    """Solve ``residual(x) = 0`` from `guess`; `jacobian` returns d residual/dx at the last evaluation of the residual.

    Where damped steps get stuck at a kink of the residuals, as where a wheel leaves the ground, a search by limited
    steps starts anew. It may cycle, so it is started several times, each with shorter steps.
    """
    result = _damped(guess, limits, residual, jacobian)
    if isinstance(result, Unsolved):
        step_limit = SEARCH_STEP
        for _ in range(SEARCHES):
            for full_first in (True, False):
                solution = _limited(step_limit, full_first, guess, limits, residual, jacobian)
                if solution is not None:
                    return solution
            step_limit = SEARCH_STEP_RATIO * step_limit
    return result


def _limited(
    step_limit: float,
    full_first: bool,
    guess: Vector,
    limits: Limits,
    residual: Callable[[Vector], Vector],
    jacobian: Callable[[], Vector],
) -> Vector | None:
    """Return the solution found by steps that need not reduce the residuals, None if there is none.

    The first step is a full one if `full_first`, which leads to the ground from far away; others are limited to shorter
    and shorter lengths, so that the search converges at kinks.
    """
    now = clamped(guess, limits)
    values = residual(now)
    for k in range(SEARCH_ITERATIONS):
        factors = _factor(jacobian()) if np.isfinite(values).all() else 0
        if isinstance(factors, int):
            return None
        step = _full_step(*factors, values)
        size = _length(step, now, limits)
        if size <= NEWTON_TOLERANCE:
            return _polished(now, step, size, limits, residual, jacobian)
        if not math.isfinite(size):
            return None
        part = min(1.0, step_limit * 0.5 ** (k // SEARCH_HALVING) / size) if k or not full_first else 1.0
        now = clamped(now + part * step, limits)
        values = residual(now)
    return None


def _damped(
    guess: Vector, limits: Limits, residual: Callable[[Vector], Vector], jacobian: Callable[[], Vector]
) -> Vector | Unsolved:
    now = clamped(guess, limits)
    values = residual(now)
    if not np.isfinite(values).all():
        return Unsolved("the residuals have no value", 0, 0, now, values)
    for k in range(NEWTON_ITERATIONS):
        factors = _factor(jacobian())
        if isinstance(factors, int):
            return Unsolved("the residuals do not determine it", factors, k, now, values)
        step = _full_step(*factors, values)
        size = _length(step, now, limits)
        if size <= NEWTON_TOLERANCE:
            return _polished(now, step, size, limits, residual, jacobian)
        part = 1.0
        for _ in range(NEWTON_HALVINGS):
            trial = clamped(now + part * step, limits)
            trial_values = residual(trial)
            if np.isfinite(trial_values).all():
                next_step = _full_step(*factors, trial_values)
                # the next step with the same Jacobian is clearly shorter: a test that no unit of measure affects
                if _length(next_step, now, limits) <= (1.0 - NEWTON_DECREASE * part) * size:
                    break
            part = 0.5 * part
        else:
            return Unsolved("no step leads nearer to one", 0, k, now, values)
        now, values = trial, trial_values
    return Unsolved("no convergence", 0, NEWTON_ITERATIONS, now, values)


def _polished(
    now: Vector,
    step: Vector,
    size: float,
    limits: Limits,
    residual: Callable[[Vector], Vector],
    jacobian: Callable[[], Vector],
) -> Vector:
    """Take full steps down to rounding, so that the solution does not depend on the guess."""
    for _ in range(POLISHING_STEPS):
        if not size > 0.0:
            break
        trial = clamped(now + step, limits)
        trial_values = residual(trial)
        factors = _factor(jacobian()) if np.isfinite(trial_values).all() else 0
        if isinstance(factors, int):
            break
        next_step = _full_step(*factors, trial_values)
        shorter = _length(next_step, trial, limits)
        if not shorter <= size:
            break
        now, step = trial, next_step
        if shorter > POLISHING_RATIO * size:
            break
        size = shorter
    return now


def clamped(x: Vector, limits: Limits) -> Vector:
    """Return the unknowns, limited to their bounds."""
    return np.minimum(np.maximum(x, limits.lowest), limits.highest)


def _length(step: Vector, x: Vector, limits: Limits) -> float:
    """Return the largest component of a step, relative to its unknown or that one's nominal value."""
    size = float(np.max(np.abs(step) / np.maximum(np.abs(x), limits.nominal)))
    return size if math.isfinite(size) else math.inf


def _factor(matrix: Vector) -> tuple[Vector, Sequence[int]] | int:
    """Return the LU decomposition with partial pivoting, or the index of the first column without a pivot."""
    a = np.array(matrix)
    n = len(a)
    for k in range(n):
        if not np.isfinite(a[:, k]).all():
            return k
    columns = np.abs(a).max(axis=0)
    pivots: list[int] = []
    for k in range(n):
        pivot = k + int(np.argmax(np.abs(a[k:, k])))
        if not abs(a[pivot, k]) > NEWTON_SMALLEST_PIVOT * columns[k]:
            return k
        pivots.append(pivot)
        a[[k, pivot]] = a[[pivot, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a, pivots


def _full_step(factors: Vector, pivots: Sequence[int], residual: Vector) -> Vector:
    """Return minus the inverse of the matrix times the residual."""
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
