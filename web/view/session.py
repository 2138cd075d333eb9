"""One open page: the reader's choices, and the state that is sent to the browser.

The browser and Python share one `Page`: the browser writes requests into it, Python everything else. All values are
JSON; the page's scripts put them into the document as text, never as HTML.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from drawbar.blocks.core.errors import DrawbarError, UsageError, did_you_mean
from drawbar.web.report.charts import select_charts
from drawbar.web.view.catalogue import Catalogue, Pictures
from drawbar.web.view.curves import Curves
from drawbar.web.view.differences import DifferenceRecording, differences
from drawbar.web.view.page_state import Page, StateWriter
from drawbar.web.view.panel import MAX_RUNS, Panel
from drawbar.web.view.plot_kind import AGAINST, DIFFERENCE, PlotKind, read_kind
from drawbar.web.view.plot_layout import PlotLayout
from drawbar.web.view.recording import Recording, RecordingCache
from drawbar.web.view.run_table import RunTable

REFRESH = 500  # ms between two readings of the folder
DEBOUNCE = 30  # ms in which changes of the axis are combined
DEFAULT_PLOTS = 3  # of an opened run, before the reader chooses
EVALUATION = 0.25  # s between two readings of the folder for the responses of the table of runs
MAX_REQUEST = 20_000  # characters

_log = logging.getLogger("drawbar.view")


class Session:
    """The model of a page. `document` is Bokeh's; everything shared with other pages is passed in."""

    def __init__(
        self,
        document: Any,
        catalogue: Catalogue,
        cache: RecordingCache,
        pictures: Pictures,
        table: RunTable,
        chosen: str | None = None,
    ) -> None:
        self._document, self._catalogue, self._cache = document, catalogue, cache
        self.page = Page(name="page")
        self._table, self._table_is_open = table, False
        self._state = StateWriter(self.page, catalogue, pictures)
        self.curves = Curves()
        self.layout = PlotLayout()
        self.styles: dict[str, int] = {}  # the shown runs in the order in which they were chosen
        self._panel = Panel(self.curves, self._rescale)
        self._recordings: dict[str, Recording] = {}
        self._kind = PlotKind()
        self._differences: dict[str, DifferenceRecording] = {}
        self._deviations: list[list[str]] = []
        self._versions: dict[str, Any] = {}
        self._messages: list[str] = []
        self._redraw_due = False
        self._drawing = False
        document.add_root(self._panel.column)
        document.add_root(self.page)
        self.page.on_change("request", lambda attribute, old, new: self._report_errors(lambda: self._answer(new)))
        for end in ("start", "end"):
            self.curves.range.on_change(end, lambda attribute, old, new: self._moved())
        self._report_errors(lambda: self._open(chosen))
        document.add_periodic_callback(lambda: self._report_errors(self._refresh), REFRESH)

    def _open(self, chosen: str | None) -> None:
        self._catalogue.refresh()
        first = chosen or next((n for n, e in self._catalogue.entries.items() if not e.fault), None)
        if first is not None:
            self._show(first, alone=True)

    def _report_errors(self, action: Callable[[], None]) -> None:
        """Carry out an action and show the result; report an error to the reader in one sentence."""
        for step in (action, self._write):
            try:
                step()
            except DrawbarError as error:
                self._messages = [str(error)]
            except Exception as error:
                _log.exception("internal error in drawbar view")
                text = (str(error).strip() or type(error).__name__).splitlines()[0]
                self._messages = [f"{type(error).__name__}: {text} (an internal error of Drawbar; --debug shows where)"]

    def _write(self) -> None:
        table = self._table.state() if self._table_is_open else {}
        messages = [*self._messages, *self._panel.notes]
        self._state.write(self.styles, self._recordings, self.layout, messages, table, self._kind_state())

    def _kind_state(self) -> dict[str, Any]:
        """Return what the plots show: with the differences their largest values, else what is missing for them."""
        text, kind = "", self._kind
        if kind.name == DIFFERENCE:
            text = ", ".join(self._differences) or "Draw a second run over the first to see their difference."
        elif kind.name == AGAINST and not self._is_recorded(kind.against):
            text = f"No shown run has {kind.against}." if kind.against else "Name the signal over which to draw."
        several = len(self._differences if kind.name == DIFFERENCE else self.styles) > 1
        return {**asdict(kind), "text": text, "rows": self._deviations, "several": several}

    def _answer(self, text: str) -> None:
        """Carry out a request of the browser. Its content is arbitrary, so every value in it is checked."""
        self._messages = []
        try:
            request = json.loads(text) if len(text) <= MAX_REQUEST else None
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            raise UsageError("the page sent an invalid request; reload it")
        actions: Mapping[str, Callable[[], None]] = {
            "show": lambda: self._show(request.get("run", ""), request.get("alone") is True),
            "plot": lambda: self._plot(request.get("signal", ""), request.get("alone") is True),
            "clear": self._clear,
            "table": lambda: self._show_table(request.get("open") is True),
            "zoom": lambda: self._zoom(request.get("by")),
            "pan": lambda: self._pan(request.get("by")),
            "kind": lambda: self._choose_kind(request.get("name"), request.get("against")),
            "restore": lambda: self._restore(request),
        }
        wanted = str(request.get("action"))[:40]
        if wanted not in actions:
            raise UsageError(f"the page sent the unknown action '{wanted}'{did_you_mean(wanted, actions)}")
        actions[wanted]()

    def _show(self, name: str, alone: bool) -> None:
        """Show a run in place of all others, or over them; a run that is shown over others is removed."""
        entry = self._catalogue.entry(name)
        if entry.fault:
            raise DrawbarError(entry.fault)
        if not alone and name in self.styles:
            if len(self.styles) > 1:
                self._remove(name)
        else:
            recording = self._cache.recording(entry)
            if alone:
                self.styles, self._recordings = {}, {}
            if len(self.styles) >= MAX_RUNS:
                raise UsageError(f"{MAX_RUNS} runs are already drawn over each other, the maximum; remove one first")
            taken = set(self.styles.values())
            self.styles[name] = next(i for i in range(MAX_RUNS) if i not in taken)
            self._recordings[name] = recording
        self.layout.keep(self._is_recorded)
        if not self.layout.plots:
            self._plot_defaults()
        self._draw()

    def _remove(self, name: str) -> None:
        del self.styles[name]
        self._recordings.pop(name, None)
        self._versions.pop(name, None)

    def _plot_defaults(self) -> None:
        """Plot the signals of the run's report, or its first signals."""
        for recording in list(self._recordings.values())[:1]:
            for chart in [c for c in select_charts(recording.run).charts if c.over_time][:DEFAULT_PLOTS]:
                for i, name in enumerate(chart.signals):
                    if name not in self.layout.names:
                        self.layout.add(recording.run.signal(name), alone=i == 0)

    def _plot(self, name: str, alone: bool) -> None:
        for recording in self._recordings.values():
            if isinstance(name, str) and name in recording.run:
                self.layout.toggle(recording.run.signal(name), alone)
                self._draw()
                return
        raise UsageError(f"none of the shown runs has a signal '{str(name)[:80]}'")

    def _show_table(self, is_open: bool) -> None:
        self._table_is_open = is_open

    def _clear(self) -> None:
        self.layout.keep(lambda name: False)
        self._draw()

    def _zoom(self, by: Any) -> None:
        """Make the visible time `by` times as long, about its middle; 0 shows all."""
        if not isinstance(by, int | float) or not math.isfinite(by) or not 0 <= by <= 1000:
            raise UsageError("the page sent an invalid zoom factor; reload it")
        start, end = self.curves.visible()
        low, high = self.curves.full
        half, middle = 0.5 * by * (end - start), 0.5 * (start + end)
        whole = by == 0 or 2 * half >= high - low
        middle = middle if whole else min(max(middle, low + half), high - half)
        start, end = (low, high) if whole else (middle - half, middle + half)
        self.curves.range.update(start=start, end=end)

    def _pan(self, by: Any) -> None:
        """Move the visible time by a share of its length, within the whole time."""
        if isinstance(by, bool) or not isinstance(by, int | float) or not math.isfinite(by) or abs(by) > 1:
            raise UsageError("the page sent an invalid step; reload it")
        (start, end), (low, high) = self.curves.visible(), self.curves.full
        step = min(max(by * (end - start), low - start), high - end)
        self.curves.range.update(start=start + step, end=end + step)

    def _choose_kind(self, name: Any, against: Any) -> None:
        self._kind = read_kind(name, against, self._recordings)
        self._draw()

    def _restore(self, request: Mapping[str, Any]) -> None:
        """Show again what the reader had chosen before the page was loaded anew; what is gone is left out."""
        runs, plots = request.get("runs"), request.get("plots")
        groups = [g for g in plots if isinstance(g, list)] if isinstance(plots, list) else None
        if groups is None or not isinstance(runs, list):
            raise UsageError("the page sent invalid choices; reload it")
        self._table_is_open = request.get("table") is True
        entries = [self._catalogue.entries.get(name) for name in runs[:MAX_RUNS] if isinstance(name, str)]
        found = {e.name: self._cache.recording(e) for e in entries if e is not None and not e.fault}
        if not found:
            return
        self._recordings, self.styles = found, {name: i for i, name in enumerate(found)}
        signals = [
            [
                next(r.run.signal(name) for r in found.values() if name in r.run)
                for name in group
                if isinstance(name, str) and self._is_recorded(name)
            ]
            for group in groups
        ]
        self.layout.restore([group for group in signals if group])
        kind = request.get("kind")
        with suppress(UsageError):
            self._kind = (
                read_kind(kind.get("name"), kind.get("against"), found) if isinstance(kind, dict) else PlotKind()
            )
        self._draw()

    def _is_recorded(self, name: str) -> bool:
        return any(name in recording.run for recording in self._recordings.values())

    def _moved(self) -> None:
        """Redraw once the time axis has moved; its two ends, and the events of a drag, count as one change."""
        if not self._redraw_due and not self._drawing:
            self._redraw_due = True
            self._document.add_timeout_callback(lambda: self._report_errors(self._redraw), DEBOUNCE)

    def _redraw(self) -> None:
        self._redraw_due = False
        if self._kind.over_time:
            self.curves.redraw(self._drawn()[0], self.layout.names, self._panel.width())
            self._rescale()

    def _drawn(self) -> tuple[Mapping[str, Recording], dict[str, int]]:
        """Return what is drawn over time, with its colours: the shown runs, or their differences."""
        if self._kind.name != DIFFERENCE:
            return self._recordings, self.styles
        return self._differences, dict(zip(self._differences, [*self.styles.values()][1:], strict=False))

    def _draw(self) -> None:
        """Draw everything anew after a choice, but for plots that are unchanged."""
        self._versions = {name: recording.version for name, recording in self._recordings.items()}
        self._differences = differences(self._recordings, self._differences) if self._kind.name == DIFFERENCE else {}
        found = ((title, one.deviations(self.layout.names)) for title, one in self._differences.items())
        self._deviations = [[title, *row] for title, rows in found for row in rows]
        if not self._kind.over_time:
            self._panel.show_across(self._kind, self.layout, self._recordings, self.styles)
            return
        drawn, styles = self._drawn()
        self._drawing = True  # the following lines redraw in any case
        self.curves.extend_range(drawn)
        self._drawing = False
        # the previous plots read their sources until the browser has the new ones
        self.curves.redraw(drawn, self.layout.names, self._panel.width(), keep=True)
        self._panel.show(self.layout if drawn else PlotLayout(), drawn, styles)
        self._rescale()

    def _rescale(self) -> None:
        self._panel.rescale()

    def _refresh(self) -> None:
        """Read the folder again: runs appear, grow, end and disappear."""
        self._catalogue.refresh()
        if self._table_is_open:
            self._table.evaluate(EVALUATION)
        for name in list(self.styles):
            try:
                self._recordings[name] = self._cache.recording(self._catalogue.entry(name))
            except DrawbarError as error:
                self._remove(name)
                why = str(error) if name in self._catalogue.entries else "its folder no longer exists"
                self._messages = [f"{name} is no longer shown: {why}"]
        versions = {name: recording.version for name, recording in self._recordings.items()}
        if versions != self._versions:
            self.layout.keep(lambda name: self._is_recorded(name) or not self.styles)
            if not self.layout.plots:
                self._plot_defaults()
            self._draw()
        elif not self.styles and self._catalogue.entries and not self._messages:
            self._open(None)
