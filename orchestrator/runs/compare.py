"""Comparison of two runs, signal by signal, within a tolerance.

A sample is within tolerance if ``|other - baseline| <= max(abs, rel * |baseline|)``, as in Simulink's Data Inspector.
Samples are compared at the times that both runs have: every common multiple of the two periods. Integer and Boolean
signals must be equal. Equal infinities, and two NaN, differ by zero; a single NaN differs infinitely.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from drawbar.orchestrator.runs.run import Run, Signal


@dataclass(frozen=True)
class Difference:
    """The worst sample of one signal: where the difference is largest in relation to its tolerance."""

    signal: str
    unit: str
    time: float
    baseline: float
    other: float
    difference: float
    tolerance: float
    within: bool


@dataclass(frozen=True)
class Comparison:
    """All signals of two runs; `differences` begins with the worst."""

    differences: tuple[Difference, ...]
    only_in_baseline: tuple[str, ...]
    only_in_other: tuple[str, ...]
    shorter: str  # a sentence if one run ends before the other, or empty

    @property
    def within(self) -> bool:
        """Whether both runs have the same signals over the same time, all within tolerance."""
        same = not (self.only_in_baseline or self.only_in_other or self.shorter)
        return same and all(d.within for d in self.differences)


def compare(baseline: Run, other: Run, *, absolute: float = 0.0, relative: float = 0.0) -> Comparison:
    """Compare all signals of two runs; if both tolerances are zero, they must be equal."""
    ours, theirs = _scalars(baseline), _scalars(other)
    both = [name for name in ours if name in theirs]
    differences = [_worst(baseline, other, ours[n], theirs[n], absolute, relative) for n in both]
    ends = [max((float(run.time(s.name)[-1]) for s in run.signals.values()), default=0.0) for run in (baseline, other)]
    shorter = ""
    if ends[0] != ends[1]:
        shorter = f"{baseline.folder} ends at {ends[0]:g} s, {other.folder} at {ends[1]:g} s; compared to the earlier"
    return Comparison(
        differences=tuple(sorted(differences, key=lambda d: (-_excess(d), d.signal))),
        only_in_baseline=tuple(n for n in ours if n not in theirs),
        only_in_other=tuple(n for n in theirs if n not in ours),
        shorter=shorter,
    )


def _scalars(run: Run) -> dict[str, Signal]:
    return {name: run.signal(name) for signal in run.signals.values() for name in signal.columns}


def _excess(d: Difference) -> float:
    """Return the ratio of difference to tolerance; infinite without a tolerance."""
    if d.difference == 0.0:
        return 0.0
    return d.difference / d.tolerance if d.tolerance > 0.0 else math.inf


def _worst(baseline: Run, other: Run, a: Signal, b: Signal, absolute: float, relative: float) -> Difference:
    t, x, y = _common(baseline, other, a, b)
    exact = a.type != "Real" or b.type != "Real"
    with np.errstate(invalid="ignore"):
        difference = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, np.abs(y - x))
        difference[np.isnan(difference)] = math.inf
        tolerance = np.maximum(0.0 if exact else absolute, (0.0 if exact else relative) * np.abs(x))
        tolerance[~np.isfinite(tolerance)] = 0.0
    ratio = np.divide(difference, tolerance, out=np.where(difference > 0.0, np.inf, 0.0), where=tolerance > 0.0)
    # among samples without any tolerance the largest difference is the worst
    i = int(np.lexsort((difference, ratio))[-1])
    within = bool((difference <= tolerance).all())
    time, value, theirs, gap, allowed = (float(v[i]) for v in (t, x, y, difference, tolerance))
    return Difference(a.name, a.unit, time, value, theirs, gap, allowed, within)


def _common(baseline: Run, other: Run, a: Signal, b: Signal) -> tuple[NDArray[np.float64], ...]:
    """Return the times that both runs have, and the values there."""
    ratio = a.period / b.period  # in lowest terms n/d: d periods of a are n periods of b
    every_a, every_b = ratio.denominator, ratio.numerator
    t, x = baseline.time(a.name)[::every_a], np.asarray(baseline[a.name], float)[::every_a]
    y = np.asarray(other[b.name], float)[::every_b]
    n = min(len(x), len(y))
    return t[:n], x[:n], y[:n]
