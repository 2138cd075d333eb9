"""What tells the runs of a folder apart: the parameters in which they differ, and the responses of their reports."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from drawbar.blocks.core.errors import DrawbarError
from drawbar.orchestrator.runs.recorder import RUNNING
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.run_folder import Response, main_responses
from drawbar.web.report.style import format_unit
from drawbar.web.view.catalogue import Catalogue, Entry

MAX_TEXT = 100  # characters of a value

PARAMETER, RESPONSE = "parameter", "response"


@dataclass
class RunTable:
    """The table of the runs of a catalogue, shared by all pages.

    The responses are read from the samples, which takes some 20 ms a run; so `evaluate` is called now and then, and
    only while a page shows the table.
    """

    catalogue: Catalogue
    _responses: dict[str, tuple[tuple[Any, ...], list[Response]]] = field(default_factory=dict)
    _written: tuple[Any, dict[str, Any]] = ((), {})

    def evaluate(self, seconds: float) -> None:
        """Evaluate the reports of completed runs, the newest first, until the time is over."""
        end = time.monotonic() + seconds
        for entry in self._waiting():
            self._responses[entry.name] = entry.stamp, _responses_of(entry)
            if time.monotonic() > end:
                return

    def state(self) -> dict[str, Any]:
        """Return columns and rows for the browser, and for how many runs the responses are still to come.

        A row has values by the number of their column only where the run has them.
        """
        entries = [entry for entry in self.catalogue.entries.values() if not entry.fault]
        waiting = sum(1 for _ in self._waiting())
        key = tuple((entry.name, entry.stamp) for entry in entries), waiting
        if self._written[0] != key:
            self._written = key, {**self._table(entries), "waiting": waiting}
        return self._written[1]

    def _waiting(self) -> Iterable[Entry]:
        for entry in self.catalogue.entries.values():
            known, _ = self._responses.get(entry.name, ((), []))
            if not entry.fault and entry.outcome not in (RUNNING, "incomplete") and known != entry.stamp:
                yield entry

    def _table(self, entries: list[Entry]) -> dict[str, Any]:
        columns: dict[tuple[str, ...], int] = {}
        for name in differing_parameters(entries):
            columns[PARAMETER, name, "", ""] = len(columns)
        found: dict[str, dict[int, Any]] = {}
        for entry in entries:
            values = found[entry.name] = {}
            for name, value in entry.parameters.items():
                if (number := columns.get((PARAMETER, name, "", ""))) is not None:
                    values[number] = _plain(value)
            for one in self._responses.get(entry.name, ((), []))[1]:
                number = columns.setdefault((RESPONSE, one.label, one.quantity, format_unit(one.unit)), len(columns))
                if one.value is not None:
                    values[number] = one.value
        return {"columns": list(columns), "rows": found}


def differing_parameters(entries: Iterable[Entry]) -> list[str]:
    """Return the parameters with two different values, in the order of the runs.

    One that a run does not set has its default; so it differs if another run of the same diagram sets it.
    """
    values: dict[str, set[str]] = {}
    count: dict[str, int] = {}  # of the runs of each diagram
    having: dict[tuple[str, str], int] = {}
    for entry in entries:
        count[entry.diagram] = count.get(entry.diagram, 0) + 1
        for name, value in entry.parameters.items():
            values.setdefault(name, set()).add(repr(value))
            having[name, entry.diagram] = having.get((name, entry.diagram), 0) + 1
    partly = {name for (name, diagram), number in having.items() if number < count[diagram]}
    return [name for name, different in values.items() if len(different) > 1 or name in partly]


def _responses_of(entry: Entry) -> list[Response]:
    try:
        return main_responses(Run(entry.folder))
    except DrawbarError:  # the table is no place for it; the run's own page reports it
        return []


def _plain(value: Any) -> Any:
    """Return a value from a file as JSON that a browser reads: a finite number, a Boolean, or text."""
    if isinstance(value, bool) or (isinstance(value, int | float) and _fits(value)):
        return value
    text = str(value)
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 3] + "..."


def _fits(value: float) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
