"""Writes a run: a folder that is readable at every moment.

::

    run.json                     what was run: diagram, hashes, parameters, outcome
    timing.json                  wall times; the only file that differs between equal runs
    diagram.svg                  the picture of the diagram
    signals/0.001s/00001.parquet rows of all signals sampled every 0.001 s, one file per chunk
    signals/1over30s/...         a period that is no short decimal is written as a fraction

A chunk is written under a temporary name, synced and renamed, so a run that is killed retains every chunk that was
complete, and its `run.json` still has the outcome ``running``. Equal rows give equal bytes: no time stamps, one thread,
one row group per chunk.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from drawbar.blocks.core.errors import RunError, UsageError

RUN_FILE = "run.json"
TIMING_FILE = "timing.json"
PICTURE_FILE = "diagram.svg"
SIGNALS = "signals"
CASES, HALF_STEP = "cases", "half_step"  # folders of the runs that lie inside a run
TIME = "time"
RUNNING = "running"

# most decimals in a folder name; a longer period is written as a fraction
_DECIMALS = 12


@dataclass(frozen=True)
class Column:
    """One recorded scalar: its FMI name after that of the part (``vehicle.wheel_load[1]``), unit, and FMI facts."""

    name: str
    unit: str
    type: str = "Real"  # Real, Integer, Enumeration, Boolean
    description: str = ""
    variability: str = "continuous"  # discrete: the value is held from one sample to the next


@dataclass(frozen=True)
class Rate:
    """The scalars that are recorded every `period` seconds."""

    period: Fraction
    columns: tuple[Column, ...]


class Recorder:
    """Writes a run into an empty or new folder.

    `info` becomes `run.json` at once, with the outcome ``running``; `finish` replaces the outcome. Raise `UsageError`
    before a byte is written if the folder contains anything. A later change of the working directory has no effect.
    """

    def __init__(self, folder: Path | str, info: Mapping[str, Any], rates: Sequence[Rate]) -> None:
        self.folder = Path(folder)
        self._take(info, rates)
        _claim(self.folder)
        self._place = self.folder.absolute()
        for rate in self._rates:
            (self._place / SIGNALS / period_text(rate.period)).mkdir(parents=True, exist_ok=True)
        self._write_info(RUNNING, None)

    def _take(self, info: Mapping[str, Any], rates: Sequence[Rate]) -> None:
        self._info = dict(info)
        self._rates = tuple(rates)
        self._schemas = _schemas(self._rates)
        # for each rate its number of chunks and the time of its last row, in one tuple that is replaced at once
        self._written = [(0, -math.inf)] * len(self._rates)
        self._finished = False

    @classmethod
    def resume(cls, folder: Path, rates: Sequence[Rate]) -> Recorder:
        """Return a recorder that continues a run whose own process can no longer finish it."""
        made = cls.__new__(cls)
        made.folder, made._place = folder, folder.absolute()
        info = json.loads((folder / RUN_FILE).read_bytes())
        made._take({k: v for k, v in info.items() if k not in ("outcome", "message")}, rates)
        for i, rate in enumerate(rates):
            place = folder / SIGNALS / period_text(rate.period)
            count = sum(1 for p in place.iterdir() if re.fullmatch(r"[0-9]{5,}\.parquet", p.name))
            if count:
                times = pq.read_table(place / chunk_name(count), columns=[TIME], use_threads=False).column(TIME)
                made._written[i] = (count, float(times[-1].as_py()))
            for part in place.glob(".*.part"):  # a chunk that was being written; its rows are still in memory
                part.unlink(missing_ok=True)
        return made

    def write(self, rate_index: int, rows: NDArray[np.float64]) -> None:
        """Write rows of one rate as one chunk; column 0 is the time in seconds, then the rate's columns in order.

        Rows that are written already are left out, so a write that was interrupted can be repeated.
        """
        if self._finished:
            raise ValueError("the recording is finished; no rows can be added")
        schema = self._schemas[rate_index]
        if rows.ndim != 2 or rows.shape[1] != len(schema):
            raise ValueError(f"rows have shape {rows.shape}; rate {rate_index} needs (n, {len(schema)}), time first")
        count, last = self._written[rate_index]
        rows = rows[rows[:, 0] > last]
        if not len(rows):
            return
        arrays = [_array(rows[:, i], schema.field(i)) for i in range(len(schema))]
        table = pa.Table.from_arrays(arrays, schema=schema)
        sink = pa.BufferOutputStream()
        pq.write_table(
            table,
            sink,
            row_group_size=len(rows),
            use_dictionary=False,  # samples hardly repeat
            use_byte_stream_split=[f.name for f in schema if pa.types.is_floating(f.type)],
            compression="zstd",
            compression_level=1,
        )
        place = self._place / SIGNALS / period_text(self._rates[rate_index].period)
        write_whole(place / chunk_name(count + 1), sink.getvalue().to_pybytes())
        self._written[rate_index] = (count + 1, float(rows[-1, 0]))

    def add_accuracy_notes(self, notes: Sequence[str]) -> None:
        """Add notes to run.json that are known only after the parts are initialized."""
        self._info["accuracy_notes"] = [*self._info.get("accuracy_notes", ()), *notes]

    def finish(
        self,
        outcome: str,
        message: str | None = None,
        timing: Mapping[str, Any] | None = None,
        messages: Mapping[str, Any] | None = None,
    ) -> None:
        """Close the run: `outcome` is ``ok`` or what stopped it, `message` the sentence for people.

        `messages` are those of the FMUs by part.
        """
        if self._finished:
            raise ValueError("the recording is finished already")
        write_whole(self._place / TIMING_FILE, json_bytes(timing or {}))
        self._write_info(outcome, message, messages)
        self._finished = True  # after the last write, so that a failed or interrupted call can be repeated

    def _write_info(self, outcome: str, message: str | None, messages: Mapping[str, Any] | None = None) -> None:
        info = {**self._info, "outcome": outcome, **({"messages": messages} if messages else {})}
        if message is not None:
            info["message"] = message
        write_whole(self._place / RUN_FILE, json_bytes(info))


def period_text(period: Fraction) -> str:
    """Return the folder name of a period, which is exact: ``0.001s``, ``2s``, ``1over30s``."""
    if period <= 0:
        raise ValueError(f"a period of {period} s is not positive")
    rest, twos, fives = period.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    digits = max(twos, fives)
    if rest != 1 or digits > _DECIMALS:
        return f"{period.numerator}over{period.denominator}s"
    scaled = str(int(period * 10**digits)).rjust(digits + 1, "0")
    return f"{scaled[:-digits]}.{scaled[-digits:]}s" if digits else f"{scaled}s"


def period_of(text: str) -> Fraction | None:
    """Return the period of a folder name, or None if `period_text` never writes that name."""
    if not re.fullmatch(r"[0-9]{1,20}(\.[0-9]{1,12})?s|[0-9]{1,20}over[0-9]{1,20}s", text):
        return None
    upper, _, lower = text[:-1].partition("over")
    if lower and int(lower) == 0:
        return None
    period = Fraction(upper) / (int(lower) if lower else 1)
    return period if period > 0 and period_text(period) == text else None


def chunk_name(number: int) -> str:
    """Return the file name of a chunk by its number, counted from 1."""
    return f"{number:05d}.parquet"


def folder_name(name: str) -> str:
    """Return a name made safe as part of a path: all but letters, digits, dots and hyphens become underscores."""
    return "".join(c if c.isalnum() or c in ".-" else "_" for c in name).strip(".") or "unnamed"


def next_folder(name: str) -> Path:
    """Make a new folder ``runs/<name>-<number>``; two runs that start at the same time get one each.

    The name may come from a file, so it is made safe as part of a path.
    """
    name = folder_name(name)[:80]
    try:
        Path("runs").mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"output folder runs cannot be made: {error.strerror or error}; name one that you may write to (--out)"
        ) from None
    names = [p.name.rpartition("-") for p in Path("runs").glob(f"{name}-*")]
    number = 1 + max((int(n) for stem, _, n in names if stem == name and n.isdigit()), default=0)
    while True:
        folder = Path("runs") / f"{name}-{number:03d}"
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder


def _claim(folder: Path) -> None:
    try:
        if folder.is_dir():
            found = sorted(p.name for p in folder.iterdir())
            if found:
                shown = ", ".join(found[:3]) + (", ..." if len(found) > 3 else "")
                raise UsageError(
                    f"output folder {folder} is not empty (it holds {shown}); name another one or delete it first"
                )
        elif folder.exists():
            raise UsageError(f"output folder {folder} is a file; name a folder that is empty or does not exist yet")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"output folder {folder} cannot be made: {error.strerror or error}; name one that you may write to"
        ) from error


def _schemas(rates: Sequence[Rate]) -> list[Any]:
    periods = [rate.period for rate in rates]
    names = [column.name for rate in rates for column in rate.columns]
    for kind, values in (("period", [period_text(p) for p in periods]), ("column", [TIME, *names])):
        twice = sorted({v for v in values if values.count(v) > 1}) if len(set(values)) < len(values) else []
        if twice:
            raise ValueError(f"{kind} {twice[0]!r} is recorded twice")
    time = Column(TIME, "s", description="simulated time")
    return [pa.schema([_field(column) for column in (time, *rate.columns)]) for rate in rates]


def _field(column: Column) -> Any:
    kinds = {"Real": pa.float64(), "Integer": pa.int64(), "Enumeration": pa.int64(), "Boolean": pa.bool_()}
    if column.type not in kinds:
        raise ValueError(
            f"column {column.name!r}: type {column.type!r} cannot be recorded; there are {', '.join(kinds)}"
        )
    facts = {"unit": column.unit, "type": column.type, "description": column.description}
    if column.variability != "continuous":
        facts["variability"] = column.variability
    return pa.field(column.name, kinds[column.type], nullable=False, metadata=facts)


def _array(values: NDArray[np.float64], field: Any) -> Any:
    if pa.types.is_floating(field.type):
        return pa.array(np.ascontiguousarray(values, dtype=np.float64))
    bad = values[~np.isfinite(values) | (values != np.rint(values))]
    if len(bad):
        raise RunError(f"{field.name} is no Real but was recorded as {bad[0]!r}; whole numbers are expected")
    return pa.array(values != 0) if pa.types.is_boolean(field.type) else pa.array(values.astype(np.int64))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file completely or not at all, even if the machine stops."""
    part = path.with_name(f".{path.name}.part")  # readers of a data set skip names with a leading dot
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        if os.name == "posix":  # the rename itself is durable once the folder is synced
            handle = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
    except OSError as error:
        raise RunError(
            f"{path} could not be written: {error.strerror or error}; what is there already is kept"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def json_bytes(content: Mapping[str, Any]) -> bytes:
    """Return the text of a JSON file of a run."""
    return (json.dumps(plain(content), indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it; numbers that JSON lacks become text (``inf``)."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Fraction | Path):
        return str(value)
    return value
