"""report.json beside a library diagram: the responses of a run, and what they are compared with.

::

    {"source": "where the published figures come from",
     "judge": {"column": "adams", "tolerance": 0.2},
     "responses": {"wheel_load_fl": {"signal": "vehicle.wheel_load[1]", "relative_to": "start", "unit": "1",
                                     "label": "wheel load, front left", "published": {"adams": [1.5, 0.5]}}}}

A published pair is [max, min]. `relative_to` ``start`` divides by the first sample, and the figure judged is then the
peak-to-peak value, max - min; other responses are judged by max and by min. Values are converted from the unit of the
signal to `unit`, that of the published figures; without `unit`, that of the signal holds. With a `factor`, values are
multiplied by it, and `unit` is what the result has (`response_units.py`). `per` names another response: max is then
over its max, and min over its min, as in a roll gradient.

A case of the report may have a `judge` of its own, and `judge` may name the `responses` that it applies to. Beside the
values that it sets, a case may name parameter sets, ``"params": ["vehicle=hmmwv_chrono"]``, as ``--params`` does.
Published figures belong to the diagram as it stands and to the cases; a changed run has others (`baseline.py`).

``"identified": {"softer_springs": ["roll"]}`` names responses that a parameter set was fitted to: in runs with that
set they are marked so and not judged.

``"window": [0, 12]``, of the report or of one response, is the time in seconds within which samples count. A response
is not judged, with the reason given, if its signal was not recorded or the run ends before the window does; without a
window, if the run failed before its stop time.

A response with ``"against": "bench.slip", "at": [0.1, 0.2]`` has, beside max and min, its values where the other signal
first reached these. Values between two samples are interpolated linearly, but discrete variables are held; a value that
was not reached gives None.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from drawbar.blocks.core.errors import UsageError, did_you_mean
from drawbar.orchestrator.runs.recorder import folder_name


def read_report(diagram: Path) -> dict[str, Any]:
    """Return the report.json beside the file of a diagram; empty without one.

    Raise `UsageError` if it cannot be read or used.
    """
    file = diagram.parent / "report.json"
    if not file.is_file():
        return {}
    try:
        report = json.loads(file.read_text("utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise UsageError(f"{file}: the report cannot be read: {error}") from None
    try:
        check_report(report)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from None
    return dict(report)


def check_report(report: Any) -> None:
    """Raise `UsageError` if a report.json cannot be used, before anything is run for it."""
    if not isinstance(report, Mapping):
        raise UsageError(f"a report must be a JSON object, not a {type(report).__name__}")
    for name, entry in responses_of(report).items():
        published_of(name, entry)
        window_of(report, entry)
        _check_curve(name, entry)
    cases = report.get("cases", [])
    if not isinstance(cases, list):
        raise UsageError(f"report: 'cases' must be a list, not a {type(cases).__name__}")
    for number, case in enumerate(cases, start=1):
        good = isinstance(case, Mapping) and isinstance(case.get("name"), str) and isinstance(case.get("set"), Mapping)
        if not good:
            raise UsageError(f"report: case {number} needs a 'name', and a 'set' with a value for each part.parameter")
        if not _is_words(case.get("params", [])):
            raise UsageError(f"report: case {number}: 'params' must be a list of parameter sets")
    if len({folder_name(case["name"]) for case in cases}) < len(cases):
        raise UsageError("report: two cases have the same name, or names that differ only in punctuation")
    columns = {column for name, entry in responses_of(report).items() for column in published_of(name, entry)}
    for holder in (report, *cases):
        rule = rule_of(report, holder)
        if rule is not None and rule[0] not in columns:
            raise UsageError(f"report: 'judge' names the column '{rule[0]}'" + did_you_mean(rule[0], columns))
    fitted = report.get("identified", {})
    if not isinstance(fitted, Mapping) or not all(map(_is_words, fitted.values())):
        raise UsageError("report: 'identified' must be an object: for each parameter set the names of responses")
    for unknown in sorted({name for names in fitted.values() for name in names} - set(responses_of(report))):
        raise UsageError(f"report: 'identified' names '{unknown}'" + did_you_mean(unknown, responses_of(report)))
    for key in ("notes", "plots"):
        if not isinstance(report.get(key, []), list):
            raise UsageError(f"report: '{key}' must be a list, not a {type(report[key]).__name__}")


def responses_of(report: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the responses of a report by name; raise `UsageError` if one of them cannot be evaluated."""
    entries = report.get("responses", {})
    if not isinstance(entries, Mapping):
        raise UsageError("report: 'responses' must be an object: for each name a response")
    for name, entry in entries.items():
        if not isinstance(entry, Mapping) or not isinstance(entry.get("signal"), str):
            raise UsageError(f"report: response '{name}' has no 'signal'")
        if entry.get("relative_to", "start") != "start":
            raise UsageError(
                f"report: response '{name}': 'relative_to' is {entry['relative_to']!r}; it can only be 'start'"
            )
        if "per" in entry and str(entry["per"]) not in set(entries) - {name}:
            raise UsageError(f"report: response '{name}': 'per' is '{entry['per']}', which is not another response")
        if not _is_number(entry.get("factor", 1.0)):
            raise UsageError(f"report: response '{name}': 'factor' is {entry['factor']!r}, not a number")
    return dict(entries)


def published_of(name: str, entry: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Return the published maximum and minimum of a response by column."""
    columns = entry.get("published", {})
    good = isinstance(columns, Mapping) and all(
        isinstance(pair, list | tuple) and len(pair) == 2 and all(map(_is_number, pair)) for pair in columns.values()
    )
    if not good:
        raise UsageError(f"report: response '{name}': 'published' must be an object: for each column [max, min]")
    return {str(column): (float(pair[0]), float(pair[1])) for column, pair in columns.items()}


def window_of(report: Mapping[str, Any], entry: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return the start and end of the time in which samples of a response count; None if all of them do."""
    window = entry.get("window", report.get("window"))
    if window is None:
        return None
    if not isinstance(window, list | tuple) or len(window) != 2 or not all(map(_is_number, window)):
        raise UsageError(f"report: the window {window!r} must be [start, end] in seconds")
    if not 0 <= window[0] < window[1]:
        raise UsageError(f"report: the window {window!r} must start at 0 s or later and end after its start")
    return float(window[0]), float(window[1])


def rule_of(report: Mapping[str, Any], case: Mapping[str, Any] | None = None) -> tuple[str, float, list[str]] | None:
    """Return the column, tolerance and responses (empty for all) by which a case, or else the report, is judged.

    Return None if there is no such rule.
    """
    rule = (case or {}).get("judge") or report.get("judge")
    if rule is None:
        return None
    if (
        not isinstance(rule, Mapping)
        or not isinstance(rule.get("column"), str)
        or not _is_number(rule.get("tolerance"))
    ):
        raise UsageError("report: 'judge' needs a 'column' and a 'tolerance' (a fraction, 0.2 for 20 %)")
    if not isinstance(rule.get("responses", []), list):
        raise UsageError("report: 'judge': 'responses' must be a list of names")
    return rule["column"], float(rule["tolerance"]), [str(name) for name in rule.get("responses", [])]


def _check_curve(name: str, entry: Mapping[str, Any]) -> None:
    """Raise `UsageError` if ``against`` and ``at`` of a response are not a signal and a list of its values."""
    if "against" not in entry and "at" not in entry:
        return
    at = entry.get("at")
    numbers = isinstance(at, list) and at and all(isinstance(v, int | float) and np.isfinite(v) for v in at)
    if not isinstance(entry.get("against"), str) or not numbers:
        raise UsageError(
            f"report: response '{name}': 'against' must be the name of a signal, and 'at' a list of its values"
        )


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))
