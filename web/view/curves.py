"""What the browser holds of the samples: for each run and rate one source, as fine as the screen where it looks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, Range1d
from numpy.typing import NDArray

from drawbar.web.report.envelope import window
from drawbar.web.report.samples import compact
from drawbar.web.report.texts import shown
from drawbar.web.view.recording import Recording

Key = tuple[str, Fraction]  # run and rate
PIXELS = (300, 8000)  # widths that are believed; the browser may say anything


class Curves:
    """The sources of the plotted signals of some runs, and the time axis that all plots share.

    Columns are called ``t`` and ``c0``, ``c1`` and so on; `column` tells which is whose. Angles are in degrees, as
    `texts.shown` says.
    """

    def __init__(self) -> None:
        self.range = Range1d(0.0, 1.0)
        self.full = (0.0, 1.0)
        self._columns: dict[str, str] = {}
        self._sources: dict[Key, Any] = {}
        self._drawn: dict[Key, dict[str, NDArray[Any]]] = {}

    def column(self, name: str) -> str:
        """The column of a scalar signal, in whatever source."""
        return self._columns.setdefault(name, f"c{len(self._columns)}")

    def source(self, run: str, period: Fraction) -> Any:
        """The source of a run's signals of one rate."""
        key = run, period
        if key not in self._sources:
            self._sources[key] = ColumnDataSource({"t": []})
        return self._sources[key]

    def is_zoomed(self) -> bool:
        """Whether the axis shows less than all."""
        return (self.range.start, self.range.end) != self.full

    def stretch(self, recordings: Mapping[str, Recording]) -> None:
        """Make the whole axis as long as the longest run; an axis that shows all goes on to do so."""
        zoomed = self.is_zoomed()
        starts, ends = [r.start() for r in recordings.values()], [r.end() for r in recordings.values()]
        start, end = min(starts, default=0.0), max(ends, default=1.0)
        if not (math.isfinite(start) and math.isfinite(end)):  # a recording of others
            start, end = 0.0, 1.0
        self.full = (start, end if end > start else start + 1.0)
        self.range.reset_start, self.range.reset_end = self.full
        if not zoomed:
            self.range.update(start=self.full[0], end=self.full[1])

    def visible(self) -> tuple[float, float]:
        """From when to when one looks, s; all there is if the browser says something else than two times."""
        ends = self.range.start, self.range.end
        if not all(isinstance(e, int | float) and math.isfinite(e) for e in ends) or ends[0] == ends[1]:
            return self.full
        return float(min(ends)), float(max(ends))

    def redraw(
        self, recordings: Mapping[str, Recording], names: Sequence[str], pixels: int, keep: bool = False
    ) -> None:
        """Fill the sources for what one looks at; `keep` columns that are not named, for plots about to go."""
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
                time, columns = window(*recording.columns(period, members), start, end, wide)
                drawn = {n: v * shown(recording.run.signal(n).unit)[0] for n, v in columns.items()}
                self._drawn[key] = {"t": time, **drawn}
                data = {"t": time, **{self.column(n): compact(v) for n, v in drawn.items()}}
                self.source(run, period).data = data
        for key in [k for k in self._sources if k[0] not in recordings and not keep]:
            del self._sources[key]
            self._drawn.pop(key, None)

    def extremes(self, run: str, period: Fraction, name: str) -> tuple[float, float] | None:
        """The least and the largest value of what one sees of a curve; None if there is none."""
        drawn = self._drawn.get((run, period), {})
        if name not in drawn:
            return None
        start, end = self.visible()
        time, values = drawn["t"], drawn[name]
        # one more on either side: the line goes on to them
        first = max(0, int(np.searchsorted(time, start)) - 1)
        last = int(np.searchsorted(time, end, side="right")) + 1
        seen = values[first:last]
        seen = seen[np.isfinite(seen)]
        return (float(seen.min()), float(seen.max())) if seen.size else None

    def points(self) -> int:
        """How many points of all curves the browser holds."""
        return sum(len(d["t"]) * (len(d) - 1) for d in self._drawn.values())
