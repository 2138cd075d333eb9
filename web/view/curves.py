"""The curves in the browser: one source for each run and rate, at the resolution of the visible range."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, Range1d
from numpy.typing import NDArray

from drawbar.web.report.decimation import single_precision, visible_envelope
from drawbar.web.report.style import display_unit
from drawbar.web.view.recording import Recording

Key = tuple[str, Fraction]  # run and rate
PIXELS = (300, 8000)  # limits of the width; the browser may send any value


class Curves:
    """The sources of the plotted signals of some runs, and the common time axis of all plots.

    Columns are called ``t``, ``c0``, ``c1`` and so on; `column` returns that of a signal. Values are in the units of
    `style.display_unit`, so angles are in degrees.
    """

    def __init__(self) -> None:
        self.range = Range1d(0.0, 1.0)
        self.full = (0.0, 1.0)
        self._columns: dict[str, str] = {}
        self._sources: dict[Key, Any] = {}
        self._drawn: dict[Key, dict[str, NDArray[Any]]] = {}

    def column(self, name: str) -> str:
        """Return the column of a scalar signal, the same in every source."""
        return self._columns.setdefault(name, f"c{len(self._columns)}")

    def source(self, run: str, period: Fraction) -> Any:
        """Return the source of a run's signals of one rate."""
        key = run, period
        if key not in self._sources:
            self._sources[key] = ColumnDataSource({"t": []})
        return self._sources[key]

    def is_zoomed(self) -> bool:
        """Return whether the axis shows less than the whole range."""
        return (self.range.start, self.range.end) != self.full

    def extend_range(self, recordings: Mapping[str, Recording]) -> None:
        """Extend the whole range to the longest run; an axis that shows all of it continues to do so."""
        zoomed = self.is_zoomed()
        starts, ends = [r.start() for r in recordings.values()], [r.end() for r in recordings.values()]
        start, end = min(starts, default=0.0), max(ends, default=1.0)
        if not (
            math.isfinite(start) and math.isfinite(end)
        ):  # a recording of unknown origin may contain NaN or infinity
            start, end = 0.0, 1.0
        self.full = (start, end if end > start else start + 1.0)
        self.range.reset_start, self.range.reset_end = self.full
        if not zoomed:
            self.range.update(start=self.full[0], end=self.full[1])

    def visible(self) -> tuple[float, float]:
        """Return the visible time range in s; the whole range if the browser did not send two times."""
        ends = self.range.start, self.range.end
        if not all(isinstance(e, int | float) and math.isfinite(e) for e in ends) or ends[0] == ends[1]:
            return self.full
        return float(min(ends)), float(max(ends))

    def redraw(
        self, recordings: Mapping[str, Recording], names: Sequence[str], pixels: int, keep: bool = False
    ) -> None:
        """Fill the sources for the visible range; `keep` also fills columns of plots that are about to be removed."""
        start, end = self.visible()
        wide = min(max(pixels, PIXELS[0]), PIXELS[1])
        for run, recording in recordings.items():
            rates: dict[Fraction, list[str]] = {}
            for name in names:
                if name in recording.run:
                    rates.setdefault(recording.run.signal(name).period, []).append(name)
            for period, members in rates.items():
                key, kept = (run, period), self._drawn.get((run, period), {}) if keep else {}
                members += [n for n in kept if n not in members and n != "t" and n in recording.run]
                time, columns = visible_envelope(*recording.columns(period, members), start, end, wide)
                drawn = {n: v * display_unit(recording.run.signal(n).unit)[0] for n, v in columns.items()}
                self._drawn[key] = {"t": time, **drawn}
                data = {"t": time, **{self.column(n): single_precision(v) for n, v in drawn.items()}}
                self.source(run, period).data = data
        for key in [k for k in self._sources if k[0] not in recordings and not keep]:
            del self._sources[key]
            self._drawn.pop(key, None)

    def extremes(self, run: str, period: Fraction, name: str) -> tuple[float, float] | None:
        """Return the minimum and maximum of the visible part of a curve; None if nothing of it is visible."""
        drawn = self._drawn.get((run, period), {})
        if name not in drawn:
            return None
        start, end = self.visible()
        time, values = drawn["t"], drawn[name]
        # one more sample on either side, to which the line continues
        first = max(0, int(np.searchsorted(time, start)) - 1)
        last = int(np.searchsorted(time, end, side="right")) + 1
        finite = values[first:last]
        finite = finite[np.isfinite(finite)]
        return (float(finite.min()), float(finite.max())) if finite.size else None

    def points(self) -> int:
        """Return the number of points of all curves that the browser holds."""
        return sum(len(d["t"]) * (len(d) - 1) for d in self._drawn.values())
