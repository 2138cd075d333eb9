"""The samples of a run in memory: read once, by column, and extended while the run grows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import RunError
from drawbar.orchestrator.runs.recorder import RUN_FILE, TIME
from drawbar.orchestrator.runs.run import Run
from drawbar.web.view.catalogue import Entry

MAX_SAMPLES = 100_000_000  # in memory for all pages together, 8 bytes each
_Array = NDArray[np.float64]


class _GrowingColumn:
    """A column to which rows are appended without copying all of it each time."""

    def __init__(self) -> None:
        self.files = 0
        self._buffer: _Array = np.empty(0)
        self._size = 0

    def add(self, values: _Array, files: int) -> None:
        end = self._size + len(values)
        if end > len(self._buffer):
            # a column that was read at once rarely grows; one that has grown will grow again
            buffer = np.empty(end if self._size == 0 else max(end, 2 * len(self._buffer)))
            buffer[: self._size] = self._buffer[: self._size]
            self._buffer = buffer
        self._buffer[self._size : end] = values
        self._size, self.files = end, files

    @property
    def values(self) -> _Array:
        return self._buffer[: self._size]


class Recording:
    """A run whose columns stay in memory once they were requested.

    Raise `DrawbarError` if the run is damaged or no longer exists.
    """

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.run = Run(entry.folder)
        self.identity = _identity(entry)
        self._columns: dict[tuple[Fraction, str], _GrowingColumn] = {}

    def update(self, entry: Entry) -> None:
        """Take in the rows that were written since."""
        run = Run(entry.folder)
        if any(run.chunks(p) < self.run.chunks(p) for p in self.periods):
            raise RunError(f"files of run {entry.name} are missing; copy the whole run folder again")
        self.run, self.entry = run, entry

    @property
    def version(self) -> tuple[object, ...]:
        """A value that changes with the number of rows and with the outcome."""
        return (self.identity, self.run.outcome, *(self.run.chunks(p) for p in self.periods))

    @property
    def periods(self) -> list[Fraction]:
        """The rates that have rows."""
        return _periods(self.run)

    @property
    def size(self) -> int:
        """The number of samples in memory."""
        return sum(len(column.values) for column in self._columns.values())

    def columns(self, period: Fraction, names: Sequence[str]) -> tuple[_Array, dict[str, _Array]]:
        """Return the times of a rate, and scalars recorded at it; integers and Booleans as floats."""
        everything = [TIME, *dict.fromkeys(names)]
        files = self.run.chunks(period)
        behind: dict[int, list[str]] = {}
        for name in everything:
            column = self._columns.setdefault((period, name), _GrowingColumn())
            if column.files < files:
                behind.setdefault(column.files, []).append(name)
        for skip, late in behind.items():
            for name, values in zip(late, self.run.read(period, late, skip), strict=True):
                self._columns[period, name].add(np.asarray(values, dtype=np.float64), files)
        found = {name: self._columns[period, name].values for name in everything}
        return found.pop(TIME), found

    def end(self) -> float:
        """Return the time of the last row of any rate, s."""
        ends = [time[-1] for period in self.periods if len(time := self.columns(period, ())[0])]
        return float(max(ends, default=0.0))

    def start(self) -> float:
        """Return the time of the first row of any rate, s."""
        starts = [time[0] for period in self.periods if len(time := self.columns(period, ())[0])]
        return float(min(starts, default=0.0))


class RecordingCache:
    """The recordings of all open pages; beyond the limit, the least recently used is removed first."""

    def __init__(self, limit: int = MAX_SAMPLES) -> None:
        self._limit = limit
        self._recordings: OrderedDict[str, Recording] = OrderedDict()

    def recording(self, entry: Entry) -> Recording:
        """Return the recording of a run with all rows so far; a folder that was replaced is read anew."""
        found = self._recordings.get(entry.name)
        if found is None or (found.entry.stamp != entry.stamp and found.identity != _identity(entry)):
            found = self._recordings[entry.name] = Recording(entry)
        elif found.entry.stamp != entry.stamp:
            found.update(entry)
        self._recordings.move_to_end(entry.name)
        while len(self._recordings) > 1 and sum(r.size for r in self._recordings.values()) > self._limit:
            self._recordings.popitem(last=False)
        return found


def _periods(run: Run) -> list[Fraction]:
    return list(dict.fromkeys(signal.period for signal in run.signals.values()))


def _identity(entry: Entry) -> tuple[int, ...]:
    """Return what identifies a run while it goes on: its folder and its first file of each rate."""
    try:
        files = sorted(entry.folder.glob("signals/*/00001.parquet"))
        return tuple(f.stat().st_ino for f in [entry.folder, *files])
    except OSError as error:
        raise RunError(f"run {entry.name} no longer exists: {entry.folder / RUN_FILE} cannot be read") from error
