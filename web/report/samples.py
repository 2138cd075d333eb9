"""The samples of all curves on a page as Bokeh sources, one for all curves that have the same times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, CustomJS, Range1d
from numpy.typing import NDArray

from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.envelope import envelope
from drawbar.web.report.scripts import ZOOM
from drawbar.web.report.texts import shown

SAMPLES = 1_000_000  # of all curves of a page together; above it envelopes are drawn
BINS = 10_000
SMOOTH = 100_000  # points that pan smoothly; above it the browser draws envelopes
FINE, ROUGH = 3000, 500  # bins of these envelopes in and near the visible range, and outside it

_Array = NDArray[np.float64]


@dataclass(eq=False)
class _Base:
    """Curves that were sampled at the same times."""

    period: Fraction
    time: _Array
    curves: dict[str, _Array] = field(default_factory=dict)


class Samples:
    """The curves over time of several runs of one diagram; the first run is the one that the page shows.

    `range` is the common time axis; `notes` lists what was decimated.
    """

    def __init__(self, runs: Sequence[Run], names: Sequence[str]) -> None:
        self.notes: list[str] = []
        self._bases: list[_Base] = []
        self._places: dict[tuple[int, str], tuple[int, str]] = {}
        for number, run in enumerate(runs):
            for name in dict.fromkeys(names):
                if number == 0 or alike(runs[0], run, name):
                    self._add(number, run, name)
        total = sum(len(base.time) * len(base.curves) for base in self._bases)
        self._thins = SMOOTH < total <= SAMPLES
        if total > SAMPLES:
            self.notes.append(
                f"The {total:,} samples are drawn as min/max envelopes of {BINS:,} bins a curve: every spike is there, "
                f"but zooming shows no finer detail. Up to {SAMPLES:,} samples are drawn in full; choose fewer signals "
                "with drawbar plot RUN --signals."
            )
            for base in self._bases:
                base.time, base.curves = envelope(base.time, base.curves, BINS)
        ends = [base.time[[0, -1]] for base in self._bases if len(base.time)]
        start, end = (min(e[0] for e in ends), max(e[1] for e in ends)) if ends else (0.0, 1.0)
        self.range = Range1d(float(start), float(end if end > start else start + 1.0))
        self._sources = [self._source(base) for base in self._bases]

    def curve(self, number: int, name: str) -> tuple[Any, str] | None:
        """Return the source and column of a signal of one of the runs; None if that run has no such signal."""
        place = self._places.get((number, name))
        return None if place is None else (self._sources[place[0]], place[1])

    def _add(self, number: int, run: Run, name: str) -> None:
        signal, time = run.signal(name), run.time(name)
        values = np.asarray(run[name], dtype=np.float64) * shown(signal.unit)[0]
        column = f"c{len(self._places)}"
        bases = (b for b in self._bases if b.period == signal.period and np.array_equal(b.time, time))
        base = next(bases, None)
        if base is None:
            base = _Base(signal.period, time)
            self._bases.append(base)
        base.curves[column] = values
        self._places[number, name] = self._bases.index(base), column

    def _source(self, base: _Base) -> Any:
        """Return the times of a base as ``t`` and every curve under its column name.

        If there are too many samples to pan smoothly, the page also holds all of them, and draws their envelope.
        """
        full = ColumnDataSource({"t": base.time, **{c: compact(v) for c, v in base.curves.items()}})
        if not self._thins:
            return full
        few, thin = envelope(base.time, base.curves, FINE)
        drawn = ColumnDataSource({"t": few, **thin})
        args = {
            "full": full,
            "shown": drawn,
            "range": self.range,
            "columns": list(base.curves),
            "fine": FINE,
            "rough": ROUGH,
        }
        for end in ("start", "end"):
            self.range.js_on_change(end, CustomJS(args=args, code=ZOOM))
        return drawn


def alike(first: Run, other: Run, name: str) -> bool:
    """Return whether a signal of one run can be drawn on the axis of the other."""
    if name not in other:
        return False
    one, two = first.signal(name), other.signal(name)
    return (one.unit, one.type) == (two.unit, two.type)


def compact(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return values in single precision if their error is within 1e-5 of the curve's span, else unchanged."""
    finite = values[np.isfinite(values)]
    if not finite.size or np.abs(finite).max() > 1e30:
        return values
    worst = np.abs(finite - finite.astype(np.float32)).max()
    return values.astype(np.float32) if worst <= 1e-5 * np.ptp(finite) else values
