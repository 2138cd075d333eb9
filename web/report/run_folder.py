"""What the folder of a run contains: its parameters, its responses and their cases, and whether samples are missing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from drawbar.blocks.core.errors import DrawbarError
from drawbar.orchestrator.reports.report_file import check_report
from drawbar.orchestrator.reports.responses import PEAK_TO_PEAK, evaluate, rows
from drawbar.orchestrator.runs.recorder import CASES, SIGNALS, folder_name, period_of
from drawbar.orchestrator.runs.run import Run


@dataclass(frozen=True)
class Case:
    """A run of the same diagram with other settings; `rule` is its entry in the report."""

    name: str
    run: Run
    rule: Mapping[str, Any]


@dataclass(frozen=True)
class Response:
    """A figure of a report: its column, and its value, None if it cannot be judged or is not finite."""

    label: str
    quantity: str
    unit: str
    value: float | None


@dataclass
class Cases:
    """The readable cases of a run, and notes about the others."""

    found: list[Case] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def find_cases(run: Run) -> Cases:
    """Return the cases that the report of a run lists, in its order."""
    report = run.info.get("report")
    listed = report.get("cases") if isinstance(report, Mapping) else None
    cases = Cases()
    for rule in listed if isinstance(listed, list) else []:
        if not isinstance(rule, Mapping) or not isinstance(rule.get("name"), str):
            cases.notes.append(f"A case of the report is left out: {rule!r} has no name.")
            continue
        try:
            case = Run(run.folder / CASES / folder_name(rule["name"]))
        except DrawbarError as error:
            cases.notes.append(f"The case {rule['name']} is left out: {error}")
        else:
            cases.found.append(Case(rule["name"], case, rule))
    return cases


def main_responses(run: Run) -> list[Response]:
    """Return the figures that the run's report judges: of each response max and min, or the peak-to-peak value.

    Raise `DrawbarError` if the report cannot be used.
    """
    report = run.info.get("report")
    if not isinstance(report, Mapping):
        return []
    check_report(report)
    found = []
    for row in rows(evaluate(run, report), report):
        relative = "relative_to" in report["responses"][row.response]
        if (row.quantity == PEAK_TO_PEAK) == relative and row.quantity:
            value = row.ours if row.ours is not None and math.isfinite(row.ours) else None
            found.append(Response(row.label, row.quantity, row.unit, value))
    return found


def by_name(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return values of parts by ``part.name``."""
    pairs: list[tuple[str, Any]] = []
    for name, value in values.items():
        inner = value.items() if isinstance(value, Mapping) else None
        pairs += [(name, value)] if inner is None else [(f"{name}.{key}", v) for key, v in inner]
    return pairs


def missing_samples(run: Run) -> list[str]:
    """Return a sentence for each rate of a run or of its cases whose samples were deleted or not copied.

    Only a successful run has a known end up to which there must be samples.
    """
    return _missing(run) + [f"case {c.name}: {text}" for c in find_cases(run).found for text in _missing(c.run)]


def _missing(run: Run) -> list[str]:
    if run.outcome != "ok":
        return []
    recorded = {signal.period: name for name, signal in run.signals.items()}
    root = run.folder / SIGNALS
    folders = sorted(p for p in root.iterdir() if p.is_dir() and period_of(p.name)) if root.is_dir() else []
    found = [f"{p} contains no sample files" for p in folders if period_of(p.name) not in recorded]
    if not recorded and not found:
        found.append(f"{root} contains no samples" if root.exists() else f"{root} does not exist")
    end = run.timing.get("simulated_s", run.info.get("stop"))
    for period, name in recorded.items():
        time = run.time(name)
        last = float(time[-1]) if len(time) else 0.0
        if isinstance(end, int | float) and last + float(period) <= end * (1 - 1e-12):
            found.append(f"the samples every {float(period):g} s end at t = {last:g} s, the run at t = {end:g} s")
    return found
