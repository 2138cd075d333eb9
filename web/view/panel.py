"""The plots of a page as Bokeh figures that share a time axis and a cursor."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from bokeh.core.property.descriptors import UnsetValueError
from bokeh.models import Column, CrosshairTool, LegendItem, Range1d, Span

from drawbar.orchestrator.runs.run import Signal
from drawbar.web.report.style import (
    COLOURS,
    DASHES,
    INK,
    add_legend,
    axis_label,
    blank_figure,
    curve_style,
    display_unit,
    draw_curve,
    escape_tex,
)
from drawbar.web.view.curves import Curves
from drawbar.web.view.plot_kind import PlotKind, cross_plot
from drawbar.web.view.plot_layout import Plot, PlotLayout
from drawbar.web.view.recording import Recording

MAX_RUNS = len(COLOURS)  # drawn over each other
HEIGHTS = {1: 470, 2: 300}  # px of each plot, by the number of plots
MIN_HEIGHT = 215  # px
DEFAULT_WIDTH = 850  # px between the axes


class Panel:
    """`column` holds the figures; `show` creates them, `rescale` fits their value axes to the visible curves.

    `changed` is called when the reader hides or shows a curve. `notes` says what could not be drawn.
    """

    def __init__(self, curves: Curves, changed: Callable[[], None]) -> None:
        self.column = Column(sizing_mode="stretch_width", name="plots")
        self._curves = curves
        self._changed = changed
        # the cursor moves with the mouse, so it is not synchronized with Python
        self._cursor = Span(
            dimension="height", line_color=INK, line_alpha=0.5, line_width=1, name="cursor", syncable=False
        )
        self._figures: dict[Any, _Figure] = {}
        self.notes: list[str] = []

    def show_across(
        self, kind: PlotKind, layout: PlotLayout, runs: Mapping[str, Recording], styles: Mapping[str, int]
    ) -> None:
        """Draw the plots of a layout as spectra or over another signal."""
        self._figures, self.notes = {}, []
        made = [cross_plot(kind, plot, runs, styles, self.notes) for plot in layout.plots]
        self.column.children = [fig for fig in made if fig is not None]

    def show(self, layout: PlotLayout, runs: Mapping[str, Recording], styles: Mapping[str, int]) -> None:
        """Draw the plots of a layout over time; unchanged plots are reused."""
        self.notes = []
        height = HEIGHTS.get(len(layout.plots), MIN_HEIGHT)
        figures = {}
        for plot in layout.plots:
            drawn = tuple((run, name, signal.period) for run, name, signal in _drawn(plot, runs))
            key = (plot, tuple(plot.colours.items()), drawn, tuple(styles[run] for run in runs), height)
            figures[key] = self._figures.get(key) or _Figure(
                plot, runs, styles, self._curves, self._cursor, height, self._changed
            )
        self._figures = figures
        self.column.children = [f.figure for f in figures.values()]

    def rescale(self) -> None:
        """Fit every value axis to the visible curves within the visible time."""
        for fig in self._figures.values():
            fig.rescale()

    def width(self) -> int:
        """Return the width of the widest plot in px as reported by the browser, or the default until then."""
        return max((f.width() for f in self._figures.values()), default=0) or DEFAULT_WIDTH


def _drawn(plot: Plot, runs: Mapping[str, Recording]) -> list[tuple[str, str, Signal]]:
    """Return run, name and signal of each curve; a run in which unit or type differ has no curve."""
    found = []
    for run, recording in runs.items():
        for name in plot.names:
            if name in recording.run:
                signal = recording.run.signal(name)
                if (signal.unit, signal.type == "Boolean") == (plot.unit, plot.boolean):
                    found.append((run, name, signal))
    return found


class _Figure:
    """One plot; a colour for each signal, or, with several runs, a colour for each run and a dash for each signal."""

    def __init__(
        self,
        plot: Plot,
        runs: Mapping[str, Recording],
        styles: Mapping[str, int],
        curves: Curves,
        cursor: Any,
        height: int,
        changed: Callable[[], None],
    ) -> None:
        self._plot, self._source = plot, curves
        self._lines: list[tuple[str, str, Signal, Any]] = []
        fig = blank_figure("", height, tools="xpan,xbox_zoom,xwheel_zoom,reset,save", x_range=curves.range)
        fig.title.visible = False
        fig.tags = [escape_tex(display_unit(plot.unit)[1])]
        fig.stylesheets = [":host(:focus:not(:focus-visible)) { outline: none; }"]
        fig.toolbar.active_drag, fig.toolbar.active_scroll = fig.toolbar.tools[1], fig.toolbar.tools[2]
        fig.xaxis.axis_label, fig.yaxis.axis_label = "time [s]", axis_label(plot.names, plot.unit)
        fig.y_range = Range1d(0.0, 1.0)
        self.figure = fig
        several = len(runs) > 1
        for run, name, signal in _drawn(plot, runs):
            style = curve_style(styles[run], plot.colours[name], several)
            line = draw_curve(fig, curves.column(name), signal.held, source=curves.source(run, signal.period), **style)
            line.tags = [run, name, signal.held, name.rpartition(".")[2]]  # for the readout
            self._lines.append((run, name, signal, line))
        fig.add_tools(CrosshairTool(overlay=cursor, visible=False))
        # a line of NaN appears in the legend only; `hide` decides which curves a click on it hides
        symbols = {}
        for name, place in plot.colours.items():
            style = {"line_color": INK, "line_dash": DASHES[place]} if several else {"line_color": COLOURS[place]}
            symbols[name] = fig.line([math.nan], [math.nan], line_width=2, **style)
        items = [LegendItem(label=escape_tex(name), renderers=[symbol]) for name, symbol in symbols.items()]
        drawn = dict.fromkeys(run for run, _, _, _ in self._lines)
        kinds = {}
        for run in drawn if several else ():
            kinds[run] = fig.line([math.nan], [math.nan], line_color=COLOURS[styles[run]], line_width=2)
            items.append(LegendItem(label=escape_tex(run.rpartition("/")[2]), renderers=[kinds[run]]))

        def hide(attribute: str, old: Any, new: Any) -> None:
            for run, name, _, line in self._lines:
                line.visible = bool(symbols[name].visible and (run not in kinds or kinds[run].visible))
            changed()

        for symbol in (*symbols.values(), *kinds.values()):
            symbol.on_change("visible", hide)
        add_legend(fig, items)

    def width(self) -> int:
        """Return the width between the axes in px as reported by the browser; 0 before it has drawn."""
        try:
            width = self.figure.inner_width
        except UnsetValueError:
            return 0
        return int(width) if isinstance(width, int | float) and math.isfinite(width) else 0

    def rescale(self) -> None:
        """Fit the value axis to the visible curves, with a margin."""
        if self._plot.boolean:
            self.figure.y_range.update(start=-0.1, end=1.1)
            return
        found = [
            self._source.extremes(run, signal.period, name) for run, name, signal, line in self._lines if line.visible
        ]
        visible = [ends for ends in found if ends is not None]
        if not visible:
            return
        low, high = min(ends[0] for ends in visible), max(ends[1] for ends in visible)
        # a constant is a line in the middle, not magnified noise
        margin = 0.05 * (high - low) if high - low > 1e-12 * max(abs(low), abs(high)) else max(0.5 * abs(high), 0.5)
        if math.isfinite(low - margin) and math.isfinite(high + margin):
            self.figure.y_range.update(start=low - margin, end=high + margin)
