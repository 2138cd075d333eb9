"""The state of a page as JSON for the browser: runs, signals, colours, notes and picture."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bokeh.core.properties import String
from bokeh.model import DataModel

from drawbar.blocks.core.errors import DrawbarError
from drawbar.orchestrator.runs.recorder import RUNNING
from drawbar.web.report.style import COLOURS
from drawbar.web.report.texts import pretty, shown
from drawbar.web.view.board import Board
from drawbar.web.view.catalogue import Catalogue, Entry
from drawbar.web.view.pictures import Pictures
from drawbar.web.view.recording import Recording


class Page(DataModel):  # type: ignore[misc]
    """The state that both sides share: the browser writes `ask`, Python everything else."""

    ask = String("")
    runs = String("[]")
    signals = String("[]")
    plotted = String("{}")
    notes = String("[]")
    picture = String("{}")


class Teller:
    """Writes the texts of a page; only texts that have changed are sent."""

    def __init__(self, page: Page, catalogue: Catalogue, pictures: Pictures) -> None:
        self._page, self._catalogue, self._pictures = page, catalogue, pictures
        self._pictured: tuple[Any, dict[str, str]] = (None, {})
        self._listed: tuple[Any, list[list[Any]]] = (None, [])

    def tell(
        self, styles: Mapping[str, int], recordings: Mapping[str, Recording], board: Board, said: Sequence[str]
    ) -> None:
        """Write the state: the shown runs with their styles, and the answer `said` to the last question."""
        told = {
            "runs": [_row(entry, styles.get(entry.name)) for entry in self._catalogue.entries.values()],
            "signals": self._signals(recordings),
            "plotted": {name: COLOURS[place] for plot in board.plots for name, place in plot.colours.items()},
            "notes": [*said, *_remarks(recordings, board), *self._left_out()],
            "picture": self._picture(styles),
        }
        for key, value in told.items():
            text = json.dumps(value)
            if getattr(self._page, key) != text:
                setattr(self._page, key, text)

    def _signals(self, recordings: Mapping[str, Recording]) -> list[list[Any]]:
        """Return name, unit, elements and description of every signal of the shown runs."""
        key = tuple((name, recording.stage) for name, recording in recordings.items())
        if self._listed[0] == key:
            return self._listed[1]
        found: dict[str, list[Any]] = {}
        for recording in recordings.values():
            for name, signal in recording.run.signals.items():
                unit = "true/false" if signal.type == "Boolean" else pretty(shown(signal.unit)[1])
                elements = list(signal.columns) if signal.shape else []
                found.setdefault(name, [name, unit, elements, signal.description])
        self._listed = (key, list(found.values()))
        return self._listed[1]

    def _left_out(self) -> Iterator[str]:
        if self._catalogue.left_out:
            yield f"The folder has {self._catalogue.left_out} more runs, which are older and not listed."

    def _picture(self, styles: Mapping[str, int]) -> dict[str, str]:
        """Return which run's picture is available, with a note about it, or why there is none."""
        entry = next((self._catalogue.entries[n] for n in styles if n in self._catalogue.entries), None)
        # the picture exists from the first write on, so it is requested once for each folder and outcome
        key = None if entry is None else (entry.name, entry.outcome, entry.stamp[:1])
        if self._pictured[0] != key or key is None:
            self._pictured = (key, self._picture_of(entry))
        return self._pictured[1]

    def _picture_of(self, entry: Entry | None) -> dict[str, str]:
        try:
            if entry is not None:
                return {"run": entry.name, "title": entry.diagram, "text": self._pictures.of(entry)[1]}
            if self._pictures.diagram is not None:
                return {"run": "", "title": self._pictures.name, "text": ""}
        except DrawbarError as error:
            return {"error": str(error)}
        return {"error": "Choose a run on the left to see its diagram."}


def _remarks(recordings: Mapping[str, Recording], board: Board) -> Iterator[str]:
    """Yield notes about the runs: why they ended, and which of their signals are not drawn."""
    for name, recording in recordings.items():
        if message := recording.run.info.get("message"):
            yield f"{name}: {message}"
    for name in board.names:
        units = {r.run.signal(name).unit for r in recordings.values() if name in r.run}
        if len(units) > 1:
            yield f"{name} is in {' and '.join(sorted(units))}; only the run with the unit of the plot is drawn"


def _row(entry: Entry, style: int | None) -> dict[str, Any]:
    return {
        "name": entry.name,
        "outcome": entry.outcome,
        "live": entry.outcome == RUNNING,
        "date": entry.date,
        "simulated": entry.simulated if entry.simulated is None or math.isfinite(entry.simulated) else None,
        "stop": entry.stop if entry.stop is None or math.isfinite(entry.stop) else None,
        "diagram": entry.diagram,
        "fault": entry.fault,
        "style": style,
    }
