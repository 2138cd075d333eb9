"""The picture of drawbar_pull.py: pull over slip, by soil and by wheel."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from bokeh.models import Range1d, Span
from bokeh.plotting import figure

from drawbar.web.report.style import COLOURS, style_figure

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from accuracy_figure import legend, save

SOILS = {"dry sand": COLOURS[3], "sandy loam": COLOURS[0], "clayey soil": COLOURS[1]}
# words, dash, width
WHEELS = {
    "soft": ("soft tire", "solid", 3),
    "rigid": ("rigid wheel", "dashed", 3),
    "closed form": ("rigid wheel, closed formula", "dotted", 2),
}
WIDTH, HEIGHT = 1200, 800


def draw(found: dict[str, Any], picture: Path) -> None:
    """Draw what `drawbar_pull.measure` found into a PNG file."""
    fig = figure(
        width=WIDTH,
        height=HEIGHT,
        title="Drawbar pull of a HMMWV wheel under 6.35 kN",
        x_range=Range1d(0, 80),
        y_range=Range1d(-1500, 3200),
        toolbar_location=None,
        output_backend="canvas",
    )
    style_figure(fig)
    fig.xaxis.axis_label, fig.yaxis.axis_label = "slip [%]", "drawbar pull [N]"
    fig.add_layout(Span(location=0.0, dimension="width", line_color="#b0b0b0"))
    for soil, colour in SOILS.items():
        for name, (words, dash, width) in WHEELS.items():
            curve = found[soil][name]
            slip = [100.0 * s for s in curve["slip"]]
            label = f"{soil}, {words}"
            fig.line(slip, curve["pull"], line_color=colour, line_dash=dash, line_width=width, legend_label=label)
    legend(fig)
    save(fig, picture, HEIGHT)
