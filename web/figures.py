"""Charts as Bokeh figures that share the time axis and one cursor."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import Any

import numpy as np
from bokeh.models import (
    ColumnDataSource,
    CrosshairTool,
    CustomJS,
    DataRange1d,
    HoverTool,
    Legend,
    LegendItem,
    Range1d,
    Span,
)
from bokeh.plotting import figure
from numpy.typing import NDArray

from drawbar.orchestrator.run import Run
from drawbar.web.charts import Chart
from drawbar.web.envelope import envelope
from drawbar.web.scripts import PLAYHEAD, ZOOM

SAMPLES = 1_000_000  # of all curves of a page together; beyond it envelopes are drawn
BINS = 10_000
SMOOTH = 100_000  # as many points are panned without a stutter; beyond it the browser thins what it draws
FINE, ROUGH = 3000, 500  # its bins near and off the visible range
WIDTH = 1100  # of a page in a window of usual size; figures stretch from there

# Okabe and Ito's colours for all kinds of sight, without the yellow that is lost on white
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7a7a7a")
INK, GRID, CONE, REFERENCE = "#333333", "#ebebeb", "#e69f00", "#8a8a8a"
FONT = "system-ui, sans-serif"
LEFT = 78  # room for the y axis, equal in all figures so that their time axes stand above each other

# people read angles in degrees; everything else stays in the unit of its port
_DEGREES = {"rad": "deg", "rad/s": "deg/s", "rad/s2": "deg/s2"}
_POWERS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

# on a sample, the segments before and behind it are both hit; older versions of Bokeh then tell it twice
_ONCE = {"limit": 1} if "limit" in HoverTool.properties() else {}


_Array = NDArray[np.float64]


class Figures:
    """The figures of one page; `figures` in the order of the charts, `notes` what was left out or thinned."""

    def __init__(self, run: Run, charts: Sequence[Chart]) -> None:
        self.run = run
        self.notes: list[str] = []
        timed = [chart for chart in charts if not chart.is_map]
        self._columns = {name: f"c{i}" for i, name in enumerate(dict.fromkeys(n for c in timed for n in c.signals))}
        times, curves = self._read()
        self._cursor = Span(dimension="height", line_color=INK, line_alpha=0.5, line_width=1)
        ends = [t[[0, -1]] for t in times.values() if len(t)]
        start, end = (min(e[0] for e in ends), max(e[1] for e in ends)) if ends else (0.0, 1.0)
        self._range = Range1d(float(start), float(end if end > start else start + 1.0))
        self._sources = {period: self._source(times[period], curves[period]) for period in times}
        self.figures = [self._map(chart) if chart.is_map else self._over_time(chart) for chart in charts]

    def _read(self) -> tuple[dict[Fraction, _Array], dict[Fraction, dict[str, _Array]]]:
        """The times of each rate, and its curves by column name."""
        rates: dict[Fraction, dict[str, _Array]] = {}
        times: dict[Fraction, _Array] = {}
        for name, column in self._columns.items():
            signal = self.run.signal(name)
            times[signal.period] = self.run.time(name)
            values = np.asarray(self.run[name], dtype=np.float64) * shown(signal.unit)[0]
            rates.setdefault(signal.period, {})[column] = values
        total = sum(len(times[period]) * len(columns) for period, columns in rates.items())
        self._thins = SMOOTH < total <= SAMPLES
        if total > SAMPLES:
            self.notes.append(
                f"The {total:,} samples are drawn as min/max envelopes of {BINS:,} bins a curve: every spike is there, "
                f"but zooming shows no finer detail. Up to {SAMPLES:,} samples are drawn in full; choose fewer signals "
                "with drawbar plot RUN --signals."
            )
            for period, columns in rates.items():
                times[period], rates[period] = envelope(times[period], columns, BINS)
        return times, rates

    def _source(self, time: _Array, columns: dict[str, _Array]) -> Any:
        """What is drawn of a rate: its times as ``t`` and every curve under its column name.

        Where that is too much to pan smoothly, all samples go into the page as well, and it draws those that count.
        """
        full = ColumnDataSource({"t": time, **{c: compact(v) for c, v in columns.items()}})
        if not self._thins:
            return full
        few, thin = envelope(time, columns, FINE)
        drawn = ColumnDataSource({"t": few, **thin})
        args = {
            "full": full,
            "shown": drawn,
            "range": self._range,
            "columns": list(columns),
            "fine": FINE,
            "rough": ROUGH,
        }
        for end in ("start", "end"):
            self._range.js_on_change(end, CustomJS(args=args, code=ZOOM))
        return drawn

    def _over_time(self, chart: Chart) -> Any:
        fig = _figure(chart.title, 250, tools="xpan,xbox_zoom,xwheel_zoom,reset,save", x_range=self._range)
        fig.toolbar.active_drag = fig.select_one({"name": "xbox_zoom"}) or fig.toolbar.tools[1]
        fig.xaxis.axis_label = "time [s]"
        fig.yaxis.axis_label = quantity(chart.signals, chart.unit)
        items, curves = [], []
        rows: dict[Fraction, list[tuple[str, str]]] = {}
        for name, label, colour in zip(chart.signals, chart.labels, COLOURS, strict=False):
            signal, column = self.run.signal(name), self._columns[name]
            source = self._sources[signal.period]
            style = {"source": source, "line_color": colour, "line_width": 1.6}
            # what counts or switches holds its value until the next sample
            held = signal.type != "Real"
            curve = fig.step("t", column, mode="after", **style) if held else fig.line("t", column, **style)
            curves.append(curve)
            items.append(LegendItem(label=plain(label), renderers=[curve]))
            rows.setdefault(signal.period, []).append((plain(label), column))
        fig.y_range = DataRange1d(renderers=curves, only_visible=True, default_span=1.0)
        unit = template(pretty(shown(chart.unit)[1]))
        for period, columns in rows.items():
            # an unseen line carries one tooltip for all curves of a rate, also when some are hidden
            probe = fig.line("t", columns[0][1], source=self._sources[period], line_alpha=0.0)
            shown_rows = [("time", "@t{%.6g} s")]
            shown_rows += [(text, f"@{c}{{%.5g}} {unit}") for text, c in columns]
            fig.add_tools(
                HoverTool(
                    renderers=[probe],
                    mode="vline",
                    **_ONCE,
                    tooltips=shown_rows,
                    formatters={"@t": "printf", **{f"@{c}": "printf" for _, c in columns}},
                    visible=False,
                )
            )
        fig.add_tools(CrosshairTool(overlay=self._cursor, visible=False))
        _legend(fig, items)
        return fig

    def _map(self, chart: Chart) -> Any:
        x, y = (np.asarray(self.run[name], dtype=np.float64) for name in chart.signals)
        path = _thin(self.run.time(chart.signals[0]), x, y)
        scene = self._scene(chart)
        fig = _figure(chart.title, _map_height(path, scene), tools="pan,box_zoom,wheel_zoom,reset,save")
        fig.x_range, fig.y_range = DataRange1d(), DataRange1d()
        fig.match_aspect = True
        fig.toolbar.active_drag = fig.toolbar.tools[0]
        for axis, name in ((fig.xaxis, chart.signals[0]), (fig.yaxis, chart.signals[1])):
            axis.axis_label = quantity([name], chart.unit)
        items = []
        for item in scene:
            if item["kind"] == "line":
                mark = fig.line(item["x"], item["y"], line_color=REFERENCE, line_dash="dashed", line_width=1.4)
            else:
                mark = fig.scatter(
                    item["x"], item["y"], marker="triangle", size=8, fill_color=CONE, line_color=INK, line_width=0.7
                )
            items.append(LegendItem(label=plain(item["name"]), renderers=[mark]))
        source = ColumnDataSource(path)
        line = fig.line("x", "y", source=source, line_color=COLOURS[0], line_width=2)
        dot = ColumnDataSource({name: values[:1] for name, values in path.items() if name != "t"})
        mark = fig.scatter("x", "y", source=dot, size=10, fill_color=COLOURS[1], line_color="white", line_width=1.5)
        items.insert(0, LegendItem(label="path", renderers=[line]))
        items.insert(1, LegendItem(label="at the cursor", renderers=[mark]))
        self._cursor.js_on_change(
            "location", CustomJS(args={"cursor": self._cursor, "path": source, "dot": dot}, code=PLAYHEAD)
        )
        unit = template(pretty(shown(chart.unit)[1]))
        rows = [("time", "@t{%.6g} s"), ("x", f"@x{{%.5g}} {unit}"), ("y", f"@y{{%.5g}} {unit}")]
        formats = dict.fromkeys(("@t", "@x", "@y"), "printf")
        fig.add_tools(HoverTool(renderers=[line], tooltips=rows, formatters=formats, visible=False, **_ONCE))
        _legend(fig, items)
        return fig

    def _scene(self, chart: Chart) -> list[dict[str, Any]]:
        items = self.run.info.get("scene") or []
        good = [item for item in items if _drawable(item)] if isinstance(items, list) else []
        if chart.unit != "m" and good:
            self.notes.append(f"The scene is in metres and the path in {chart.unit}; the scene is left out.")
            return []
        if not isinstance(items, list) or len(good) < len(items):
            self.notes.append("Scene items that are no points or line with as many x as y are left out.")
        return [{**item, "name": str(item.get("name", item["kind"]))} for item in good]


def shown(unit: str) -> tuple[float, str]:
    """Factor and name of the unit that people read."""
    return (180 / math.pi, _DEGREES[unit]) if unit in _DEGREES else (1.0, unit)


def pretty(unit: str) -> str:
    """A unit as it is printed: ``m/s2`` becomes m/s², ``1`` nothing."""
    if unit == "1":
        return ""
    raised = re.sub(r"(?<=[A-Za-z])-?[0-9]+", lambda power: power[0].translate(_POWERS), unit)
    return raised.replace(".", "·").replace("deg", "°") if unit in _DEGREES.values() else raised.replace(".", "·")


def quantity(names: Sequence[str], unit: str) -> str:
    """The text of an axis: what it shows, if the signals agree on that, and its unit."""
    words = {_words(name.split("[")[0].rsplit(".", 1)[-1]) for name in names}
    return plain(f"{words.pop() if len(words) == 1 else ''} [{pretty(shown(unit)[1]) or '-'}]".strip())


def _words(name: str) -> str:
    parts = name.split("_")
    return " ".join(parts) if all(len(part) > 1 for part in parts) else name  # a_y is a symbol, wheel_load are words


def plain(text: str) -> str:
    """Text from a file, so marked that Bokeh does not take parts of it for TeX."""
    return re.sub(r"\$(?=\$)|\\(?=[\[\]()])", "\\g<0>\u200b", text)


def template(text: str) -> str:
    """Text from a file as a part of a tooltip's value, which Bokeh takes for HTML with ``@`` and ``$`` to fill in."""
    return escape(text).replace("@", "&#64;").replace("$", "&#36;")


def compact(values: NDArray[np.float64]) -> NDArray[Any]:
    """Half the bytes where no eye sees it: single precision if that is exact to 1e-5 of the curve's span."""
    finite = values[np.isfinite(values)]
    if not finite.size or np.abs(finite).max() > 1e30:
        return values
    worst = np.abs(finite - finite.astype(np.float32)).max()
    return values.astype(np.float32) if worst <= 1e-5 * np.ptp(finite) else values


def _figure(title: str, height: int, **options: Any) -> Any:
    fig = figure(
        title=plain(title),
        height=height,
        sizing_mode="stretch_width",
        min_width=500,
        min_border_left=LEFT,
        toolbar_location="right",
        active_scroll=None,
        output_backend="canvas",
        **options,
    )
    fig.toolbar.logo = None
    fig.toolbar.autohide = True
    fig.outline_line_color = None
    fig.title.text_font, fig.title.text_font_size, fig.title.text_color = FONT, "14px", INK
    for axis in fig.axis:
        axis.axis_label_text_font = axis.major_label_text_font = FONT
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_font_size, axis.major_label_text_font_size = "13px", "12px"
        axis.axis_label_text_color = axis.major_label_text_color = INK
        axis.axis_line_color = axis.major_tick_line_color = "#9a9a9a"
        axis.minor_tick_line_color = None
    fig.grid.grid_line_color = GRID
    return fig


def _legend(fig: Any, items: list[Any]) -> None:
    longest = max(len(item.label.value) for item in items)
    columns = max(1, min(len(items), int((WIDTH - 2 * LEFT) / (7.5 * longest + 45))))
    legend = Legend(
        items=items,
        click_policy="hide",
        orientation="horizontal",
        ncols=columns,
        location="top_left",
        border_line_color=None,
        label_text_font=FONT,
        label_text_font_size="12px",
        label_text_color=INK,
        glyph_width=22,
        padding=0,
        margin=2,
        spacing=14,
    )
    fig.add_layout(legend, "above")
    fig.height += 24 * -(-len(items) // columns)


def _thin(time: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    """Every k-th point of a path and its last: a curve in the plane has no envelope over time."""
    places = np.arange(0, len(time), max(1, -(-len(time) // (2 * BINS))))
    if len(time) and places[-1] != len(time) - 1:
        places = np.append(places, len(time) - 1)
    return {"t": time[places], "x": x[places], "y": y[places]}


def _map_height(path: Mapping[str, NDArray[Any]], scene: Sequence[Mapping[str, Any]]) -> int:
    """High enough for the drawn extent at equal aspect, within what a page bears."""
    spans = []
    for axis in ("x", "y"):
        values = np.concatenate([path[axis], *(np.asarray(item[axis], dtype=np.float64) for item in scene)])
        values = values[np.isfinite(values)]
        spans.append(float(np.ptp(values)) if values.size else 1.0)
    wanted = (WIDTH - 2 * LEFT) * spans[1] / spans[0] if spans[0] > 0 else math.inf
    return int(min(max(wanted, 110), 480)) + 110


def _drawable(item: Any) -> bool:
    if not isinstance(item, Mapping) or item.get("kind") not in ("points", "line"):
        return False
    x, y = item.get("x"), item.get("y")
    if not isinstance(x, list) or not isinstance(y, list) or len(x) != len(y):
        return False
    return all(isinstance(v, int | float) and math.isfinite(v) for v in (*x, *y))
