"""The further cases of a run's report, which are runs inside its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from drawbar.blocks.core.errors import DrawbarError
from drawbar.orchestrator.runs.recorder import folder_name
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.gaps import gaps

CASES = "cases"


@dataclass(frozen=True)
class Case:
    """A run of the same diagram with other settings; `rule` is its entry in the report."""

    name: str
    run: Run
    rule: Mapping[str, Any]


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
            cases.notes.append(f"A case of the report is {rule!r} and has no name; it is left out.")
            continue
        try:
            case = Run(run.folder / CASES / folder_name(rule["name"]))
        except DrawbarError as error:
            cases.notes.append(f"The case {rule['name']} is left out: {error}")
        else:
            cases.found.append(Case(rule["name"], case, rule))
    return cases


def all_gaps(run: Run) -> list[str]:
    """Return the missing samples of a run and of its cases, see `gaps`."""
    return gaps(run) + [f"case {case.name}: {gap}" for case in find_cases(run).found for gap in gaps(case.run)]
