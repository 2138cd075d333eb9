"""Figures that are not over time: signals over another signal, and power spectral densities.

They serve the page of a run and that of ``drawbar view``, which allows no scripts in figures; so there are none here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, DataRange1d, HoverTool, LegendItem
from numpy.typing import NDArray

from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.charts import Chart, rate_fault
from drawbar.web.report.samples import BINS, comparable
from drawbar.web.report.spectrum import power_spectral_density
from drawbar.web.report.style import (
    ONCE,
    add_legend,
    axis_label,
    blank_figure,
    curve_style,
    display_unit,
    escape_tex,
    escape_tooltip,
)


@dataclass(frozen=True)
class DrawnRun:
    """A run of a figure: its name in the legend, and its place among the colours."""

    name: str
    run: Run
    colour: int


def _squared(unit: str) -> str:
    """Return the text of a unit squared: ``N²``, ``(m/s²)²``, ``1``."""
    if unit in ("", "1"):
        return "1"
    return f"{unit}²" if unit.isalpha() or unit == "\N{DEGREE SIGN}" else f"({unit})²"


def spectrum_figure(chart: Chart, runs: Sequence[DrawnRun], notes: list[str]) -> Any:
    """Return a figure of the power spectral densities of a chart's signals, of the first run and of others that fit.

    What cannot be drawn is added to the `notes`.
    """
    options = {"x_axis_type": "log", "y_axis_type": "log", "tools": "pan,box_zoom,wheel_zoom,reset,save"}
    fig = blank_figure(chart.title, 300, **options)
    factor, unit = display_unit(chart.unit)
    fig.xaxis.axis_label, fig.yaxis.axis_label = "frequency [Hz]", escape_tex(f"density [{_squared(unit)}/Hz]")
    items = []
    for drawn in runs:
        for place, name, label in chart.curves:
            if not comparable(runs[0].run, drawn.run, name):
                continue
            values = factor * np.asarray(drawn.run[name], dtype=np.float64)
            found = power_spectral_density(values, float(drawn.run.signal(name).period))
            if found is None:
                notes.append(f"{name} has too few finite samples for a spectrum.")
                continue
            kept = found[1] > 0.0  # a logarithm has no place for zero
            source = ColumnDataSource({"f": found[0][kept], "p": found[1][kept]})
            style = curve_style(drawn.colour, place, len(runs) > 1)
            line = fig.line("f", "p", source=source, line_width=1.6, **style)
            items.append(LegendItem(label=escape_tex(_label(label, drawn, runs)), renderers=[line]))
    if items:
        add_legend(fig, items)
    return fig


def against_figure(chart: Chart, runs: Sequence[DrawnRun], notes: list[str]) -> Any:
    """Return a figure of a chart's signals over another one, of the first run and of others that have both.

    What cannot be drawn is added to the `notes`.
    """
    first = runs[0].run
    fig = blank_figure(chart.title, 250, tools="pan,box_zoom,wheel_zoom,reset,save")
    fig.x_range, fig.y_range = DataRange1d(), DataRange1d()
    fig.xaxis.axis_label = axis_label([chart.against], first.signal(chart.against).unit)
    fig.yaxis.axis_label = axis_label(chart.signals, chart.unit)
    items = []
    for drawn in runs:
        for place, name, label in chart.curves:
            if not all(comparable(first, drawn.run, s) for s in (chart.against, name)):
                continue
            if fault := rate_fault(drawn.run, name, chart.against):
                notes.append(f"{drawn.name}: {fault}.")
                continue
            text = _label(label, drawn, runs)
            style = curve_style(drawn.colour, place, len(runs) > 1)
            path = path_of(drawn.run, (chart.against, name), chart.window)
            for axis, unit in (("x", first.signal(chart.against).unit), ("y", chart.unit)):
                path[axis] = path[axis] * display_unit(unit)[0]
            held = first.signal(chart.against).held, first.signal(name).held
            line = _line(fig, held, source=ColumnDataSource(path), line_width=1.6, **style)
            items.append(LegendItem(label=escape_tex(text), renderers=[line]))
            tips = [
                (escape_tex(text), "@y{%.5g} " + escape_tooltip(display_unit(chart.unit)[1])),
                ("at", "@x{%.5g}"),
            ]
            formats = dict.fromkeys(("@x", "@y"), "printf")
            fig.add_tools(HoverTool(renderers=[line], tooltips=tips, formatters=formats, visible=False, **ONCE))
    if items:
        add_legend(fig, items)
    return fig


def path_of(run: Run, signals: Sequence[str], window: tuple[float, float] | None = None) -> dict[str, NDArray[Any]]:
    """Return every k-th point of a path and its last one, since a curve in the plane has no envelope over time."""
    time = run.time(signals[0])
    x, y = (np.asarray(run[name], dtype=np.float64) for name in signals)
    if window is not None:
        kept = (time >= window[0]) & (time <= window[1])
        time, x, y = time[kept], x[kept], y[kept]
    places = np.arange(0, len(time), max(1, -(-len(time) // (2 * BINS))))
    if len(time) and places[-1] != len(time) - 1:
        places = np.append(places, len(time) - 1)
    return {"t": time[places], "x": x[places], "y": y[places]}


def _label(label: str, drawn: DrawnRun, runs: Sequence[DrawnRun]) -> str:
    return f"{label}, {drawn.name}" if len(runs) > 1 else label


def _line(fig: Any, held: tuple[bool, bool], **style: Any) -> Any:
    """Draw one signal over another; a held one has its value until the next sample."""
    if held[0] == held[1]:  # both change at the same times
        return fig.line("x", "y", **style)
    return fig.step("x", "y", mode="before" if held[0] else "after", **style)
