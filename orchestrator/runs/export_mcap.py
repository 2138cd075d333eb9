"""A run as an MCAP file, for Foxglove and other viewers of logs.

Each part is a topic, ``/vehicle``, with a message for each of its sample times: a JSON object with the signals by their
names, ``{"speed": 15.2, "hub": {"force": [0.1, 2.5]}}``, and a JSON schema with units, types and descriptions. Arrays
count from 0 there. A message has the signals that were sampled at its time; what is no finite number is null, because
JSON has no word for it. Times are exact ticks of the run, in nanoseconds since its time 0.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import RunError, UsageError
from drawbar.orchestrator.runs.recorder import write_whole
from drawbar.orchestrator.runs.run import Run, Signal

SECOND = 10**9  # ns
JSON_TYPES = {"Real": "number", "Integer": "integer", "Enumeration": "integer", "Boolean": "boolean"}


def export_mcap(run: Run, file: Path, patterns: Sequence[str] = ("*",)) -> list[Path]:
    """Write the signals that match as one MCAP file; return it.

    Raise `UsageError` if the package mcap is not installed.
    """
    try:
        from mcap.writer import Writer
    except ImportError:
        raise UsageError("MCAP files are written by the package mcap: pip install 'drawbar[mcap]'") from None
    if not run.signals:
        raise RunError(f"{run.folder} has no signals to export")
    topics = _topics(run, run.select(patterns))
    content = io.BytesIO()
    writer = Writer(content)
    writer.start(profile="", library="drawbar")
    channels = {}
    for name, signals in topics.items():
        schema = json.dumps(_schema(signals)).encode()
        schema_id = writer.register_schema(name=name, encoding="jsonschema", data=schema)
        channels[name] = writer.register_channel(topic=f"/{name}", message_encoding="json", schema_id=schema_id)
    number = dict.fromkeys(topics, 0)
    messages = [_messages(run, name, signals) for name, signals in topics.items()]
    for time, name, message in sorted((m for part in messages for m in part), key=lambda m: m[0]):  # stable
        data = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
        writer.add_message(channels[name], log_time=time, data=data, publish_time=time, sequence=number[name])
        number[name] += 1
    writer.finish()
    write_whole(file, content.getvalue())
    return [file]


def _topics(run: Run, names: Iterable[str]) -> dict[str, dict[tuple[str, ...], Signal]]:
    """Return the signals of each part by the path of their names in it."""
    parts = sorted(run.info.get("fmus") or (), key=len, reverse=True)
    topics: dict[str, dict[tuple[str, ...], Signal]] = {}
    chosen = dict.fromkeys(names)
    for name in chosen:
        part = next((p for p in parts if name.startswith(f"{p}.")), name.partition(".")[0])
        words = name.removeprefix(f"{part}.").split(".")
        # FMI allows a variable x beside x.y: x is no object then, and x.y keeps its dot
        joined = (i for i in range(1, len(words)) if ".".join([part, *words[:i]]) in chosen)
        if (i := next(joined, 0)) > 0:
            words = [*words[: i - 1], ".".join(words[i - 1 :])]
        topics.setdefault(part, {})[tuple(words)] = run.signal(name)
    return topics


def _schema(signals: Mapping[tuple[str, ...], Signal]) -> dict[str, Any]:
    root: dict[str, Any] = {"type": "object", "properties": {}}
    for path, signal in signals.items():
        at = root
        for word in path[:-1]:
            at = at["properties"].setdefault(word, {"type": "object", "properties": {}})
        kind = JSON_TYPES.get(signal.type, "number")
        leaf: dict[str, Any] = {"type": [kind, "null"] if kind == "number" else kind}
        for _ in signal.shape:
            leaf = {"type": "array", "items": leaf}
        facts = {"title": signal.name, "description": f"{signal.description} [{signal.unit}]".strip()}
        at["properties"][path[-1]] = {**leaf, **facts, "unit": signal.unit}
    return root


def _messages(
    run: Run, topic: str, signals: Mapping[tuple[str, ...], Signal]
) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield time in ns, topic and content of each message of a part."""
    rates: dict[Fraction, dict[tuple[str, ...], Signal]] = {}
    for path, signal in signals.items():
        rates.setdefault(signal.period, {})[path] = signal
    rows: dict[int, dict[str, Any]] = {}
    for period, members in rates.items():
        columns = [(path, _plain(run[signal.name])) for path, signal in members.items()]
        for i, time in enumerate(_nanoseconds(run.time(next(iter(members.values())).name), period)):
            message = rows.setdefault(time, {})
            for path, values in columns:
                at = message
                for word in path[:-1]:
                    at = at.setdefault(word, {})
                at[path[-1]] = values[i]
    for time in sorted(rows):
        yield time, topic, rows[time]


def _nanoseconds(time: NDArray[np.float64], period: Fraction) -> list[int]:
    """Return times in whole nanoseconds, computed from the ticks, so that no rounding of the seconds is in them."""
    if not len(time):
        return []
    ticks = np.rint((time - time[0]) / float(period)).astype(np.int64).tolist()
    start = Fraction(float(time[0]))
    return [round((start + tick * period) * SECOND) for tick in ticks]


def _plain(values: NDArray[Any]) -> list[Any]:
    """Return the values of a signal as JSON, a row for each sample."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        missing = ~np.isfinite(values)
        values = values.astype(object)
        values[missing] = None
    rows: list[Any] = values.tolist()
    return rows
