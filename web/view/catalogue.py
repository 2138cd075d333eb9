"""The runs of a folder as rows of a table, from their files but without reading samples."""

from __future__ import annotations

import json
import math
import re
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from drawbar.blocks.core.errors import UsageError, did_you_mean
from drawbar.orchestrator.runs.recorder import RUN_FILE, RUNNING, SIGNALS, TIMING_FILE, chunk_name, period_of

MOST = 500  # rows of the table; of a larger folder the newest runs are shown
PAUSE = 0.3  # s between two looks
QUIET = 60.0  # s without a new file after which a run counts as killed
CASES, HALF_STEP = "cases", "half_step"  # runs that lie inside a run
_LARGEST = 32 << 20  # bytes of a run.json that is read


@dataclass(frozen=True)
class Entry:
    """A run of the folder: `name` identifies it on the page, `folder` is known to Python only.

    `outcome` is that of the run, ``incomplete`` if it is no longer written, or ``unreadable`` with the reason in
    `fault`. `date` is when `outcome` was written, in s since 1970; `simulated` and `stop` are in seconds.
    """

    name: str
    folder: Path
    outcome: str
    date: float
    simulated: float | None = None
    stop: float | None = None
    diagram: str = ""
    fault: str = ""
    stamp: tuple[Any, ...] = ()  # differs whenever something of the run has changed


class Catalogue:
    """The runs directly in a folder, and the runs inside them, newest first.

    Only what is found by listing the folder has a name, so no text from a browser becomes a path. Links are not
    followed, because their targets are not in this folder. The run that was `asked` for is listed in any case.
    """

    def __init__(self, root: Path, asked: Path | None = None) -> None:
        self.root = root
        self._asked = None if asked is None else root / asked.resolve().name
        self.entries: dict[str, Entry] = {}
        self.left_out = 0
        self._known: dict[str, Entry] = {}
        self._next = 0.0

    def refresh(self) -> None:
        """Read the folder again, unless it was read within `PAUSE` or 20 times the duration of a reading."""
        began = time.monotonic()
        if began < self._next:
            return
        folders = _run_folders(self.root)
        listed = folders[:MOST] + [f for f in folders[MOST:] if f == self._asked]
        self.left_out = len(folders) - len(listed)
        known: dict[str, Entry] = {}
        for folder in listed:
            for name, inner in _with_inner(folder):
                stamp = _stamp(inner)
                old = self._known.get(name)
                known[name] = old if old and old.stamp == stamp else _entry(name, inner, stamp)
        now = time.time()
        self._known, self.entries = known, {name: _aged(entry, now) for name, entry in known.items()}
        took = time.monotonic() - began
        self._next = began + max(PAUSE, 20 * took)

    def entry(self, name: str) -> Entry:
        """Return the run of that name; raise `UsageError` if the folder has none."""
        if not isinstance(name, str) or name not in self.entries:
            raise UsageError(f"there is no run '{str(name)[:80]}' here{did_you_mean(str(name)[:80], self.entries)}")
        return self.entries[name]


def _is_run(folder: Path) -> bool:
    return not folder.is_symlink() and folder.is_dir() and (folder / RUN_FILE).is_file()


def _run_folders(root: Path) -> list[Path]:
    try:
        found = [p for p in root.iterdir() if _is_run(p)]
        # by the time of the first write, which does not change during a run
        return sorted(found, key=lambda p: (-_born(p), p.name))
    except OSError:  # the folder or one of its runs was removed just now
        return [p for p in sorted(root.glob("*")) if _is_run(p)] if root.is_dir() else []


def _born(folder: Path) -> float:
    signals = folder / SIGNALS
    return (signals if signals.is_dir() else folder / RUN_FILE).stat().st_mtime


def _with_inner(folder: Path) -> list[tuple[str, Path]]:
    inner = [folder / HALF_STEP, *sorted((folder / CASES).glob("*"))]
    return [(folder.name, folder)] + [
        (f"{folder.name}/{p.name}", p) for p in inner if not p.parent.is_symlink() and _is_run(p)
    ]


def _stamp(folder: Path) -> tuple[Any, ...]:
    """Return a value that differs whenever something of the run has changed."""
    found: list[Any] = []
    places = [folder / RUN_FILE, folder / TIMING_FILE]
    signals = folder / SIGNALS
    places += sorted(signals.iterdir()) if signals.is_dir() else []
    for place in places:
        try:
            state = place.stat()
        except OSError:
            continue
        found.append((place.name, state.st_ino, state.st_mtime, state.st_size))
    return tuple(found)


def _aged(entry: Entry, now: float) -> Entry:
    newest = max((mtime for _, _, mtime, _ in entry.stamp), default=0.0)
    return replace(entry, outcome="incomplete") if entry.outcome == RUNNING and now - newest > QUIET else entry


def _entry(name: str, folder: Path, stamp: tuple[Any, ...]) -> Entry:
    file = folder / RUN_FILE
    date = 0.0
    try:
        state = file.stat()
        date = state.st_mtime
        if state.st_size > _LARGEST:
            raise ValueError(f"its {state.st_size} bytes are too many")
        info, timing = _object(file), _object(folder / TIMING_FILE) if (folder / TIMING_FILE).is_file() else {}
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return Entry(
            name, folder, "unreadable", date, fault=f"{name}: {RUN_FILE} cannot be read: {reason}", stamp=stamp
        )
    outcome = str(info.get("outcome", RUNNING))
    stop = _number(info.get("stop"))
    simulated = _number(timing.get("simulated_s"))
    if simulated is None:
        simulated = stop if outcome == "ok" else _last_time(folder)
    return Entry(name, folder, outcome, date, simulated, stop, str(info.get("diagram", "")), stamp=stamp)


def _object(file: Path) -> dict[str, Any]:
    content = json.loads(file.read_bytes())
    if not isinstance(content, dict):
        raise ValueError("it holds no JSON object")
    return content


def _number(value: Any) -> float | None:
    """Return a value from a file as a finite number; None for anything else, also if no float can hold it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _last_time(folder: Path) -> float | None:
    """Return the time up to which a run is recorded, from the statistics of its last files; no samples are read."""
    ends = []
    signals = folder / SIGNALS
    for place in signals.iterdir() if signals.is_dir() else ():
        if period_of(place.name) is None or not place.is_dir():
            continue
        count = sum(1 for p in place.iterdir() if re.fullmatch(r"[0-9]{5,}\.parquet", p.name))
        try:
            ends.append(float(pq.read_metadata(place / chunk_name(count)).row_group(0).column(0).statistics.max))
        except (pa.ArrowException, OSError, ValueError, TypeError, AttributeError, IndexError):
            continue  # the error is reported when the run is drawn
    return max(ends, default=None)
