"""One signal of a run against another, at values that the report names: a pull against a slip.

A response with ``"against": "bench.slip", "at": [0.1, 0.2]`` has, beside max and min, its values where the other signal
first reached these. Values between two samples are interpolated linearly; a value that was not reached gives None.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from drawbar.blocks.core.errors import UsageError, did_you_mean
from drawbar.orchestrator.runs.run import Run


def check_curve(name: str, entry: Mapping[str, Any]) -> None:
    """Raise `UsageError` if ``against`` and ``at`` of a response are not a signal and a list of its values."""
    if "against" not in entry and "at" not in entry:
        return
    at = entry.get("at")
    numbers = isinstance(at, list) and at and all(isinstance(v, int | float) and np.isfinite(v) for v in at)
    if not isinstance(entry.get("against"), str) or not numbers:
        raise UsageError(f"report: response '{name}': 'against' is the name of a signal, and 'at' a list of its values")


def curve(run: Run, name: str, entry: Mapping[str, Any], window: tuple[float, float] | None) -> dict[str, Any]:
    """Return ``signal``, ``at`` and ``values`` of a response that is plotted against a signal."""
    signal, other = str(entry["signal"]), str(entry["against"])
    if other not in run:
        raise UsageError(f"the signal {other} was not recorded" + did_you_mean(other, run.signals))
    if run.signal(signal).period != run.signal(other).period:
        raise UsageError(f"response '{name}': {signal} and {other} have different rates")
    time, x, y = run.time(signal), np.asarray(run[other], np.float64), np.asarray(run[signal], np.float64)
    if window is not None:
        kept = (time >= window[0]) & (time <= window[1])
        x, y = x[kept], y[kept]
    factor = float(entry.get("factor", 1.0))
    return {"signal": other, "at": list(entry["at"]), "values": [_reached(x, y, v, factor) for v in entry["at"]]}


def _reached(x: Any, y: Any, value: float, factor: float) -> float | None:
    """Return y where x first reached the value from below, or None."""
    passed = np.flatnonzero((x[:-1] <= value) & (x[1:] >= value))
    if not passed.size:
        return None
    i = int(passed[0])
    share = 0.0 if x[i + 1] == x[i] else (value - x[i]) / (x[i + 1] - x[i])
    found = factor * float(y[i] + share * (y[i + 1] - y[i]))
    return found if np.isfinite(found) else None
