"""One open page: the reader's choices, and the state that is sent to the browser.

The browser and Python share one `Page`: the browser writes a question into `ask`, Python writes everything else. All
texts are JSON; the page's scripts put them into the document as text, never as HTML.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping
from typing import Any

from drawbar.blocks.core.errors import DrawbarError, UsageError, did_you_mean
from drawbar.web.report.charts import choose
from drawbar.web.view.board import Board
from drawbar.web.view.catalogue import Catalogue
from drawbar.web.view.curves import Curves
from drawbar.web.view.page_state import Page, Teller
from drawbar.web.view.panel import STYLES, Panel
from drawbar.web.view.pictures import Pictures
from drawbar.web.view.recording import Recording, Shelf

TICK = 500  # ms between two looks at the folder
DEBOUNCE = 30  # ms in which changes of the axis are combined
FIRST_PLOTS = 3  # of an opened run, before the reader chooses
LONGEST = 20_000  # characters of a question

_log = logging.getLogger("drawbar.view")


class Session:
    """The model of the page. `document` is Bokeh's; everything shared with other pages is passed in."""

    def __init__(
        self, document: Any, catalogue: Catalogue, shelf: Shelf, pictures: Pictures, chosen: str | None = None
    ) -> None:
        self._document, self._catalogue, self._shelf = document, catalogue, shelf
        self.page = Page(name="page")
        self._teller = Teller(self.page, catalogue, pictures)
        self.curves = Curves()
        self.board = Board()
        self.styles: dict[str, int] = {}  # the shown runs in the order in which they were chosen
        self._panel = Panel(self.curves, self._rescale)
        self._recordings: dict[str, Recording] = {}
        self._stages: dict[str, Any] = {}
        self._said: list[str] = []
        self._waiting = False
        self._fitting = False
        document.add_root(self._panel.column)
        document.add_root(self.page)
        self.page.on_change("ask", lambda attribute, old, new: self._guarded(lambda: self._answer(new)))
        for end in ("start", "end"):
            self.curves.range.on_change(end, lambda attribute, old, new: self._moved())
        self._guarded(lambda: self._open(chosen))
        document.add_periodic_callback(lambda: self._guarded(self._tick), TICK)

    def _open(self, chosen: str | None) -> None:
        self._catalogue.refresh()
        first = chosen or next((n for n, e in self._catalogue.entries.items() if not e.fault), None)
        if first is not None:
            self._show(first, alone=True)

    def _guarded(self, what: Callable[[], None]) -> None:
        """Do something and show the result; report an error to the reader in one sentence."""
        for deed in (what, lambda: self._teller.tell(self.styles, self._recordings, self.board, self._said)):
            try:
                deed()
            except DrawbarError as error:
                self._said = [str(error)]
            except Exception as error:
                _log.exception("a fault in drawbar view")
                text = (str(error).strip() or type(error).__name__).splitlines()[0]
                self._said = [f"{type(error).__name__}: {text} (a fault in Drawbar itself; --debug shows more of it)"]

    def _answer(self, text: str) -> None:
        """Answer a question of the browser. Its content is arbitrary, so every value in it is checked."""
        self._said = []
        try:
            question = json.loads(text) if len(text) <= LONGEST else None
        except (ValueError, RecursionError):
            question = None
        if not isinstance(question, dict):
            raise UsageError("the page asked for something that is no question; reload it")
        deeds: Mapping[str, Callable[[], None]] = {
            "show": lambda: self._show(question.get("run", ""), question.get("alone") is True),
            "plot": lambda: self._plot(question.get("signal", ""), question.get("alone") is True),
            "clear": self._clear,
            "zoom": lambda: self._zoom(question.get("by")),
        }
        wanted = str(question.get("do"))[:40]
        if wanted not in deeds:
            raise UsageError(f"the page asked for '{wanted}'{did_you_mean(wanted, deeds)}")
        deeds[wanted]()

    def _show(self, name: str, alone: bool) -> None:
        """Show a run in place of all others, or over them; a run that is shown over others is removed."""
        entry = self._catalogue.entry(name)
        if entry.fault:
            raise DrawbarError(entry.fault)
        if not alone and name in self.styles:
            if len(self.styles) > 1:
                self._drop(name)
        else:
            recording = self._shelf.recording(entry)
            if alone:
                self.styles, self._recordings = {}, {}
            if len(self.styles) >= len(STYLES):
                raise UsageError(f"{len(STYLES)} runs are drawn over each other already; take one away first")
            taken = set(self.styles.values())
            self.styles[name] = next(i for i in range(len(STYLES)) if i not in taken)
            self._recordings[name] = recording
        self.board.keep(self._is_recorded)
        if not self.board.plots:
            self._choose()
        self._draw()

    def _drop(self, name: str) -> None:
        del self.styles[name]
        self._recordings.pop(name, None)
        self._stages.pop(name, None)

    def _choose(self) -> None:
        """Plot the signals of the run's report, or its first signals."""
        for recording in list(self._recordings.values())[:1]:
            for chart in [c for c in choose(recording.run).charts if c.over_time][:FIRST_PLOTS]:
                for i, name in enumerate(chart.signals):
                    if name not in self.board.names:
                        self.board.add(recording.run.signal(name), alone=i == 0)

    def _plot(self, name: str, alone: bool) -> None:
        for recording in self._recordings.values():
            if isinstance(name, str) and name in recording.run:
                self.board.toggle(recording.run.signal(name), alone)
                self._draw()
                return
        raise UsageError(f"no run that is shown has a signal '{str(name)[:80]}'")

    def _clear(self) -> None:
        self.board.keep(lambda name: False)
        self._draw()

    def _zoom(self, by: Any) -> None:
        """Make the visible time `by` times as long, about its middle; 0 shows all."""
        if not isinstance(by, int | float) or not math.isfinite(by) or not 0 <= by <= 1000:
            raise UsageError("the page asked to zoom by what is no factor; reload it")
        start, end = self.curves.visible()
        low, high = self.curves.full
        half, middle = 0.5 * by * (end - start), 0.5 * (start + end)
        whole = by == 0 or 2 * half >= high - low
        middle = middle if whole else min(max(middle, low + half), high - half)
        start, end = (low, high) if whole else (middle - half, middle + half)
        self.curves.range.update(start=start, end=end)

    def _is_recorded(self, name: str) -> bool:
        return any(name in recording.run for recording in self._recordings.values())

    def _moved(self) -> None:
        """Redraw once the time axis has moved; its two ends, and the events of a drag, count as one change."""
        if not self._waiting and not self._fitting:
            self._waiting = True
            self._document.add_timeout_callback(lambda: self._guarded(self._redraw), DEBOUNCE)

    def _redraw(self) -> None:
        self._waiting = False
        self.curves.redraw(self._recordings, self.board.names, self._panel.width())
        self._rescale()

    def _draw(self) -> None:
        """Draw everything anew after a choice, but for plots that are unchanged."""
        self._stages = {name: recording.stage for name, recording in self._recordings.items()}
        self._fitting = True  # the following lines draw anyway
        self.curves.stretch(self._recordings)
        self._fitting = False
        # the previous plots read their sources until the browser has the new ones
        self.curves.redraw(self._recordings, self.board.names, self._panel.width(), keep=True)
        self._panel.show(self.board, self._recordings, self.styles)
        self._rescale()

    def _rescale(self) -> None:
        self._panel.rescale()

    def _tick(self) -> None:
        """Look at the folder: runs appear, grow, end and disappear."""
        self._catalogue.refresh()
        for name in list(self.styles):
            try:
                self._recordings[name] = self._shelf.recording(self._catalogue.entry(name))
            except DrawbarError as error:
                self._drop(name)
                why = str(error) if name in self._catalogue.entries else "its folder is gone"
                self._said = [f"{name} is no longer shown: {why}"]
        stages = {name: recording.stage for name, recording in self._recordings.items()}
        if stages != self._stages:
            self.board.keep(lambda name: self._is_recorded(name) or not self.styles)
            if not self.board.plots:
                self._choose()
            self._draw()
        elif not self.styles and self._catalogue.entries and not self._said:
            self._open(None)
