"""Reads a run: signals by name, with arrays folded, whatever state the run was left in."""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from drawbar.blocks.core.arrays import complete_array, split
from drawbar.blocks.core.errors import RunError, UsageError, did_you_mean
from drawbar.blocks.core.interface import scalar_names
from drawbar.orchestrator.runs.recorder import RUN_FILE, RUNNING, SIGNALS, TIME, TIMING_FILE, chunk_name, period_of

# keys of run.json that were renamed
RENAMED_KEYS = {
    "units": "fmus",
    "remarks": "accuracy_notes",
    "changed": "settings",
    "used": "replaced_blocks",
}


@dataclass(frozen=True)
class Signal:
    """What was recorded under one name.

    `columns` are its scalars in row-major order; `shape` is ``()`` for a scalar.
    """

    name: str
    unit: str
    period: Fraction
    type: str = "Real"
    description: str = ""
    shape: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()
    variability: str = "continuous"

    @property
    def held(self) -> bool:
        """True if a sample is the value until the next one: a discrete variable, or one that is no Real."""
        return self.type != "Real" or self.variability != "continuous"


class Run:
    """A recorded run, read from its folder.

    ``run["vehicle.wheel_load"]`` is an array with one row per sample, ``run["vehicle.wheel_load[1]"]`` one of its
    columns (under its FMI name, which counts from 1 in blocks), and ``run.time(name)`` the times of those samples. A
    run that is still being written, or was killed, is readable up to its last complete chunk; `complete` is then False.

    Raise `UsageError` if the folder is not a run, `RunError` if one of its files is damaged.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.info = _read_info(self.folder)
        self.timing = _read_object(self.folder / TIMING_FILE) if (self.folder / TIMING_FILE).is_file() else {}
        self._chunks = _find_chunks(self.folder)
        self._times: dict[Fraction, NDArray[np.float64]] = {}
        self._schemas = {period: _schema(files[0]) for period, files in self._chunks.items()}
        self._scalars = self._read_scalars()
        self.signals = _fold(self._scalars)

    @property
    def outcome(self) -> str:
        """``ok``, ``running`` for a run that was never finished, or what stopped it."""
        return str(self.info.get("outcome", RUNNING))

    @property
    def complete(self) -> bool:
        """Whether the run was closed, with any outcome; a run that is in progress or was killed is not."""
        return self.outcome != RUNNING

    def __getitem__(self, name: str) -> NDArray[Any]:
        signal = self.signal(name)
        values = self.read(signal.period, signal.columns)
        return values[0] if not signal.shape else np.stack(values, axis=1).reshape(-1, *signal.shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self.signals)

    def __contains__(self, name: object) -> bool:
        return name in self.signals or name in self._scalars

    def signal(self, name: str) -> Signal:
        """Return the facts of a signal, or of one element of an array."""
        found = self.signals.get(name) or self._scalars.get(name)
        if found is None:
            raise UsageError(f"run {self.folder} has no signal '{name}'{did_you_mean(name, self.signals)}")
        return found

    def time(self, name: str) -> NDArray[np.float64]:
        """Return the times in seconds at which a signal was recorded."""
        period = self.signal(name).period
        if period not in self._times:
            self._times[period] = self.read(period, (TIME,))[0]
        return self._times[period]

    def select(self, patterns: Iterable[str]) -> list[str]:
        """Return the signals that match any of the patterns (``vehicle.*``; brackets are literal), in their order."""
        chosen: dict[str, None] = {}
        for pattern in patterns:
            plain = pattern.replace("[", "[[]")
            found = [pattern] if pattern in self else fnmatch.filter(self.signals, plain)
            found = found or fnmatch.filter(self._scalars, plain)
            if not found:
                raise UsageError(f"run {self.folder} has no signal '{pattern}'{did_you_mean(pattern, self.signals)}")
            chosen.update(dict.fromkeys(found))
        return list(chosen)

    def chunks(self, period: Fraction) -> int:
        """Return the number of complete files of a rate."""
        return len(self._chunks.get(period, ()))

    def changes(self, column: str) -> bool:
        """Return whether a scalar has two different values, by the statistics of its files; no samples are read."""
        limits = []
        for path in self._chunks[self.signal(column).period]:
            try:
                group = pq.read_metadata(path).row_group(0)
                found = group.column(self._schemas[self.signal(column).period].get_field_index(column)).statistics
            except (pa.ArrowException, OSError, ValueError, IndexError) as error:
                raise _damaged(path, error) from error
            if found is None or not found.has_min_max:
                return True
            limits += [found.min, found.max]
        return len(set(limits)) > 1

    def read(self, period: Fraction, columns: Sequence[str], skip: int = 0) -> list[NDArray[Any]]:
        """Return scalar columns of one rate (``time`` is one of them), without the rows of the first `skip` files.

        Nothing else is read from the disk. A run in progress is followed by skipping the files that were read before.
        """
        parts: list[list[NDArray[Any]]] = []
        for path in self._chunks[period][skip:]:
            try:
                with pq.ParquetFile(path) as file:
                    if not file.schema_arrow.equals(self._schemas[period]):
                        raise RunError(f"{path} has other columns than the chunks before it; it is not of this run")
                    table = file.read(columns=list(columns), use_threads=False)
            except (pa.ArrowException, OSError, ValueError) as error:
                raise _damaged(path, error) from error
            parts.append([table.column(name).to_numpy() for name in columns])
        if not parts:
            return [np.empty(0) for _ in columns]
        return [np.concatenate(column) for column in zip(*parts, strict=True)]

    def _read_scalars(self) -> dict[str, Signal]:
        scalars: dict[str, Signal] = {}
        for period, schema in self._schemas.items():
            names = schema.names
            if names[:1] != [TIME] or len(set(names)) < len(names) or scalars.keys() & set(names):
                raise RunError(f"{self._chunks[period][0]} is no recording: times missing, or a column twice")
            for field in list(schema)[1:]:
                facts = {k.decode(): v.decode(errors="replace") for k, v in (field.metadata or {}).items()}
                scalars[field.name] = Signal(
                    field.name,
                    facts.get("unit", "1"),
                    period,
                    facts.get("type", "Real"),
                    facts.get("description", ""),
                    columns=(field.name,),
                    variability=facts.get("variability", "continuous"),
                )
        return scalars


def _fold(scalars: Mapping[str, Signal]) -> dict[str, Signal]:
    """Return arrays as one signal each if all their elements were recorded; incomplete arrays remain scalars."""
    groups: dict[str, list[Signal]] = {}
    for signal in scalars.values():
        groups.setdefault(split(signal.name)[0], []).append(signal)
    folded: dict[str, Signal] = {}
    for name, members in groups.items():
        whole = _whole(name, members)
        folded.update({whole.name: whole} if whole else {m.name: m for m in members})
    return folded


def _whole(name: str, members: list[Signal]) -> Signal | None:
    extent = complete_array(split(m.name)[1] for m in members)
    if extent is None or len({(m.unit, m.period, m.type, m.variability) for m in members}) != 1:
        return None
    one = members[0]
    columns = tuple(scalar_names(name, *extent))
    return Signal(name, one.unit, one.period, one.type, one.description, extent.shape, columns, one.variability)


def _find_chunks(folder: Path) -> dict[Fraction, list[Path]]:
    """Return the chunks of each rate in order; names that a recorder never writes are ignored."""
    root = folder / SIGNALS
    found: dict[Fraction, list[Path]] = {}
    for place in sorted(root.iterdir()) if root.is_dir() else []:
        period = period_of(place.name)
        if period is None or not place.is_dir():
            continue
        count = sum(1 for p in place.iterdir() if re.fullmatch(r"[0-9]{5,}\.parquet", p.name))
        files = [place / chunk_name(n) for n in range(1, count + 1)]
        for path in files:
            if not path.is_file():
                raise RunError(f"{path} is missing though later chunks are there; copy the whole run folder again")
        if files:
            found[period] = files
    return dict(sorted(found.items()))


def _schema(path: Path) -> Any:
    try:
        return pq.read_schema(path)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> RunError:
    return RunError(f"{path} is damaged and cannot be read ({str(error).splitlines()[0]}); run the diagram again")


def _read_info(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise UsageError(f"no run at {folder}: it {what}; name the folder that drawbar run printed")
    if not (folder / RUN_FILE).is_file():
        inside = sorted(p.parent.name for p in folder.glob(f"*/{RUN_FILE}"))
        hint = f"; runs inside it: {', '.join(inside[-5:])}" if inside else "; name the folder that drawbar run printed"
        raise UsageError(f"{folder} is no run, it has no {RUN_FILE}{hint}")
    info = _read_object(folder / RUN_FILE)
    if old := [key for key in RENAMED_KEYS if key in info]:
        now = ", ".join(f"'{key}' is now '{RENAMED_KEYS[key]}'" for key in old)
        raise RunError(f"{folder / RUN_FILE} was written by an earlier version: {now}; run the diagram again")
    return info


def _read_object(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise RunError(f"{path} is damaged and cannot be read ({error}); run the diagram again") from error
    if not isinstance(content, dict):
        raise RunError(f"{path} holds no JSON object but {type(content).__name__}; run the diagram again")
    return content
