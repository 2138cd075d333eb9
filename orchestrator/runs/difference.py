"""The difference of two runs over time: ``other - baseline`` of each signal that both have.

Samples of the two runs are at different times in general. The difference is taken at all times at which either run has
a sample, from the later beginning to the earlier end: continuous variables are linear between two samples, and others
are held. A difference of piecewise linear curves is piecewise linear between these times, so its largest value is one
of them, and its root mean square is integrated exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.orchestrator.runs.recorder import TIME
from drawbar.orchestrator.runs.run import Run, Signal

_Array = NDArray[np.float64]
AT_ONCE = 64  # scalars that are read together: few enough for the memory of long runs


@dataclass(frozen=True)
class Deviation:
    """The largest difference of a signal, with its sign and its time in s, and the root mean square over the time.

    All three are NaN if no difference is finite. Where one is not, it is left out of them; `left_out` is how many.
    """

    signal: str
    unit: str
    largest: float
    time: float
    rms: float
    left_out: int = 0


class RunDifference(Run):
    """The difference of two runs, read as if it were a run; the signals are those of the same unit, type and size."""

    def __init__(self, baseline: Run, other: Run) -> None:
        self.folder, self.info, self.timing = baseline.folder, baseline.info, {}
        self._runs = baseline, other
        self._deviations: dict[str, Deviation] = {}
        self._shares: dict[str, float] = {}
        self._read: tuple[dict[str, tuple[_Array, _Array]], ...] = {}, {}  # samples read in advance, of each run
        self.signals = _shared(baseline.signals, other.signals)
        self._scalars = _shared(baseline._scalars, other._scalars)

    def __getitem__(self, name: str) -> NDArray[Any]:
        signal = self.signal(name)
        _, *values = self.read(signal.period, (TIME, *signal.columns))
        return values[0] if not signal.shape else np.stack(values, axis=1).reshape(-1, *signal.shape)

    def time(self, name: str) -> _Array:
        """Return the times in seconds at which the difference of a signal is given."""
        signal = self.signal(name)
        return self.read(signal.period, (TIME, *signal.columns))[0]

    def read(self, period: Fraction, columns: Sequence[str], skip: int = 0) -> list[NDArray[Any]]:
        """Return the differences of scalars, and under ``time`` the times of all of them.

        A scalar that does not go from the first of these times to the last is NaN where it is missing.
        """
        pairs = {name: self._samples(name) for name in columns if name != TIME}
        overlaps = [_overlap(*pair) for pair in pairs.values()]
        times = np.unique(np.concatenate(overlaps)) if overlaps else np.empty(0)
        found = {TIME: times}
        for (name, (ours, theirs)), own in zip(pairs.items(), overlaps, strict=True):
            held, also_held = (run.signal(name).held for run in self._runs)
            with np.errstate(invalid="ignore"):  # infinity less infinity
                difference = _at(times, *theirs, also_held) - _at(times, *ours, held)
            outside = (times < own[0]) | (times > own[-1]) if len(own) else np.ones(len(times), dtype=bool)
            found[name] = np.where(outside, np.nan, difference)
        return [found[name] for name in columns]

    def deviation(self, name: str) -> Deviation:
        """Return the largest difference of a scalar and its root mean square."""
        if name not in self._deviations:
            signal = self.signal(name)
            times, values = self.read(signal.period, (TIME, name))
            self._deviations[name] = deviation(name, signal.unit, times, values, signal.held)
        return self._deviations[name]

    def share(self, name: str) -> float:
        """Return the largest difference of a scalar relative to its range in both runs; 0 if it does not differ.

        It is 1 for different constants, and where no difference is finite though the values are not the same.
        """
        if name not in self._shares:
            self._shares[name] = self._share(name)
        return self._shares[name]

    def shares(self, names: Sequence[str]) -> dict[str, float]:
        """Return the `share` of each of many scalars, which are read from the disk together."""
        missing = [name for name in names if name not in self._shares]
        for first in range(0, len(missing), AT_ONCE):
            batch = missing[first : first + AT_ONCE]
            self._read = tuple(_samples_of(run, batch) for run in self._runs)
            for name in batch:
                self._shares[name] = self._share(name)
        self._read = {}, {}
        return {name: self._shares[name] for name in names}

    def _share(self, name: str) -> float:
        largest = abs(self.deviation(name).largest)
        if largest == 0.0:
            return 0.0
        (_, ours), (_, theirs) = self._samples(name)
        if np.isnan(largest):
            return 0.0 if np.array_equal(ours, theirs, equal_nan=True) else 1.0
        both = np.concatenate([ours, theirs])
        return float(largest / np.ptp(both[np.isfinite(both)]))

    def _samples(self, name: str) -> list[tuple[_Array, _Array]]:
        """Return times and values of a scalar in both runs."""
        return [
            read[name] if name in read else (run.time(name), np.asarray(run[name], dtype=np.float64))
            for run, read in zip(self._runs, self._read, strict=True)
        ]


def deviation(name: str, unit: str, times: _Array, values: _Array, held: bool) -> Deviation:
    """Return the largest of the differences at some times, and their root mean square."""
    finite = np.isfinite(values)
    left_out = int(len(values) - finite.sum())
    if not finite.any():
        return Deviation(name, unit, np.nan, np.nan, np.nan, left_out)
    place = int(np.abs(np.where(finite, values, 0.0)).argmax())
    first, second = values[:-1], values[:-1] if held else values[1:]
    good = np.isfinite(first) & np.isfinite(second)
    first, second, lengths = first[good], second[good], np.diff(times)[good]
    whole = float(lengths.sum())
    square = float(values[place]) ** 2  # of a single sample
    if whole > 0.0:
        square = float((lengths * (first * first + first * second + second * second)).sum()) / (3.0 * whole)
    return Deviation(name, unit, float(values[place]), float(times[place]), float(np.sqrt(square)), left_out)


def _shared(ours: dict[str, Signal], theirs: dict[str, Signal]) -> dict[str, Signal]:
    def kind(signal: Signal) -> tuple[object, ...]:
        return signal.unit, signal.type, signal.columns

    return {name: signal for name, signal in ours.items() if name in theirs and kind(signal) == kind(theirs[name])}


def _samples_of(run: Run, names: Sequence[str]) -> dict[str, tuple[_Array, _Array]]:
    """Return times and values of scalars by name; those of a rate are read together."""
    found: dict[str, tuple[_Array, _Array]] = {}
    for period in dict.fromkeys(run.signal(name).period for name in names):
        of_rate = [name for name in names if run.signal(name).period == period]
        times, *columns = run.read(period, (TIME, *of_rate))
        found |= {n: (times, np.asarray(c, dtype=np.float64)) for n, c in zip(of_rate, columns, strict=True)}
    return found


def _overlap(ours: tuple[_Array, _Array], theirs: tuple[_Array, _Array]) -> _Array:
    """Return the times of both within the time that both cover."""
    (a, _), (b, _) = ours, theirs
    if not (len(a) and len(b)):
        return np.empty(0)
    times = np.union1d(a, b)
    common: _Array = times[(times >= max(a[0], b[0])) & (times <= min(a[-1], b[-1]))]
    return common


def _at(times: _Array, at: _Array, values: _Array, held: bool) -> _Array:
    if not len(at):
        return np.full(len(times), np.nan)
    if not held:
        linear: _Array = np.interp(times, at, values)
        return linear
    return values[np.maximum(np.searchsorted(at, times, side="right") - 1, 0)]
