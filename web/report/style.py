"""The style of all figures: colours, fonts, axes, legend, units of measure and labels."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape
from typing import Any

from bokeh.models import HoverTool, Legend
from bokeh.plotting import figure

from drawbar.orchestrator.runs.difference import Deviation

WIDTH = 1100  # px, of a page in a window of usual size; figures stretch with it

# the colours of Okabe and Ito, safe for colour-blind readers, without yellow, which is too faint on white
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7a7a7a")
# of the signals of a plot, if the colours are those of several runs
DASHES = ("solid", "dashed", "dotted", "dashdot", [12, 4], [12, 4, 2, 4, 2, 4], [2, 8], [8, 8])
INK, GRID = "#333333", "#ebebeb"
FONT = "system-ui, sans-serif"
LEFT = 78  # px for the y axis, equal in all figures so that their time axes are aligned

# at a sample both adjacent segments are hit; older versions of Bokeh then show it twice
ONCE = {"limit": 1} if "limit" in HoverTool.properties() else {}


# angles are displayed in degrees, everything else in the unit of its port
_DEGREES = {"rad": "deg", "rad/s": "deg/s", "rad/s2": "deg/s2"}
_POWERS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def blank_figure(title: str, height: int, **options: Any) -> Any:
    """Return a figure without curves in the common style."""
    fig = figure(
        title=escape_tex(title),
        height=height,
        sizing_mode="stretch_width",
        min_width=260,
        min_border_left=LEFT,
        toolbar_location="right",
        active_scroll=None,
        output_backend="canvas",
        **options,
    )
    fig.toolbar.logo = None
    fig.toolbar.autohide = True
    style_figure(fig)
    return fig


def style_figure(fig: Any, title: str = "14px", labels: str = "13px", ticks: str = "12px") -> None:
    """Set fonts, colours and grid of a figure, with the given font sizes."""
    fig.outline_line_color = None
    fig.title.text_font, fig.title.text_font_size, fig.title.text_color = FONT, title, INK
    for axis in fig.axis:
        axis.axis_label_text_font = axis.major_label_text_font = FONT
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_font_size, axis.major_label_text_font_size = labels, ticks
        axis.axis_label_text_color = axis.major_label_text_color = INK
        axis.axis_line_color = axis.major_tick_line_color = "#9a9a9a"
        axis.minor_tick_line_color = None
    fig.grid.grid_line_color = GRID


def curve_style(run: int, signal: int, several: bool) -> dict[str, Any]:
    """Return colour and dash of a curve: each signal has a colour; with several runs each run has one instead.

    The signals are then told apart by their dashes.
    """
    if several:
        return {"line_color": COLOURS[run], "line_dash": DASHES[signal]}
    return {"line_color": COLOURS[signal], "line_dash": "solid"}


def draw_curve(fig: Any, column: str, held: bool, **style: Any) -> Any:
    """Draw a column of a source over time; a held signal has its value until the next sample."""
    style = {"line_width": 1.6, **style}
    return fig.step("t", column, mode="after", **style) if held else fig.line("t", column, **style)


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


def display_unit(unit: str) -> tuple[float, str]:
    """Return the factor to the unit in which values are displayed, and that unit as it is printed."""
    return (180 / math.pi, format_unit(_DEGREES[unit])) if unit in _DEGREES else (1.0, format_unit(unit))


def format_unit(unit: str) -> str:
    """Return a unit as it is printed: ``m/s2`` as m/s², ``1`` as an empty text."""
    if unit == "1":
        return ""
    raised = re.sub(r"(?<=[A-Za-z])-?[0-9]+", lambda power: power[0].translate(_POWERS), unit)
    return raised.replace(".", "·").replace("deg", "°") if unit in _DEGREES.values() else raised.replace(".", "·")


def deviation_texts(found: Deviation) -> tuple[str, str, str, str]:
    """Return signal, largest difference, its time and the root mean square as they are displayed."""
    if math.isnan(found.largest):
        return found.signal, "no common sample", "", ""
    factor, unit = display_unit(found.unit)
    largest, rms = (f"{factor * value:.4g} {unit}".strip() for value in (found.largest, found.rms))
    left_out = f" ({found.left_out} samples are not finite)" if found.left_out else ""
    return found.signal, largest, f"{found.time:g} s", rms + left_out


def axis_label(names: Sequence[str], unit: str) -> str:
    """Return the label of an axis: the quantity, if it is the same for all signals, and the unit."""
    words = {_words(name.split("[")[0].rsplit(".", 1)[-1]) for name in names}
    return escape_tex(f"{words.pop() if len(words) == 1 else ''} [{display_unit(unit)[1] or '-'}]".strip())


def _words(name: str) -> str:
    parts = name.split("_")
    return " ".join(parts) if all(len(part) > 1 for part in parts) else name  # a_y is a symbol, wheel_load are words


def escape_tex(text: str) -> str:
    """Return text from a file, marked so that Bokeh does not take parts of it for TeX."""
    return re.sub(r"\$(?=\$)|\\(?=[\[\]()])", "\\g<0>\u200b", text)


def escape_tooltip(text: str) -> str:
    """Return text from a file for the value of a tooltip, which Bokeh takes for HTML with ``@`` and ``$`` as fields."""
    return escape(text).replace("@", "&#64;").replace("$", "&#36;")
