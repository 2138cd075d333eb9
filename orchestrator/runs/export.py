"""A run as files of other programs: CSV tables with their metadata, or one MAT file.

CSV in FMPy's convention, which ``drawbar run --input`` reads too: the column ``time`` in seconds, then one column for
each scalar under its FMI name. Each rate has a table of its own. Units and types are in ``TABLE.csv-metadata.json``
beside a table, in the W3C's form (Metadata Vocabulary for Tabular Data).

In a MAT file ``vehicle.wheel_load`` is a structure with ``values``, one row for each sample and arrays in their shape,
``time``, ``period``, ``unit``, ``description`` and the ``name``; in MATLAB, ``plot(vehicle.wheel_load.time,
vehicle.wheel_load.values)``.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
from scipy.io import savemat

from drawbar.blocks.core.errors import RunError, UsageError
from drawbar.orchestrator.runs.recorder import TIME, period_text, write_whole
from drawbar.orchestrator.runs.run import Run, Signal

MAX_NAME = 63  # characters of a name in MATLAB
MAX_MAT_BYTES = 2**31 - 1  # of one array in a MAT file of version 5
MAT_HEADER = b"MATLAB 5.0 MAT-file, written by Drawbar".ljust(116)
DATATYPES = {"Real": "double", "Integer": "integer", "Boolean": "boolean", "Enumeration": "integer"}


def export_csv(run: Run, file: Path, patterns: Sequence[str] = ("*",)) -> list[Path]:
    """Write the signals that match as CSV, one table for each rate, with metadata; return the tables.

    With several rates a table is named by its period too: ``run-0.001s.csv``.
    """
    rates = _by_rate(run, patterns)
    written = []
    for period, signals in rates.items():
        suffix = f"-{period_text(period)}" if len(rates) > 1 else ""
        table = file.with_name(f"{file.stem}{suffix}{file.suffix}")
        columns = [column for signal in signals for column in signal.columns]
        values = run.read(period, (TIME, *columns))
        content = io.BytesIO()
        pa_csv.write_csv(pa.table(dict(zip((TIME, *columns), values, strict=True))), content)
        write_whole(table, content.getvalue())
        write_whole(table.with_name(f"{table.name}-metadata.json"), _metadata(table.name, period, signals))
        written.append(table)
    return written


def export_mat(run: Run, file: Path, patterns: Sequence[str] = ("*",)) -> list[Path]:
    """Write the signals that match as one MAT file of version 5; return it."""
    root: dict[str, Any] = {}
    for signals in _by_rate(run, patterns).values():
        for signal in signals:
            values, time = run[signal.name], run.time(signal.name)
            if values.nbytes > MAX_MAT_BYTES:
                raise UsageError(f"{signal.name} is too large for a MAT file: export fewer signals, or CSV")
            facts = {"name": signal.name, "unit": signal.unit, "description": signal.description}
            leaf = {"values": values, "time": time, "period": float(signal.period), **facts}
            _place(root, re.split(r"\.(?![^\[]*\])", signal.name), leaf)
    content = io.BytesIO()
    savemat(content, root, long_field_names=True, do_compression=True, oned_as="column")
    written = bytearray(content.getvalue())
    written[: len(MAT_HEADER)] = MAT_HEADER  # scipy writes the time of day there
    write_whole(file, bytes(written))
    return [file]


def _by_rate(run: Run, patterns: Iterable[str]) -> dict[Fraction, list[Signal]]:
    """Return the signals that match by their period, the fastest first."""
    if not run.signals:
        raise RunError(f"{run.folder} has no signals to export")
    found: dict[Fraction, list[Signal]] = {}
    for name in run.select(patterns):
        signal = run.signal(name)
        found.setdefault(signal.period, []).append(signal)
    return dict(sorted(found.items()))


def _metadata(table: str, period: Fraction, signals: Iterable[Signal]) -> bytes:
    columns = [{"name": TIME, "titles": TIME, "datatype": "double", "schema:unitText": "s"}]
    for signal in signals:
        for column in signal.columns:
            facts = {"name": column, "titles": column, "datatype": DATATYPES.get(signal.type, "string")}
            columns.append(facts | {"schema:unitText": signal.unit, "dc:description": signal.description})
    content = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": table,
        "dc:description": f"sampled every {period_text(period)}",
        "tableSchema": {"columns": columns, "primaryKey": TIME},
    }
    return (json.dumps(content, indent=1) + "\n").encode()


def _place(root: dict[str, Any], path: Sequence[str], leaf: Mapping[str, Any]) -> None:
    """Put a signal into nested structures, under names that MATLAB takes and that nothing else has."""
    at = root
    for word in path[:-1]:
        at = at.setdefault(_identifier(word), {})
    name, number = _identifier(path[-1]), 1
    while name in at:
        number += 1
        name = f"{_identifier(path[-1])[: MAX_NAME - 4]}_{number}"
    at[name] = dict(leaf)


def _identifier(word: str) -> str:
    name = re.sub(r"[^0-9A-Za-z_]", "_", word.removesuffix("]"))
    return (name if name[:1].isalpha() else f"x{name}")[:MAX_NAME]
