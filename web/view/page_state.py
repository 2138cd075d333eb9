"""The state of a page as JSON for the browser: runs and their table, signals, colours, notes and picture."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bokeh.core.properties import String
from bokeh.model import DataModel

from drawbar.blocks.core.errors import DrawbarError
from drawbar.orchestrator.runs.recorder import RUNNING
from drawbar.web.report.style import COLOURS, INK, display_unit
from drawbar.web.view.catalogue import Catalogue, Entry, Pictures
from drawbar.web.view.plot_layout import PlotLayout
from drawbar.web.view.recording import Recording


class Page(DataModel):  # type: ignore[misc]
    """The state that the browser and Python share: the browser writes `request`, Python everything else."""

    request = String("")
    runs = String("[]")
    table = String("{}")
    signals = String("[]")
    plotted = String("{}")
    layout = String("[]")
    kind = String("{}")
    notes = String("[]")
    picture = String("{}")


class StateWriter:
    """Writes the state of a page; only what has changed is sent."""

    def __init__(self, page: Page, catalogue: Catalogue, pictures: Pictures) -> None:
        self._page, self._catalogue, self._pictures = page, catalogue, pictures
        self._picture_cache: tuple[Any, dict[str, str]] = (None, {})
        self._signals_cache: tuple[Any, list[list[Any]]] = (None, [])

    def write(
        self,
        styles: Mapping[str, int],
        recordings: Mapping[str, Recording],
        layout: PlotLayout,
        messages: Sequence[str],
        table: Mapping[str, Any],
        kind: Mapping[str, Any],
    ) -> None:
        """Write the state: the shown runs with their styles, and the `messages` that answer the last request.

        `table` is the table of runs, empty if the page does not show it; `kind` is what the plots show.
        """
        state = {
            "runs": [_row(entry, styles.get(entry.name)) for entry in self._catalogue.entries.values()],
            "table": table,
            "signals": self._signals(recordings),
            # with several runs, or differences, the colours are those of the runs
            "plotted": {
                name: INK if kind["several"] else COLOURS[place]
                for plot in layout.plots
                for name, place in plot.colours.items()
            },
            "kind": kind,
            "layout": [plot.names for plot in layout.plots],
            "notes": [*messages, *_run_notes(recordings, layout), *self._omitted_runs()],
            "picture": self._picture(styles),
        }
        for key, value in state.items():
            text = json.dumps(value)
            if getattr(self._page, key) != text:
                setattr(self._page, key, text)

    def _signals(self, recordings: Mapping[str, Recording]) -> list[list[Any]]:
        """Return name, unit, elements and description of every signal of the shown runs."""
        key = tuple((name, recording.version) for name, recording in recordings.items())
        if self._signals_cache[0] == key:
            return self._signals_cache[1]
        found: dict[str, list[Any]] = {}
        for recording in recordings.values():
            for name, signal in recording.run.signals.items():
                unit = "true/false" if signal.type == "Boolean" else display_unit(signal.unit)[1]
                elements = list(signal.columns) if signal.shape else []
                found.setdefault(name, [name, unit, elements, signal.description])
        self._signals_cache = (key, list(found.values()))
        return self._signals_cache[1]

    def _omitted_runs(self) -> Iterator[str]:
        if self._catalogue.omitted:
            yield f"{self._catalogue.omitted} older runs of the folder are not listed."

    def _picture(self, styles: Mapping[str, int]) -> dict[str, str]:
        """Return whose picture is available, with a note about it, or why there is none."""
        entry = next((self._catalogue.entries[n] for n in styles if n in self._catalogue.entries), None)
        # the picture exists from the first write on, so it is read once for each folder and outcome
        key = None if entry is None else (entry.name, entry.outcome, entry.stamp[:1])
        if self._picture_cache[0] != key or key is None:
            self._picture_cache = (key, self._picture_of(entry))
        return self._picture_cache[1]

    def _picture_of(self, entry: Entry | None) -> dict[str, str]:
        try:
            if entry is not None:
                return {"run": entry.name, "title": entry.diagram, "text": self._pictures.of(entry)[1]}
            if self._pictures.diagram is not None:
                return {"run": "", "title": self._pictures.name, "text": ""}
        except DrawbarError as error:
            return {"error": str(error)}
        return {"error": "Choose a run on the left to see its diagram."}


def _run_notes(recordings: Mapping[str, Recording], layout: PlotLayout) -> Iterator[str]:
    """Yield notes about the runs: why they ended, and which of their signals are not drawn."""
    for name, recording in recordings.items():
        if message := recording.run.info.get("message"):
            yield f"{name}: {message}"
    for name in layout.names:
        units = {r.run.signal(name).unit for r in recordings.values() if name in r.run}
        if len(units) > 1:
            yield f"{name} is in {' and '.join(sorted(units))}; only runs with the unit of the plot are drawn"


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
        "colour": None if style is None else COLOURS[style],
    }
