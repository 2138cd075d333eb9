"""The picture of suspension.py: camber, toe and wheel force over travel."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from bokeh.layouts import column
from bokeh.models import Label, Span
from bokeh.plotting import figure

from drawbar.web.report.style import COLOURS, INK, style_figure

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from accuracy_figure import legend, save

SHAPES = {"front": (COLOURS[0], "circle"), "rear": (COLOURS[1], "square")}
WIDTH, HEIGHT, LEGEND = 1200, 400, 110


def draw(found: dict[str, Any], picture: Path) -> None:
    """Draw what `suspension.measure` found into a PNG file."""
    panels = [
        _angle(found, "camber", "Camber over travel, positive where the top leans outwards"),
        _angle(found, "toe", "Toe over travel (bump steer), positive where the front points inwards"),
        _force(found),
    ]
    save(column(*panels), picture, 3 * HEIGHT + 2 * LEGEND)


def _panel(title: str, label: str, height: int) -> Any:
    fig = figure(width=WIDTH, height=height, title=title, toolbar_location=None, output_backend="canvas")
    style_figure(fig)
    fig.xaxis.axis_label, fig.yaxis.axis_label = "travel from the design position [mm]", label
    fig.add_layout(Span(location=0.0, dimension="width", line_color="#b0b0b0"))
    fig.add_layout(Span(location=0.0, dimension="height", line_color="#b0b0b0"))
    return fig


def _millimetres(values: list[float]) -> list[float]:
    return [1e3 * value for value in values]


def _angle(found: dict[str, Any], name: str, title: str) -> Any:
    fig = _panel(title, f"{name} [deg]", HEIGHT + (LEGEND if name == "camber" else 0))
    for axle, (colour, marker) in SHAPES.items():
        curve, points, rest = (found[axle][key] for key in ("curves", "points", "default"))
        words = {"legend_label": f"{axle}, HmmwvRig"} if name == "camber" else {}
        fig.line(_millimetres(curve["travel"]), curve[name], color=colour, line_width=3, **words)
        words = {"legend_label": f"{axle}, the loops solved by least squares"} if name == "camber" else {}
        fig.scatter(
            _millimetres(points["travel"]), points[name], marker=marker, size=11, fill_color=None, line_color=colour,
            line_width=2, **words,
        )  # fmt: skip
        if axle == "front":  # the rear stands as high
            _at_rest(fig, 1e3 * rest["travel"], "at rest")
    if name == "camber":
        legend(fig)
    return fig


def _force(found: dict[str, Any]) -> Any:
    fig = _panel("Force at the wheel centre over travel, and ride frequencies", "force [kN]", HEIGHT + LEGEND)
    fig.y_range.start, fig.y_range.end = -2.0, 22.0
    for axle, (colour, _) in SHAPES.items():
        one = found[axle]
        travel = _millimetres(one["curves"]["travel"])
        words = f"{axle}: {one['default']['ride_hz']:.2f} Hz"
        fig.line(travel, _kilo(one["curves"]["force"]), color=colour, line_width=3, legend_label=words)
        words = (
            f"{axle}, hmmwv_chrono: {one['chrono']['ride_hz']:.2f} Hz, springs alone "
            f"{one['chrono_springs_alone']['ride_hz']:.2f} Hz (reference {one['reference_hz']:.2f} Hz)"
        )
        fig.line(travel, _kilo(one["chrono_force"]), color=colour, line_width=3, line_dash="dashed", legend_label=words)
        if axle == "front":
            _at_rest(fig, 1e3 * one["default"]["travel"], "at rest")
    legend(fig)
    return fig


def _kilo(values: list[float]) -> list[float]:
    return [value / 1e3 for value in values]


def _at_rest(fig: Any, travel: float, text: str) -> None:
    fig.add_layout(Span(location=travel, dimension="height", line_color=INK, line_dash="dotted", line_width=2))
    place = {"x": travel, "y": 6, "y_units": "screen", "x_offset": 5}
    fig.add_layout(Label(text=text, text_color=INK, text_font_size="15px", **place))
