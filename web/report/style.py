"""The style of all figures: colours, fonts, axes, legend."""

from __future__ import annotations

from typing import Any

from bokeh.models import HoverTool, Legend
from bokeh.plotting import figure

from drawbar.web.report.texts import plain

WIDTH = 1100  # px, of a page in a window of usual size; figures stretch with it

# the colours of Okabe and Ito, safe for colour-blind readers, without yellow, which is too faint on white
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7a7a7a")
DASHES = ("dashed", "dotted", "dashdot")  # of cases; more cannot be distinguished
INK, GRID = "#333333", "#ebebeb"
FONT = "system-ui, sans-serif"
LEFT = 78  # px for the y axis, equal in all figures so that their time axes are aligned

# at a sample both adjacent segments are hit; older versions of Bokeh then show it twice
ONCE = {"limit": 1} if "limit" in HoverTool.properties() else {}


def blank_figure(title: str, height: int, **options: Any) -> Any:
    """Return a figure without curves in the common style."""
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


def add_legend(fig: Any, items: list[Any]) -> None:
    """Put a legend above a figure, and increase the height of the figure by that of the legend."""
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
