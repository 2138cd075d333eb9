"""The report of a run that was changed: published figures only for settings that they belong to.

A run with the settings of a case is shown as that case. Any other change makes another vehicle or another test: the
published figures are left out, and the same diagram as it stands, which is run as well, stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drawbar.blocks.core.interface import Value
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.model.part import Part
from drawbar.orchestrator.reports.report_file import responses_of
from drawbar.orchestrator.reports.responses import evaluate
from drawbar.orchestrator.runs.run import Run

AS_IT_STANDS = "as it stands"  # the run of the diagram's own settings
CHANGED = "as changed"  # the run of other settings, with AS_IT_STANDS beside it
NOT_PUBLISHED = "Published figures and further cases belong to the diagram as it stands: run it without changes."
BASELINE = {"name": AS_IT_STANDS, "set": {}}


def is_same(one: Diagram, other: Diagram) -> bool:
    """Return whether two readings of a diagram have the same parts and start values, given or by default."""
    ours, theirs = flatten(one).parts, flatten(other).parts
    return ours.keys() == theirs.keys() and all(_is_same_part(part, theirs[name]) for name, part in ours.items())


def of_case(report: Mapping[str, Any], case: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report of a run that has the settings of a case."""
    return {**report, "title": case["name"], "cases": [], "judge": case.get("judge", report.get("judge"))}


def of_changed(report: Mapping[str, Any], with_baseline: bool = True) -> dict[str, Any]:
    """Return the report of a changed run: the same responses and plots, without anything published."""
    kept = {key: report[key] for key in ("window", "plots") if key in report}
    own = {name: {k: v for k, v in entry.items() if k != "published"} for name, entry in responses_of(report).items()}
    cases = [BASELINE] if with_baseline and own else []
    left_out = bool(report.get("cases")) or any(entry.get("published") for entry in responses_of(report).values())
    return {**kept, "title": CHANGED, "responses": own, "cases": cases, "left_out": left_out}


def title_of(report: Mapping[str, Any]) -> str:
    """Return the title of the main run of a report."""
    return str(report.get("title", AS_IT_STANDS))


def left_out_note(report: Mapping[str, Any]) -> str:
    """Return the sentence on what the report of a changed run leaves out; empty if that is nothing."""
    return NOT_PUBLISHED if report.get("left_out") else ""


def beside_baseline(report: Mapping[str, Any], baseline: Run) -> dict[str, Any]:
    """Return the report of a changed run with the figures of its baseline as the column to compare with."""
    found = evaluate(baseline, report)
    own = {}
    for name, entry in responses_of(report).items():
        figures = [found[name]["max"], found[name]["min"]]
        own[name] = entry if None in figures else {**entry, "published": {AS_IT_STANDS: figures}}
    return {**report, "responses": own}


def baseline_of(report: Mapping[str, Any], cases: Sequence[tuple[str, Run]]) -> Run | None:
    """Return the baseline among the finished cases of a report; None for an unchanged run, or without one."""
    found = [run for name, run in cases if name == AS_IT_STANDS]
    return found[0] if found and title_of(report) == CHANGED else None


def _is_same_part(ours: Part, theirs: Part) -> bool:
    if ours.block is not theirs.block or (ours.block is None and ours.fmu != theirs.fmu):
        return False
    given, other = ours.start_values(), theirs.start_values()
    return all(_value(ours, given, name) == _value(theirs, other, name) for name in {*given, *other})


def _value(part: Part, given: Mapping[str, Value], name: str) -> Value | None:
    port = part.port(name)
    return given.get(name, port.start[0] if port is not None and port.start else None)
