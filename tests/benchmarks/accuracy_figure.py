"""The picture of accuracy.py: error against macro step, both axes logarithmic."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bokeh.embed import file_html
from bokeh.models import FixedTicker, Label, Range1d
from bokeh.plotting import figure
from bokeh.resources import INLINE

from drawbar.web.report.screenshot import find_browser, screenshot
from drawbar.web.report.style import COLOURS, FONT, INK, style_figure

# case, words of the legend, colour, marker, dash; told apart by marker as well as by colour
LINES = (
    ("jacobi", "Jacobi, inputs held (the default of ecos and libcosim)", COLOURS[1], "square", "solid"),
    ("gauss-seidel", "Gauss-Seidel, inputs held", COLOURS[5], "triangle", "solid"),
    ("second-order", "second order, the default", COLOURS[0], "circle", "solid"),
    ("interpolated", "Gauss-Seidel, inputs interpolated", COLOURS[2], "diamond", "dashed"),
)
# drawn as rings around the points that they should lie on
RINGS = (
    ("second-order, foreign", "second order, FMUs of others that give directional derivatives", INK),
    (
        "second-order, foreign, plain",
        "second order, FMUs of others that do not: first order, as the run reports",
        COLOURS[3],
    ),
)
SLOPES = ((1, 6e-3, "order 1"), (2, 1.6e-6, "order 2"))  # of the reference lines, and where they are at 1/512 s
WIDTH, HEIGHT = 1200, 810

# the page tells its height once everything is drawn; `screenshot` waits for that
_TOLD = """<script>
const told = () => {
    const all = Bokeh.documents[0];
    if (all && all.is_idle) document.documentElement.dataset.height = "%d"; else setTimeout(told, 50);
};
told();
</script>"""


def draw(found: dict[str, Any], picture: Path) -> None:
    """Draw what `accuracy.measure` found into a PNG file; ``DrawbarError`` where a browser fails."""
    save(_plot(found), picture, HEIGHT)


def save(fig: Any, picture: Path, height: int) -> None:
    """Let a browser draw a figure into a PNG file."""
    browser = find_browser()
    if browser is None:
        raise SystemExit("the picture needs Chromium or Chrome on PATH")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "figure.html"
        html = file_html(fig, INLINE, picture.stem).replace("</body>", _TOLD % height + "</body>")
        page.write_text(html.replace("<head>", "<head><style>body { margin: 0; }</style>", 1), "utf-8")
        screenshot(page, picture, browser)


def _plot(found: dict[str, Any]) -> Any:
    steps = [h for h, _ in found["jacobi"]]
    fig = figure(
        width=WIDTH,
        height=HEIGHT,
        title="Two-mass oscillator: error of the positions at t = 5 s",
        x_axis_type="log",
        y_axis_type="log",
        x_range=Range1d(min(steps) / 1.35, max(steps) * 1.12),
        y_range=Range1d(1e-6, 0.1),
        toolbar_location=None,
        output_backend="canvas",
    )
    style_figure(fig, "24px", "20px", "19px")
    fig.xaxis.axis_label, fig.yaxis.axis_label = "macro step [s]", "error of position [m]"
    fig.xaxis.ticker = FixedTicker(ticks=steps)
    fig.xaxis.major_label_overrides = {h: f"1/{round(1 / h)}" for h in steps}
    for order, end, text in SLOPES:
        ends = [min(steps) / 1.08, max(steps) * 1.08]
        fig.line(
            ends,
            [end * (h / min(steps)) ** order for h in ends],
            line_color="#8a8a8a",
            line_dash="dotted",
            line_width=2,
        )
        place = {"x": ends[0], "y": end * (ends[0] / min(steps)) ** order, "x_offset": -8, "text_align": "right"}
        fig.add_layout(Label(text=text, text_baseline="middle", text_color="#6a6a6a", text_font_size="18px", **place))
    for name, text, colour, marker, dash in LINES:
        x, y = zip(*found[name], strict=True)
        words = f"{text}: order {found['orders'][name]:.1f}"
        fig.line(x, y, line_color=colour, line_width=3, line_dash=dash, legend_label=words)
        fig.scatter(x, y, marker=marker, size=13, color=colour, legend_label=words)
    for name, text, colour in RINGS:
        x, y = zip(*found[name], strict=True)
        fig.scatter(
            x, y, marker="circle", size=24, fill_color=None, line_color=colour, line_width=2.5, legend_label=text
        )
    legend(fig)
    return fig


def legend(fig: Any) -> None:
    """Put the legend below the plot."""
    words = fig.legend[0]
    fig.center = [item for item in fig.center if item is not words]
    fig.add_layout(words, "below")
    words.label_text_font, words.label_text_font_size, words.label_text_color = FONT, "18px", INK
    words.border_line_color = None
    words.location = "top_left"
    words.margin = 0
    words.glyph_width, words.glyph_height = 44, 26
