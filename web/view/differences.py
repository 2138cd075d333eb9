"""The differences of the shown runs to the first of them, which are drawn as runs are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from drawbar.orchestrator.runs.difference import RunDifference, deviation
from drawbar.orchestrator.runs.recorder import TIME
from drawbar.web.report.style import deviation_texts
from drawbar.web.view.recording import Recording

_Array = NDArray[np.float64]


class DifferenceRecording(Recording):
    """The difference of two recordings, drawn as a recording is; the columns read last stay in memory."""

    def __init__(self, baseline: Recording, other: Recording) -> None:
        self._pair = baseline, other
        self.run = RunDifference(baseline.run, other.run)
        self._last: tuple[tuple[Fraction, tuple[str, ...]], tuple[_Array, dict[str, _Array]]] | None = None

    @property
    def version(self) -> tuple[object, ...]:
        """A value that changes with the rows of either run."""
        return tuple(one.version for one in self._pair)

    def columns(self, period: Fraction, names: Sequence[str]) -> tuple[_Array, dict[str, _Array]]:
        """Return the times of the differences of some scalars, and these."""
        key = period, tuple(dict.fromkeys(names))
        if self._last is None or self._last[0] != key:
            time, *values = self.run.read(period, (TIME, *key[1]))
            self._last = key, (time, dict(zip(key[1], values, strict=True)))
        return self._last[1]

    def start(self) -> float:
        """Return the later beginning of the two runs, s."""
        return max(one.start() for one in self._pair)

    def end(self) -> float:
        """Return the earlier end of the two runs, s."""
        return min(one.end() for one in self._pair)

    def deviations(self, names: Sequence[str]) -> list[tuple[str, str, str, str]]:
        """Return signal, largest difference, its time and root mean square of some scalars, as texts."""
        found = []
        for name in names:
            if name in self.run:
                signal = self.run.signal(name)
                time, values = self.columns(signal.period, (name,))
                found.append(deviation_texts(deviation(name, signal.unit, time, values[name], signal.held)))
        return found


def differences(
    recordings: Mapping[str, Recording], known: Mapping[str, DifferenceRecording]
) -> dict[str, DifferenceRecording]:
    """Return the difference of each further recording to the first, by its title; unchanged `known` ones are kept."""
    if not recordings:
        return {}
    (first, baseline), *others = recordings.items()
    made: dict[str, DifferenceRecording] = {}
    for name, other in others:
        one = DifferenceRecording(baseline, other)
        title = f"{_short(name, recordings)} \N{MINUS SIGN} {_short(first, recordings)}"
        old = known.get(title)
        made[title] = old if old is not None and old.version == one.version else one
    return made


def _short(name: str, recordings: Mapping[str, Recording]) -> str:
    """Return the name of a run inside another one without that of the other, if it is the only one."""
    short = name.rpartition("/")[2]
    return short if [n.rpartition("/")[2] for n in recordings].count(short) == 1 else name.replace("/", " ")
