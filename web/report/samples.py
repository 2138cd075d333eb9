"""The samples of all curves over time on a page, as one Bokeh source for each set of common times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, CustomJS, Range1d
from numpy.typing import NDArray

from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.decimation import envelope, single_precision
from drawbar.web.report.style import display_unit

MAX_SAMPLES = 1_000_000  # of all curves of a page together; above it the page holds envelopes only
BINS = 10_000  # of each such envelope
MAX_SMOOTH = 100_000  # samples that pan smoothly; above it the browser draws envelopes of them
FINE_BINS, COARSE_BINS = 3000, 500  # of these envelopes: in and near the visible range, and outside it

_ZOOM = """
// a million samples take half a second to draw, their extremes in bins as fine as the screen a few milliseconds;
// near the visible range bins are fine, or every sample is drawn; elsewhere bins are coarse
const waiting = window.drawbar_waiting ??= new Set();
if (waiting.has(shown.id)) return;
waiting.add(shown.id);
requestAnimationFrame(() => {
    waiting.delete(shown.id);
    const t = full.data.t, n = t.length, out = {t: []};
    for (const c of columns) out[c] = [];
    const seek = x => {
        let low = 0, high = n;
        while (low < high) { const mid = (low + high) >> 1; if (t[mid] < x) low = mid + 1; else high = mid; }
        return low;
    };
    const half = (range.end - range.start) / 2;
    const a = Math.max(0, seek(range.start - half) - 1), b = Math.min(n, seek(range.end + half) + 1);
    for (const [first, last, bins] of [[0, a, coarse], [a, b, fine], [b, n, coarse]]) {
        const size = Math.max(1, Math.ceil((last - first) / bins));
        for (let i = first; i < last; i += size > 2 ? size : 1) {
            const end = Math.min(last, i + (size > 2 ? size : 1));
            out.t.push(t[i]);
            if (size > 2) out.t.push(t[end - 1]);
            for (const c of columns) {
                const y = full.data[c];
                if (size <= 2) { out[c].push(y[i]); continue; }
                let low = -1, high = -1;
                for (let k = i; k < end; k++) {
                    if (isNaN(y[k])) continue;
                    if (low < 0 || y[k] < y[low]) low = k;
                    if (high < 0 || y[k] > y[high]) high = k;
                }
                out[c].push(low < 0 ? NaN : y[Math.min(low, high)], low < 0 ? NaN : y[Math.max(low, high)]);
            }
        }
    }
    shown.data = out;
});
"""

_Array = NDArray[np.float64]


@dataclass(eq=False)
class _TimeBase:
    """Curves that were sampled at the same times."""

    period: Fraction
    time: _Array
    curves: dict[str, _Array] = field(default_factory=dict)


class Samples:
    """The curves over time of several runs of one diagram; the first run is the one that the page shows.

    `range` is the common time axis; `notes` says what was decimated.
    """

    def __init__(self, runs: Sequence[Run], names: Sequence[str]) -> None:
        self.notes: list[str] = []
        self._time_bases: list[_TimeBase] = []
        self._columns: dict[tuple[int, str], tuple[int, str]] = {}
        for number, run in enumerate(runs):
            for name in dict.fromkeys(names):
                if number == 0 or comparable(runs[0], run, name):
                    self._add(number, run, name)
        total = sum(len(base.time) * len(base.curves) for base in self._time_bases)
        self._decimates = MAX_SMOOTH < total <= MAX_SAMPLES
        if total > MAX_SAMPLES:
            self.notes.append(
                f"The {total:,} samples are drawn as min/max envelopes of {BINS:,} bins a curve: every peak is drawn, "
                f"but zooming in shows no finer detail. Up to {MAX_SAMPLES:,} samples are drawn in full; choose fewer "
                "signals with drawbar plot RUN --signals."
            )
            for base in self._time_bases:
                base.time, base.curves = envelope(base.time, base.curves, BINS)
        ends = [base.time[[0, -1]] for base in self._time_bases if len(base.time)]
        start, end = (min(e[0] for e in ends), max(e[1] for e in ends)) if ends else (0.0, 1.0)
        self.range = Range1d(float(start), float(end if end > start else start + 1.0))
        self._sources = [self._source(base) for base in self._time_bases]

    def curve(self, number: int, name: str) -> tuple[Any, str] | None:
        """Return the source and column of a signal of one of the runs; None if that run has no such signal."""
        place = self._columns.get((number, name))
        return None if place is None else (self._sources[place[0]], place[1])

    def _add(self, number: int, run: Run, name: str) -> None:
        signal, time = run.signal(name), run.time(name)
        values = np.asarray(run[name], dtype=np.float64) * display_unit(signal.unit)[0]
        column = f"c{len(self._columns)}"
        bases = (b for b in self._time_bases if b.period == signal.period and np.array_equal(b.time, time))
        base = next(bases, None)
        if base is None:
            base = _TimeBase(signal.period, time)
            self._time_bases.append(base)
        base.curves[column] = values
        self._columns[number, name] = self._time_bases.index(base), column

    def _source(self, base: _TimeBase) -> Any:
        """Return the times of a base as ``t`` and every curve under its column name.

        If there are too many samples to pan smoothly, the source holds their envelope, and the page computes it anew
        from all samples when the reader zooms.
        """
        full = ColumnDataSource({"t": base.time, **{c: single_precision(v) for c, v in base.curves.items()}})
        if not self._decimates:
            return full
        few, thin = envelope(base.time, base.curves, FINE_BINS)
        drawn = ColumnDataSource({"t": few, **thin})
        args = {
            "full": full,
            "shown": drawn,
            "range": self.range,
            "columns": list(base.curves),
            "fine": FINE_BINS,
            "coarse": COARSE_BINS,
        }
        for end in ("start", "end"):
            self.range.js_on_change(end, CustomJS(args=args, code=_ZOOM))
        return drawn


def comparable(first: Run, other: Run, name: str) -> bool:
    """Return whether a signal of one run can be drawn on the axis of the other."""
    if name not in other:
        return False
    one, two = first.signal(name), other.signal(name)
    return (one.unit, one.type) == (two.unit, two.type)
