"""Charts as Bokeh figures that share a time axis and a cursor."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from bokeh.models import (
    ColumnDataSource,
    CrosshairTool,
    CustomJS,
    DataRange1d,
    HoverTool,
    LegendItem,
    Span,
)
from numpy.typing import NDArray

from drawbar.orchestrator.reports.baseline import AS_IT_STANDS
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.charts import Chart
from drawbar.web.report.cross_plots import DrawnRun, against_figure, path_of, spectrum_figure
from drawbar.web.report.run_folder import Case
from drawbar.web.report.samples import Samples, comparable
from drawbar.web.report.style import (
    COLOURS,
    DASHES,
    INK,
    LEFT,
    ONCE,
    WIDTH,
    add_legend,
    axis_label,
    blank_figure,
    curve_style,
    display_unit,
    draw_curve,
    escape_tex,
    escape_tooltip,
)

CONE, REFERENCE, DOT = "#e69f00", "#8a8a8a", "#333333"

_MOVE_DOT = """
// the dot on the map is the position at the time under the cursor
const t = path.data.t, at = cursor.location;
if (at == null || !isFinite(at) || t.length == 0) return;
let low = 0, high = t.length - 1;
while (high - low > 1) { const mid = (low + high) >> 1; if (t[mid] <= at) low = mid; else high = mid; }
const share = (at - t[low]) / (t[high] - t[low] || 1);
const between = (a, held) => share >= 1 ? a[high] : a[low] + (held || share < 0 ? 0 : share) * (a[high] - a[low]);
dot.data = {x: [between(path.data.x, held[0])], y: [between(path.data.y, held[1])]};
"""

_HIDE = """
// a curve is visible if both its signal and its run are
curves.forEach((curve, i) => { curve.visible = signals[i].visible && runs[i].visible; });
"""


class Figures:
    """The figures of one page in the order of the charts; `notes` says what was left out or decimated.

    The run's `cases` are drawn over it; each run has a colour then, and each signal of a plot a dash.
    """

    def __init__(self, run: Run, charts: Sequence[Chart], cases: Sequence[Case] = (), name: str = AS_IT_STANDS) -> None:
        self.run = run
        self.notes: list[str] = []
        drawn = cases[: len(COLOURS) - 1]
        if len(cases) > len(drawn):
            self.notes.append(
                f"The first {len(drawn)} of {len(cases)} cases are drawn; drawbar plot makes a page of each."
            )
        self._runs = [run, *(case.run for case in drawn)]
        self._names = [name, *(case.name for case in drawn)]
        names = [name for chart in charts if chart.over_time for name in chart.signals]
        self._samples = Samples(self._runs, names)
        self.notes += self._samples.notes
        self._cursor = Span(dimension="height", line_color=INK, line_alpha=0.5, line_width=1)
        self.figures = [self._figure(chart) for chart in charts]

    def _figure(self, chart: Chart) -> Any:
        if chart.is_map:
            return self._map(chart)
        if chart.is_spectrum:
            return spectrum_figure(chart, self._drawn_runs(), self.notes)
        return against_figure(chart, self._drawn_runs(), self.notes) if chart.against else self._over_time(chart)

    def _drawn_runs(self) -> list[DrawnRun]:
        return [DrawnRun(name, run, i) for i, (name, run) in enumerate(zip(self._names, self._runs, strict=True))]

    def _over_time(self, chart: Chart) -> Any:
        fig = blank_figure(chart.title, 250, tools="xpan,xbox_zoom,xwheel_zoom,reset,save", x_range=self._samples.range)
        fig.toolbar.active_drag = fig.select_one({"name": "xbox_zoom"}) or fig.toolbar.tools[1]
        fig.tags = [escape_tex(display_unit(chart.unit)[1])]
        fig.xaxis.axis_label = "time [s]"
        fig.yaxis.axis_label = axis_label(chart.signals, chart.unit)
        curves: dict[tuple[int, int], Any] = {}
        for number in range(len(self._runs)):
            for place, (name, label) in enumerate(zip(chart.signals, chart.labels, strict=True)):
                found = self._samples.curve(number, name)
                if found is not None:
                    held = self.run.signal(name).held
                    style = {"source": found[0], **curve_style(number, place, len(self._runs) > 1)}
                    curve = curves[number, place] = draw_curve(fig, found[1], held, **style)
                    curve.tags = [self._names[number], name, held, label]  # for the readout
        fig.y_range = DataRange1d(renderers=list(curves.values()), only_visible=True, default_span=1.0)
        fig.add_tools(CrosshairTool(overlay=self._cursor, visible=False))
        add_legend(fig, self._legend_items(fig, chart, curves))
        return fig

    def _legend_items(self, fig: Any, chart: Chart, curves: Mapping[tuple[int, int], Any]) -> list[Any]:
        """Return the entries of the signals, and with several runs those of the runs; each hides its curves."""
        if len(self._runs) == 1:
            return [LegendItem(label=escape_tex(chart.labels[s]), renderers=[c]) for (_, s), c in curves.items()]
        signals = {
            s: _symbol(fig, line_color=INK, line_dash=DASHES[s]) for s in range(len(chart.signals)) if (0, s) in curves
        }
        runs = {r: _symbol(fig, line_color=COLOURS[r]) for r in dict.fromkeys(number for number, _ in curves)}
        args = {
            "curves": list(curves.values()),
            "signals": [signals[s] for _, s in curves],
            "runs": [runs[r] for r, _ in curves],
        }
        hide = CustomJS(args=args, code=_HIDE)
        for symbol in (*signals.values(), *runs.values()):
            symbol.js_on_change("visible", hide)
        items = [LegendItem(label=escape_tex(chart.labels[s]), renderers=[symbol]) for s, symbol in signals.items()]
        names = [LegendItem(label=escape_tex(self._names[r]), renderers=[symbol]) for r, symbol in runs.items()]
        return [*items, *names] if len(runs) > 1 else items

    def _map(self, chart: Chart) -> Any:
        drawn = [
            (n, run) for n, run in enumerate(self._runs) if all(comparable(self.run, run, s) for s in chart.signals)
        ]
        paths = {n: path_of(run, chart.signals) for n, run in drawn}
        scene = self._scene(chart)
        fig = blank_figure(
            chart.title, _map_height([*paths.values(), *scene]), tools="pan,box_zoom,wheel_zoom,reset,save"
        )
        fig.x_range, fig.y_range = DataRange1d(), DataRange1d()
        fig.match_aspect = True
        fig.toolbar.active_drag = fig.toolbar.tools[0]
        for axis, name in ((fig.xaxis, chart.signals[0]), (fig.yaxis, chart.signals[1])):
            axis.axis_label = axis_label([name], chart.unit)
        objects = []
        for item in scene:
            if item["kind"] == "line":
                mark = fig.line(item["x"], item["y"], line_color=REFERENCE, line_dash="dashed", line_width=1.4)
            else:
                mark = fig.scatter(
                    item["x"], item["y"], marker="triangle", size=8, fill_color=CONE, line_color=INK, line_width=0.7
                )
            objects.append(LegendItem(label=escape_tex(item["name"]), renderers=[mark]))
        items, dots = [], []
        for number, path in paths.items():
            # the path of a case is almost the same, so the one below must be visible between its dashes
            style = {"line_color": COLOURS[number], "line_dash": DASHES[number]}
            line, dot = self._draw_path(fig, path, chart, **style)
            label = escape_tex(f"path, {self._names[number]}") if len(paths) > 1 else "path"
            items.append(LegendItem(label=label, renderers=[line]))
            dots.append(dot)
        add_legend(fig, [*items, LegendItem(label="at the cursor", renderers=dots), *objects])
        return fig

    def _draw_path(self, fig: Any, path: Mapping[str, NDArray[Any]], chart: Chart, **style: Any) -> tuple[Any, Any]:
        """Draw a path, and a dot at its position at the time under the cursor."""
        source = ColumnDataSource(path)
        line = fig.line("x", "y", source=source, line_width=2, **style)
        dot = ColumnDataSource({name: values[:1] for name, values in path.items() if name != "t"})
        mark = fig.scatter(
            "x", "y", source=dot, size=10, fill_color=DOT, line_color="white", line_width=1.5, level="overlay"
        )
        held = [self.run.signal(name).held for name in chart.signals]
        args = {"cursor": self._cursor, "path": source, "dot": dot, "held": held}
        self._cursor.js_on_change("location", CustomJS(args=args, code=_MOVE_DOT))
        text = escape_tooltip(display_unit(chart.unit)[1])
        rows = [("time", "@t{%.6g} s"), ("x", f"@x{{%.5g}} {text}"), ("y", f"@y{{%.5g}} {text}")]
        formats = dict.fromkeys(("@t", "@x", "@y"), "printf")
        fig.add_tools(HoverTool(renderers=[line], tooltips=rows, formatters=formats, visible=False, **ONCE))
        return line, mark

    def _scene(self, chart: Chart) -> list[dict[str, Any]]:
        items = self.run.info.get("scene") or []
        good = [item for item in items if _drawable(item)] if isinstance(items, list) else []
        if chart.unit != "m" and good:
            self.notes.append(f"The scene is in metres and the path in {chart.unit}; the scene is left out.")
            return []
        if not isinstance(items, list) or len(good) < len(items):
            self.notes.append("Scene items that are not points or a line with as many x as y are left out.")
        return [{**item, "name": str(item.get("name", item["kind"]))} for item in good]


def _symbol(fig: Any, **style: Any) -> Any:
    """Return a line that appears in the legend only: one without data has no symbol there, one of NaN has."""
    return fig.line([math.nan], [math.nan], line_width=1.6, **style)


def _map_height(items: Sequence[Mapping[str, Any]]) -> int:
    """Return the height of a map for the drawn extent at equal aspect, limited to what fits on a page."""
    spans = []
    for axis in ("x", "y"):
        values = np.concatenate([np.asarray(item[axis], dtype=np.float64) for item in items])
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
