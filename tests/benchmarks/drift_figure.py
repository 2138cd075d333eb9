"""The picture of drift.py: the largest constraint error over time, its axis logarithmic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from accuracy_figure import legend, save
from bokeh.models import FixedTicker, Range1d
from bokeh.plotting import figure

from drawbar.web.report.style import COLOURS, style_figure

WIDTH, HEIGHT = 1200, 700
# formulation, words of the legend, colour, dash
LINES = (
    ("FA", "FA, absolute coordinates: 216 unknowns, 201 constraints", COLOURS[1], "solid"),
    ("FA, stabilised", "FA with Baumgarte's terms", COLOURS[1], "dashed"),
    ("TA", "TA, spanning tree: 45 unknowns, 30 constraints", COLOURS[0], "solid"),
    ("TA, stabilised", "TA with Baumgarte's terms", COLOURS[0], "dashed"),
    ("CE", "CE, loops embedded: 15 unknowns, no constraint", COLOURS[2], "solid"),
)


def draw(found: dict[str, Any], picture: Path) -> None:
    """Draw what `drift.measure` found into a PNG file; ``DrawbarError`` where a browser fails."""
    fig = figure(
        width=WIDTH,
        height=HEIGHT,
        title=f"HMMWV, 36 bodies, free motion, RK4 at {found['step'] * 1e3:g} ms: how far constraints open",
        y_axis_type="log",
        x_range=Range1d(0, found["CE"]["t"][-1]),
        y_range=Range1d(1e-17, 1e-3),
        toolbar_location=None,
        output_backend="canvas",
    )
    style_figure(fig)
    fig.xaxis.axis_label, fig.yaxis.axis_label = "time [s]", "largest error [m or rad]"
    fig.yaxis.ticker = FixedTicker(ticks=[10.0**k for k in range(-16, -2, 2)])
    for name, words, colour, dash in LINES:
        # zero, where the start is exact, has no place on the axis
        points = [(t, e) for t, e in zip(found[name]["t"], found[name]["error"], strict=True) if e > 0]
        x, y = zip(*points, strict=True)
        label = f"{words}: at most {found[name]['largest']:.1e}"
        fig.line(x, y, line_color=colour, line_width=3, line_dash=dash, legend_label=label)
    legend(fig)
    save(fig, picture, HEIGHT)
