"""The samples of a run that are drawn: read once, by column, and updated while the run grows."""

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

MOST_VALUES = 100_000_000  # samples in memory for all pages together, 8 bytes each
_Array = NDArray[np.float64]


class _Growing:
    """A column to which rows are appended without copying all of it each time."""

    def __init__(self) -> None:
        self.files = 0
        self._room: _Array = np.empty(0)
        self._size = 0

    def add(self, values: _Array, files: int) -> None:
        end = self._size + len(values)
        if end > len(self._room):
            # a column read at once rarely grows; one that has grown will grow again
            room = np.empty(end if self._size == 0 else max(end, 2 * len(self._room)))
            room[: self._size] = self._room[: self._size]
            self._room = room
        self._room[self._size : end] = values
        self._size, self.files = end, files

    @property
    def values(self) -> _Array:
        return self._room[: self._size]


class Recording:
    """A run whose columns stay in memory once they were requested.

    Raises `DrawbarError` if the run is damaged or gone.
    """

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.run = Run(entry.folder)
        self.identity = _identity(entry)
        self._kept: dict[tuple[Fraction, str], _Growing] = {}

    def follow(self, entry: Entry) -> None:
        """Continue with the rows that were written since."""
        run = Run(entry.folder)
        if any(run.chunks(p) < self.run.chunks(p) for p in self.periods):
            raise RunError(f"run {entry.name} has lost files; copy the whole run folder again")
        self.run, self.entry = run, entry

    @property
    def stage(self) -> tuple[object, ...]:
        """A value that differs whenever there are more rows or another outcome."""
        return (self.identity, self.run.outcome, *(self.run.chunks(p) for p in self.periods))

    @property
    def periods(self) -> list[Fraction]:
        """The rates that have rows."""
        return _periods(self.run)

    @property
    def size(self) -> int:
        """The number of samples in memory."""
        return sum(len(column.values) for column in self._kept.values())

    def columns(self, period: Fraction, names: Sequence[str]) -> tuple[_Array, dict[str, _Array]]:
        """Return the times of a rate, and scalars recorded at it; integers and Booleans as floats."""
        everything = [TIME, *dict.fromkeys(names)]
        files = self.run.chunks(period)
        behind: dict[int, list[str]] = {}
        for name in everything:
            kept = self._kept.setdefault((period, name), _Growing())
            if kept.files < files:
                behind.setdefault(kept.files, []).append(name)
        for skip, late in behind.items():
            for name, values in zip(late, self.run.read(period, late, skip), strict=True):
                self._kept[period, name].add(np.asarray(values, dtype=np.float64), files)
        found = {name: self._kept[period, name].values for name in everything}
        return found.pop(TIME), found

    def end(self) -> float:
        """Return the time of the last row of any rate, s."""
        ends = [time[-1] for period in self.periods if len(time := self.columns(period, ())[0])]
        return float(max(ends, default=0.0))

    def start(self) -> float:
        """Return the time of the first row of any rate, s."""
        starts = [time[0] for period in self.periods if len(time := self.columns(period, ())[0])]
        return float(min(starts, default=0.0))


class Shelf:
    """The recordings of all open pages; above the limit, the least recently requested is removed first."""

    def __init__(self, most: int = MOST_VALUES) -> None:
        self._most = most
        self._kept: OrderedDict[str, Recording] = OrderedDict()

    def recording(self, entry: Entry) -> Recording:
        """Return the recording of a run with all rows so far; a folder that was written anew is read anew."""
        found = self._kept.get(entry.name)
        if found is None or (found.entry.stamp != entry.stamp and found.identity != _identity(entry)):
            found = self._kept[entry.name] = Recording(entry)
        elif found.entry.stamp != entry.stamp:
            found.follow(entry)
        self._kept.move_to_end(entry.name)
        while len(self._kept) > 1 and sum(r.size for r in self._kept.values()) > self._most:
            self._kept.popitem(last=False)
        return found


def _periods(run: Run) -> list[Fraction]:
    return list(dict.fromkeys(signal.period for signal in run.signals.values()))


def _identity(entry: Entry) -> tuple[int, ...]:
    """Return what stays the same while a run goes on: its first file of each rate, and the folder."""
    try:
        files = sorted(entry.folder.glob("signals/*/00001.parquet"))
        return tuple(f.stat().st_ino for f in [entry.folder, *files])
    except OSError as error:
        raise RunError(f"run {entry.name} is gone: {entry.folder / RUN_FILE} cannot be read") from error
