"""The runs of a folder as rows of a table, and the pictures of their diagrams; no samples are read."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from drawbar.blocks.core.errors import DrawbarError, UsageError, did_you_mean
from drawbar.diagrams import read
from drawbar.diagrams.drawing.picture import svg
from drawbar.diagrams.library import find, names
from drawbar.orchestrator.runs.recorder import (
    CASES,
    HALF_STEP,
    PICTURE_FILE,
    RUN_FILE,
    RUNNING,
    SIGNALS,
    TIMING_FILE,
    chunk_name,
    period_of,
)
from drawbar.web.report.run_folder import by_name

MAX_RUNS = 500  # rows of the table; of a larger folder the newest runs are listed
MIN_INTERVAL = 0.3  # s between two readings of the folder
TIMEOUT = 60.0  # s without a new file after which a run counts as incomplete
_CHOICES = ("step", "algorithm", "seed", "until", "changes", "inputs_sha256", "pace")  # keys of run.json
_MAX_INFO = 32 << 20  # bytes of a run.json; a larger one is not read
_MAX_PICTURE = 16 << 20  # bytes of a picture; a larger one is not shown
_HASH_DIGITS = 8  # enough to tell the inputs of two runs apart


@dataclass(frozen=True)
class Entry:
    """A run of the folder: `name` identifies it on the page, `folder` is known to Python only.

    `outcome` is that of the run, ``incomplete`` if it is no longer written, or ``unreadable`` with the reason in
    `fault`. `date` is when `outcome` was written, in s since 1970; `simulated` and `stop` are in seconds.
    `parameters` are those of the parts by ``part.name``, and what else was chosen for the run, as its macro step.
    """

    name: str
    folder: Path
    outcome: str
    date: float
    simulated: float | None = None
    stop: float | None = None
    diagram: str = ""
    fault: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    stamp: tuple[Any, ...] = ()  # differs whenever something of the run has changed


class Catalogue:
    """The runs directly in a folder, and the runs inside them, newest first.

    Only what is found by listing the folder has a name, so no text from a browser becomes a path. Links are not
    followed, because their targets are not in this folder. The run that was `opened` is listed in any case.
    """

    def __init__(self, root: Path, opened: Path | None = None) -> None:
        self.root = root
        self._opened = None if opened is None else root / opened.resolve().name
        self.entries: dict[str, Entry] = {}
        self.omitted = 0
        self._known: dict[str, Entry] = {}
        self._next = 0.0

    def refresh(self) -> None:
        """Read the folder again, unless it was read within `MIN_INTERVAL` or 20 times the duration of a reading."""
        began = time.monotonic()
        if began < self._next:
            return
        folders = _run_folders(self.root)
        listed = folders[:MAX_RUNS] + [f for f in folders[MAX_RUNS:] if f == self._opened]
        self.omitted = len(folders) - len(listed)
        known: dict[str, Entry] = {}
        for folder in listed:
            for name, inner in _with_inner_runs(folder):
                stamp = _stamp(inner)
                old = self._known.get(name)
                known[name] = old if old and old.stamp == stamp else _entry(name, inner, stamp)
        now = time.time()
        self._known, self.entries = known, {name: _marked_if_incomplete(entry, now) for name, entry in known.items()}
        took = time.monotonic() - began
        self._next = began + max(MIN_INTERVAL, 20 * took)

    def entry(self, name: str) -> Entry:
        """Return the run of that name; raise `UsageError` if the folder has none."""
        if not isinstance(name, str) or name not in self.entries:
            raise UsageError(f"there is no run '{str(name)[:80]}'{did_you_mean(str(name)[:80], self.entries)}")
        return self.entries[name]


class Pictures:
    """The pictures of the diagrams of runs, and that of the opened diagram, if there is one."""

    def __init__(self, diagram: Path | None) -> None:
        self.diagram = diagram
        self.name = "" if diagram is None else read(diagram).name

    def opened(self) -> str:
        """Return the picture of the opened diagram, as its file is now."""
        if self.diagram is None:
            raise UsageError("no diagram is open; start drawbar view DIAGRAM to see one")
        return svg(read(self.diagram))

    def of(self, entry: Entry) -> tuple[str, str]:
        """Return the picture of a run's diagram, and a note about it."""
        file = entry.folder / PICTURE_FILE
        try:
            if file.is_file() and not file.is_symlink() and file.stat().st_size <= _MAX_PICTURE:
                return file.read_text("utf-8", errors="replace"), ""
        except OSError as error:
            raise DrawbarError(f"{file} cannot be read: {error.strerror}") from error
        now = f"{entry.name} contains no picture of its diagram; this is {entry.diagram} as it is now."
        if self.diagram is not None and entry.diagram == self.name:
            return self.opened(), now
        # the name comes from a file of unknown origin, so it must not become a path
        if entry.diagram in names():
            return svg(read(find(entry.diagram))), now
        raise UsageError(
            f"{entry.name} contains no picture of its diagram '{entry.diagram}'; "
            "start drawbar view with the file of that diagram to see it"
        )


def _is_run(folder: Path) -> bool:
    return not folder.is_symlink() and folder.is_dir() and (folder / RUN_FILE).is_file()


def _run_folders(root: Path) -> list[Path]:
    try:
        found = [p for p in root.iterdir() if _is_run(p)]
        # by the time of the first write, which does not change during a run
        return sorted(found, key=lambda p: (-_start_time(p), p.name))
    except OSError:  # the folder or one of its runs was removed just now
        return [p for p in sorted(root.glob("*")) if _is_run(p)] if root.is_dir() else []


def _start_time(folder: Path) -> float:
    signals = folder / SIGNALS
    return (signals if signals.is_dir() else folder / RUN_FILE).stat().st_mtime


def _with_inner_runs(folder: Path) -> list[tuple[str, Path]]:
    inner = [folder / HALF_STEP, *sorted((folder / CASES).glob("*"))]
    return [(folder.name, folder)] + [
        (f"{folder.name}/{p.name}", p) for p in inner if not p.parent.is_symlink() and _is_run(p)
    ]


def _stamp(folder: Path) -> tuple[Any, ...]:
    """Return a value that differs whenever something of the run has changed."""
    found: list[Any] = []
    files = [folder / RUN_FILE, folder / TIMING_FILE]
    signals = folder / SIGNALS
    files += sorted(signals.iterdir()) if signals.is_dir() else []
    for file in files:
        try:
            state = file.stat()
        except OSError:
            continue
        found.append((file.name, state.st_ino, state.st_mtime, state.st_size))
    return tuple(found)


def _marked_if_incomplete(entry: Entry, now: float) -> Entry:
    newest = max((mtime for _, _, mtime, _ in entry.stamp), default=0.0)
    return replace(entry, outcome="incomplete") if entry.outcome == RUNNING and now - newest > TIMEOUT else entry


def _entry(name: str, folder: Path, stamp: tuple[Any, ...]) -> Entry:
    file = folder / RUN_FILE
    date = 0.0
    try:
        state = file.stat()
        date = state.st_mtime
        if state.st_size > _MAX_INFO:
            raise ValueError(f"it is larger than {_MAX_INFO >> 20} MiB")
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
    diagram = str(info.get("diagram", ""))
    return Entry(name, folder, outcome, date, simulated, stop, diagram, "", _parameters(info), stamp)


def _parameters(info: Mapping[str, Any]) -> dict[str, Any]:
    found = {key: info[key] for key in _CHOICES if key in info}
    for values in (info.get("parameters"), info.get("replaced_blocks")):
        found.update(by_name(values) if isinstance(values, Mapping) else ())
    return {name: _in_short(value) for name, value in found.items()}


def _in_short(value: Any) -> Any:
    """Return timed changes as they are typed, ``2:tire.friction=0.3``, and a hash by its first digits."""
    if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value):
        return value[:_HASH_DIGITS]
    if (
        isinstance(value, list)
        and value
        and all(
            isinstance(c, Mapping) and isinstance(c.get("values"), Mapping) and {"time", "part"} <= c.keys()
            for c in value
        )
    ):
        return ", ".join(f"{c['time']}:{c['part']}.{name}={to}" for c in value for name, to in c["values"].items())
    return value


def _object(file: Path) -> dict[str, Any]:
    content = json.loads(file.read_bytes())
    if not isinstance(content, dict):
        raise ValueError("it contains no JSON object")
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
    for rate in signals.iterdir() if signals.is_dir() else ():
        if period_of(rate.name) is None or not rate.is_dir():
            continue
        count = sum(1 for p in rate.iterdir() if re.fullmatch(r"[0-9]{5,}\.parquet", p.name))
        try:
            ends.append(float(pq.read_metadata(rate / chunk_name(count)).row_group(0).column(0).statistics.max))
        except (pa.ArrowException, OSError, ValueError, TypeError, AttributeError, IndexError):
            continue  # the error is reported when the run is drawn
    return max(ends, default=None)
