"""Responses of a run beside published ones: largest and smallest value of a signal, and the deviation from each.

A report lies beside a library diagram as `report.json`::

    {"source": "where the published figures come from",
     "judge": {"column": "adams", "tolerance": 0.2},
     "responses": {"wheel_load_fl": {"signal": "vehicle.wheel_load[1]", "relative_to": "start", "unit": "1",
                                     "label": "wheel load, front left", "published": {"adams": [1.5, 0.5]}}}}

A published pair is [max, min]. `relative_to` ``start`` divides by the first sample, and the figure judged is then the
peak-to-peak value, max - min; other responses are judged by max and by min. `factor` converts to the unit of the
published figures. `per` names another response: max is then over its max, and min over its min, as in a roll gradient.
A case of the report may have a `judge` of its own, and `judge` may name the `responses` that it applies to. Beside the
values that it sets, a case may name parameter sets, ``"params": ["vehicle=hmmwv_paper2015"]``, as ``--params`` does.

``"identified": {"hmmwv_paper2015": ["roll"]}`` names responses that a parameter set was fitted to: in runs with that
set they are marked so and not judged.

``"window": [0, 12]``, of the report or of one response, is the time in seconds within which samples count. A response
is not judged, with the reason given, if its signal was not recorded or the run ends before the window does; without a
window, if the run failed before its stop time. Responses `against` another signal are in `response_curves.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from drawbar.blocks.core.errors import DrawbarError, UsageError, did_you_mean
from drawbar.orchestrator.reports.response_curves import check_curve, curve
from drawbar.orchestrator.runs.recorder import folder_name
from drawbar.orchestrator.runs.run import Run


@dataclass(frozen=True)
class Row:
    """One figure of one response beside the published ones, or the `reason` why the response is not judged.

    Deviations are in percent of the published figure, positive if ours is larger in magnitude; if the peak-to-peak
    value is judged, max and min have none. `within` is None if the report does not judge.
    """

    response: str
    label: str
    unit: str
    quantity: str  # max, min, peak-to-peak; empty with a reason
    ours: float | None
    published: dict[str, float] = field(default_factory=dict)
    deviations: dict[str, float | None] = field(default_factory=dict)
    within: bool | None = None
    reason: str = ""
    identified: bool = False  # a parameter set of the run was fitted to it


def check_report(report: Any) -> None:
    """Raise `UsageError` if a report.json cannot be used, before anything is run for it."""
    if not isinstance(report, Mapping):
        raise UsageError(f"a report is a JSON object, this is a {type(report).__name__}")
    for name, entry in _responses(report).items():
        _published(name, entry)
        _window(report, entry)
        check_curve(name, entry)
    cases = report.get("cases", [])
    if not isinstance(cases, list):
        raise UsageError(f"report: 'cases' is a {type(cases).__name__}, not a list")
    for number, case in enumerate(cases, start=1):
        good = isinstance(case, Mapping) and isinstance(case.get("name"), str) and isinstance(case.get("set"), Mapping)
        if not good:
            raise UsageError(f"report: case {number} needs a 'name' and a 'set' of part.parameter -> value")
        if not _is_words(case.get("params", [])):
            raise UsageError(f"report: case {number} has 'params' that are no list of parameter sets")
    if len({folder_name(case["name"]) for case in cases}) < len(cases):
        raise UsageError("report: two cases have the same name, or names that differ only in signs")
    columns = {column for name, entry in _responses(report).items() for column in _published(name, entry)}
    for holder in (report, *cases):
        rule = rule_of(report, holder)
        if rule is not None and rule[0] not in columns:
            raise UsageError(f"report: 'judge' names the column '{rule[0]}'" + did_you_mean(rule[0], columns))
    fitted = report.get("identified", {})
    if not isinstance(fitted, Mapping) or not all(map(_is_words, fitted.values())):
        raise UsageError("report: 'identified' is no object of parameter set -> names of responses")
    for unknown in sorted({name for names in fitted.values() for name in names} - set(_responses(report))):
        raise UsageError(f"report: 'identified' names '{unknown}'" + did_you_mean(unknown, _responses(report)))
    for key in ("notes", "plots"):
        if not isinstance(report.get(key, []), list):
            raise UsageError(f"report: '{key}' is a {type(report[key]).__name__}, not a list")


def evaluate(run: Run, report: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return for each response of the report ``max``, ``min``, ``unit``, ``published``, and perhaps ``against``.

    Samples that are not finite are left out. A response that cannot be judged has None for max and min, and a
    ``reason``; one that a parameter set of the run was fitted to is ``identified``.
    """
    results: dict[str, dict[str, Any]] = {}
    fitted = _fitted(run, report)
    for name, entry in _responses(report).items():
        result: dict[str, Any] = {"max": None, "min": None, "unit": entry.get("unit", "1")}
        result["published"] = {column: list(pair) for column, pair in _published(name, entry).items()}
        if name in fitted:
            result["identified"] = True
        window = _window(report, entry)
        try:
            found = _extremes(run, name, entry, window)
            if "per" in entry:
                other = _responses(report)[entry["per"]]
                found = _ratios(name, entry["per"], found, _extremes(run, entry["per"], other, _window(report, other)))
            result["max"], result["min"] = found
            if "against" in entry:
                result["against"] = curve(run, name, entry, window)
        except DrawbarError as error:
            result["reason"] = str(error)
        results[name] = result
    return results


def rows(
    results: Mapping[str, Mapping[str, Any]], report: Mapping[str, Any], case: Mapping[str, Any] | None = None
) -> list[Row]:
    """Return every figure of every response, as rows of a table."""
    rule = rule_of(report, case)
    found: list[Row] = []
    for name, entry in _responses(report).items():
        label, unit = str(entry.get("label", name)), str(entry.get("unit", "1"))
        result = results.get(name, {"reason": "it was not evaluated"})
        fitted = bool(result.get("identified"))
        if "reason" in result:
            found.append(Row(name, label, unit, "", None, reason=f"not judged: {result['reason']}"))
            continue
        relative = "relative_to" in entry
        ours = _figures(result.get("max"), result.get("min"), relative)
        published = {column: _figures(*pair, relative) for column, pair in _published(name, entry).items()}
        for quantity, value in ours.items():
            there = {column: figures[quantity] for column, figures in published.items()}
            beside = {column: other for column, other in there.items() if other is not None}
            within: bool | None = None
            counts = (quantity == PEAK_TO_PEAK) == relative
            deviations = {column: _deviation(value, other) for column, other in beside.items()} if counts else {}
            if counts and not fitted and rule is not None and rule[0] in beside and name in (rule[2] or [name]):
                other = beside[rule[0]]
                within = value is not None and abs(value - other) <= rule[1] * abs(other)
            found.append(
                Row(name, label, unit, quantity, value, beside, deviations, within, identified=fitted and counts)
            )
    return found


def table(
    results: Mapping[str, Mapping[str, Any]], report: Mapping[str, Any], case: Mapping[str, Any] | None = None
) -> str:
    """Return the rows as aligned text, ours beside each published column with the deviation in percent."""
    lines = rows(results, report, case)
    columns = published_columns(lines)
    rule = rule_of(report, case)
    verdict = [judged_heading(rule)] if rule else []
    head = ["response", "unit", "", "ours"] + [text for c in columns for text in (c.upper(), "deviation")] + verdict
    cells = [head]
    for line in lines:
        first = line.quantity in ("max", "")
        row = [line.label if first else "", line.unit if first else "", line.quantity, number(line.ours)]
        for column in columns:
            row += [number(line.published.get(column)), percent(line.deviations.get(column))]
        cells.append(row + [IDENTIFIED if line.identified else _YES_NO[line.within]] * len(verdict))
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    text = [_aligned(row, widths) for row in cells]
    for i, line in enumerate(lines, start=1):
        if line.reason:  # a sentence in place of the figures
            text[i] = f"{_aligned(cells[i][:2], widths)}  {line.reason}"
    text.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(line.rstrip() for line in text)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return cells with two spaces between them: three columns of words left-aligned, then figures right-aligned."""
    sized = zip(row, widths, strict=False)
    return "  ".join(cell.ljust(width) if i < 3 else cell.rjust(width) for i, (cell, width) in enumerate(sized))


def published_columns(lines: Sequence[Row]) -> list[str]:
    """Return the published columns that any of the rows has, in the order of the report."""
    return list(dict.fromkeys(column for line in lines for column in line.published))


def judged_heading(rule: tuple[str, float, list[str]]) -> str:
    """Return the heading of the column that shows whether a figure is within the tolerance."""
    return f"within {100 * rule[1]:.3g} % of {rule[0].upper()}"


def number(value: float | None) -> str:
    """Return a figure as text: with two decimals, or with three digits if two decimals do not suffice."""
    if value is None:
        return "-"
    return f"{value:.2f}" if value == 0 or 0.1 <= abs(value) < 1000 else f"{value:.3g}"


def percent(value: float | None) -> str:
    """Return a deviation in percent as text, with its sign."""
    return "" if value is None else f"{value:+.1f} %"


PEAK_TO_PEAK = "peak-to-peak"
IDENTIFIED = "identified"  # in place of a verdict
_YES_NO = {True: "yes", False: "NO", None: ""}


def _fitted(run: Run, report: Mapping[str, Any]) -> set[str]:
    """Return the responses that parameter sets of the run were fitted to."""
    used = {str(one["file"]).removesuffix(".ssv") for one in run.info.get("parameter_sets", [])}
    fitted = report.get("identified", {})
    return {str(name) for chosen in used & set(fitted) for name in fitted[chosen]}


def _extremes(run: Run, name: str, entry: Mapping[str, Any], window: tuple[float, float] | None) -> tuple[float, float]:
    signal = str(entry["signal"])
    if signal not in run:
        raise UsageError(f"the signal {signal} was not recorded" + did_you_mean(signal, run.signals))
    time = run.time(signal)
    _check_end(run, float(time[-1]) if len(time) else 0.0, float(run.signal(signal).period), window)
    values = np.asarray(run[signal], dtype=np.float64)
    if "relative_to" in entry:
        start = values[:1]
        if not (np.isfinite(start).all() and start.all()):
            raise UsageError(f"response '{name}': {signal} starts at {start.ravel().tolist()}, not divisible")
        values = values / start
    if window is not None:
        values = values[(time >= window[0]) & (time <= window[1])]
    values = values[np.isfinite(values)] * float(entry.get("factor", 1.0))
    if not values.size:
        raise UsageError(f"response '{name}': {signal} has no finite sample")
    return float(values.max()), float(values.min())


def _ratios(name: str, per: str, above: tuple[float, float], below: tuple[float, float]) -> tuple[float, float]:
    """Return max over max and min over min.

    Raise `UsageError` if the other response does not depart from zero to both sides.
    """
    if not below[1] < 0.0 < below[0]:
        raise UsageError(
            f"response '{name}': '{per}' runs from {below[1]:g} to {below[0]:g}, so nothing is per unit of it"
        )
    return above[0] / below[0], above[1] / below[1]


def _check_end(run: Run, last: float, period: float, window: tuple[float, float] | None) -> None:
    """Raise `UsageError` if the last sample, at `last`, comes before the end of what a response needs."""
    needed, stop = last, run.info.get("stop")
    if window is not None:
        needed = window[1]
    elif run.outcome != "ok" and isinstance(stop, int | float):
        needed = float(stop)
    if last + period <= needed * (1 + 1e-12):  # the next sample would still have been needed
        raise UsageError(f"the run ends at t = {last:g} s, the response needs it up to {needed:g} s")


def _figures(upper: float | None, lower: float | None, relative: bool) -> dict[str, float | None]:
    figures = {"max": upper, "min": lower}
    if relative:
        figures[PEAK_TO_PEAK] = None if upper is None or lower is None else upper - lower
    return figures


def _deviation(ours: float | None, other: float) -> float | None:
    return None if ours is None or other == 0 else 100.0 * (ours / other - 1.0)


def _responses(report: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    entries = report.get("responses", {})
    if not isinstance(entries, Mapping):
        raise UsageError("report: 'responses' is no object of name -> response")
    for name, entry in entries.items():
        if not isinstance(entry, Mapping) or not isinstance(entry.get("signal"), str):
            raise UsageError(f"report: response '{name}' names no 'signal'")
        if entry.get("relative_to", "start") != "start":
            raise UsageError(
                f"report: response '{name}' is relative to {entry['relative_to']!r}; only 'start' is known"
            )
        if "per" in entry and str(entry["per"]) not in set(entries) - {name}:
            raise UsageError(f"report: response '{name}' is per '{entry['per']}', which is no other response")
        if not _is_number(entry.get("factor", 1.0)):
            raise UsageError(f"report: response '{name}' has the factor {entry['factor']!r}, not a number")
    return dict(entries)


def _published(name: str, entry: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    columns = entry.get("published", {})
    good = isinstance(columns, Mapping) and all(
        isinstance(pair, list | tuple) and len(pair) == 2 and all(map(_is_number, pair)) for pair in columns.values()
    )
    if not good:
        raise UsageError(f"report: response '{name}': 'published' is no object of column -> [max, min]")
    return {str(column): (float(pair[0]), float(pair[1])) for column, pair in columns.items()}


def _window(report: Mapping[str, Any], entry: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return the start and end of the time in which samples of a response count; None if all of them do."""
    window = entry.get("window", report.get("window"))
    if window is None:
        return None
    if not isinstance(window, list | tuple) or len(window) != 2 or not all(map(_is_number, window)):
        raise UsageError(f"report: the window {window!r} is no [start, end] in seconds")
    if not 0 <= window[0] < window[1]:
        raise UsageError(f"report: the window {window!r} does not end after it starts, or starts before 0 s")
    return float(window[0]), float(window[1])


def rule_of(report: Mapping[str, Any], case: Mapping[str, Any] | None = None) -> tuple[str, float, list[str]] | None:
    """Return column, tolerance and responses (empty for all) by which the case, or else the report, judges.

    Return None without such a rule.
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
        raise UsageError("report: 'judge' has 'responses' that are no list of names")
    return rule["column"], float(rule["tolerance"]), [str(name) for name in rule.get("responses", [])]


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))
