"""Responses of a run beside published ones: largest and smallest value of a signal, and the deviation from each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from drawbar.blocks.core.errors import DrawbarError, UsageError, did_you_mean
from drawbar.orchestrator.reports.report_file import published_of, responses_of, rule_of, window_of
from drawbar.orchestrator.reports.response_units import Scale, scale_of
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


def evaluate(run: Run, report: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return for each response of the report ``max``, ``min``, ``unit``, ``published``, and perhaps ``against``.

    Samples that are not finite are left out. A response that cannot be judged has None for max and min, and a
    ``reason``; one that a parameter set of the run was fitted to is ``identified``.
    """
    results: dict[str, dict[str, Any]] = {}
    fitted = _fitted(run, report)
    for name, entry in responses_of(report).items():
        result: dict[str, Any] = {"max": None, "min": None, "unit": entry.get("unit", "1")}
        result["published"] = {column: list(pair) for column, pair in published_of(name, entry).items()}
        if name in fitted:
            result["identified"] = True
        window = window_of(report, entry)
        try:
            scale = _scale(run, report, name)
            found = _extremes(run, name, entry, window, scale)
            if "per" in entry:
                per = str(entry["per"])
                other = responses_of(report)[per]
                below = _extremes(run, per, other, window_of(report, other), _scale(run, report, per))
                found = _ratios(name, per, found, below)
            result["max"], result["min"] = found
            result["unit"] = scale.unit
            if "against" in entry:
                result["against"] = _curve(run, name, entry, window, scale)
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
    for name, entry in responses_of(report).items():
        result = results.get(name, {"reason": "it was not evaluated"})
        label, unit = str(entry.get("label", name)), str(result.get("unit", entry.get("unit", "1")))
        fitted = bool(result.get("identified"))
        if "reason" in result:
            found.append(Row(name, label, unit, "", None, reason=f"not judged: {result['reason']}"))
            continue
        relative = "relative_to" in entry
        ours = _figures(result.get("max"), result.get("min"), relative)
        published = {column: _figures(*pair, relative) for column, pair in published_of(name, entry).items()}
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
    """Return a line of cells: three columns of words aligned left, then figures aligned right."""
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


def _scale(run: Run, report: Mapping[str, Any], name: str) -> Scale:
    def unit_of(signal: str) -> str:
        _check_recorded(run, signal)
        return run.signal(signal).unit

    return scale_of(report, name, unit_of)


def _check_recorded(run: Run, signal: str) -> None:
    if signal not in run:
        raise UsageError(f"the signal {signal} was not recorded" + did_you_mean(signal, run.signals))


def _extremes(
    run: Run, name: str, entry: Mapping[str, Any], window: tuple[float, float] | None, scale: Scale
) -> tuple[float, float]:
    signal = str(entry["signal"])
    _check_recorded(run, signal)
    time = run.time(signal)
    _check_end(run, float(time[-1]) if len(time) else 0.0, float(run.signal(signal).period), window)
    values = np.asarray(run[signal], dtype=np.float64)
    if "relative_to" in entry:
        start = values[:1]
        if not (np.isfinite(start).all() and start.all()):
            raise UsageError(
                f"response '{name}': {signal} starts at {start.ravel().tolist()}, which cannot be divided by"
            )
        values = values / start
    if window is not None:
        values = values[(time >= window[0]) & (time <= window[1])]
    values = scale.gain * values[np.isfinite(values)] + scale.offset
    if not values.size:
        raise UsageError(f"response '{name}': {signal} has no finite sample")
    return float(values.max()), float(values.min())


def _ratios(name: str, per: str, above: tuple[float, float], below: tuple[float, float]) -> tuple[float, float]:
    """Return max over max and min over min.

    Raise `UsageError` if the other response is not negative at its minimum and positive at its maximum.
    """
    if not below[1] < 0.0 < below[0]:
        raise UsageError(
            f"response '{name}': '{per}' must range from negative to positive, not from {below[1]:g} to {below[0]:g}"
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
        raise UsageError(f"the run ends at t = {last:g} s, and the response needs it up to {needed:g} s")


def _figures(upper: float | None, lower: float | None, relative: bool) -> dict[str, float | None]:
    figures = {"max": upper, "min": lower}
    if relative:
        figures[PEAK_TO_PEAK] = None if upper is None or lower is None else upper - lower
    return figures


def _deviation(ours: float | None, other: float) -> float | None:
    return None if ours is None or other == 0 else 100.0 * (ours / other - 1.0)


def _curve(
    run: Run, name: str, entry: Mapping[str, Any], window: tuple[float, float] | None, scale: Scale
) -> dict[str, Any]:
    """Return ``signal``, ``at`` and ``values`` of a response that is plotted against a signal."""
    signal, other = str(entry["signal"]), str(entry["against"])
    _check_recorded(run, other)
    periods = [float(run.signal(one).period) for one in (signal, other)]
    if periods[0] != periods[1]:
        raise UsageError(
            f"response '{name}': {signal} is recorded every {periods[0]:g} s and {other} every {periods[1]:g} s; "
            "'against' needs signals of one rate"
        )
    time, x, y = run.time(signal), np.asarray(run[other], np.float64), np.asarray(run[signal], np.float64)
    if window is not None:
        kept = (time >= window[0]) & (time <= window[1])
        x, y = x[kept], y[kept]
    held = run.signal(other).held, run.signal(signal).held
    values = [_reached(x, y, v, scale, *held) for v in entry["at"]]
    return {"signal": other, "at": list(entry["at"]), "values": values}


def _reached(x: Any, y: Any, value: float, scale: Scale, x_held: bool, y_held: bool) -> float | None:
    """Return y where x first reached the value from below, or None; held signals have no values between samples."""
    passed = np.flatnonzero((x[:-1] <= value) & (x[1:] >= value))
    if not passed.size:
        return None
    i = int(passed[0])
    share = 0.0 if x[i + 1] == x[i] else (value - x[i]) / (x[i + 1] - x[i])
    if x_held:  # x jumps at its next sample, unless it has the value already
        share = math.ceil(share)
    if y_held:  # y has its next value only at the next sample
        share = math.floor(share)
    found = scale.gain * float(y[i] + share * (y[i + 1] - y[i])) + scale.offset
    return found if np.isfinite(found) else None
