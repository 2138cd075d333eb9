"""A diagram as a picture: one self-contained SVG, readable on light and dark screens, without scripts.

It shows boxes with name and kind, their ports, and the connections; a bus is one thick line. Parts without geometry are
placed by `layout`; the diagram itself is not changed. All text of the diagram is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise
from statistics import median
from xml.sax.saxutils import escape

from drawbar.blocks.core.arrays import split
from drawbar.diagrams.drawing.layout import layout, spread
from drawbar.diagrams.drawing.pins import BoxPins, Line, Pin, pins_and_lines
from drawbar.diagrams.drawing.routing import Point, RouteRequest, route
from drawbar.diagrams.model.part import Geometry
from drawbar.diagrams.model.structure import System, SystemStructure

BOX_WIDTH = 160.0  # px, for the box of median width
MARGIN, HEADER, ROUND = 24.0, 44.0, 5.0
OUTER = 110.0  # room for the diagram's own connectors
LETTER, SMALL_LETTER = 7.6, 6.0  # px, of wide letters
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# attributes, not rules with variables: many programs that show SVG know no CSS, or no variables, and draw all in black
LOOKS = {
    "paper": {"fill": "#ffffff"},
    "box": {"fill": "#f4f6f8", "stroke": "#5b6b7b", "stroke-width": "1.2"},
    "system": {"stroke-width": "3"},
    "fault": {"stroke": "#c62828", "stroke-dasharray": "5 3"},
    "name": {"fill": "#16202a", "font-size": "13", "font-weight": "600"},
    "kind": {"fill": "#566472", "font-size": "11"},
    "port": {"fill": "#16202a", "font-size": "10.5"},
    "unit": {"fill": "#566472"},
    "index": {"fill": "#2f6db3", "font-size": "9"},
    "connection": {"fill": "none", "stroke": "#2f6db3", "stroke-width": "1.4"},
    "bus": {"fill": "none", "stroke": "#8a5a00", "stroke-width": "3.6"},
    "tip": {"fill": "#2f6db3"},
    "bustip": {"fill": "#8a5a00"},
    "pin": {"fill": "#5b6b7b"},
}
FONT = "system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
# rules win over attributes; each is limited to the picture, because a notebook puts it into its own page
STYLE = """
@media (prefers-color-scheme:dark){.drawbar-picture .paper{fill:#14191f}.drawbar-picture .box{fill:#222b35;
stroke:#8496a8}
.drawbar-picture .fault{stroke:#ff8a80}.drawbar-picture .name,.drawbar-picture .port{fill:#eef2f6}
.drawbar-picture .kind,.drawbar-picture .unit{fill:#a9b6c3}.drawbar-picture .index{fill:#79b4f2}
.drawbar-picture .connection{stroke:#79b4f2}.drawbar-picture .bus{stroke:#e5b352}
.drawbar-picture .tip{fill:#79b4f2}.drawbar-picture .bustip{fill:#e5b352}.drawbar-picture .pin{fill:#8496a8}}
"""
Box = tuple[float, float, float, float]  # left, top, right, bottom


def svg(diagram: SystemStructure) -> str:
    """Return the picture as the text of an SVG file."""
    pins, drawn = pins_and_lines(diagram)
    placed = _boxes(layout(diagram))
    boxes = {name: placed[name] for name in pins if name is not None}
    places: dict[Pin, Point] = {}
    for name, box in boxes.items():
        places |= _pins(box, pins[name])
    frame = _frame(list(boxes.values()))
    places |= _outer(pins[None], drawn, places, frame)
    shown = [s for s in drawn if s.start in places and s.end in places]
    lefts = {pin for side in pins.values() for pin in side.left}
    requests = [RouteRequest(s.start, places[s.start], places[s.end], -1.0 if s.start in lefts else 1.0) for s in shown]
    ways = route(list(boxes.values()), requests)
    corners = [*places.values(), *(p for way in ways for p in way), frame[:2], frame[2:]]
    left, top = min(x for x, _ in corners) - MARGIN, min(y for _, y in corners) - MARGIN
    right, bottom = max(x for x, _ in corners) + MARGIN, max(y for _, y in corners) + MARGIN
    if any(pin.part is None for pin in places):
        left, right = min(left, frame[0] - OUTER - MARGIN), max(right, frame[2] + OUTER + MARGIN)
    size = f"{right - left:.0f}", f"{bottom - top:.0f}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="drawbar-picture" role="img" font-family="{FONT}"'
        f' width="{size[0]}" height="{size[1]}" viewBox="{left:.0f} {top:.0f} {size[0]} {size[1]}">',
        f"<title>{_text(diagram.name)}: {len(diagram.parts)} parts</title>",
        f"<style>{STYLE}</style>",
        f'<rect {_look("paper")} x="{left:.0f}" y="{top:.0f}" width="{size[0]}" height="{size[1]}"/>',
    ]
    # buses below thin lines, which they would hide otherwise
    for line, way in sorted(zip(shown, ways, strict=True), key=lambda pair: not _is_bus(pair[0])):
        lines += _connection(line, way)
    for name, box in boxes.items():
        lines += _box(diagram, name, box, pins[name], places)
    lines += _connectors(pins[None], places)
    lines += _indices(shown, places, lefts)
    return "\n".join([*lines, "</svg>", ""])


def _look(*kinds: str) -> str:
    """Return class and presentation attributes of an element; of two kinds the later one wins."""
    looks = {key: value for kind in kinds for key, value in LOOKS[kind].items()}
    return " ".join([f'class="{" ".join(kinds)}"', *(f'{key}="{value}"' for key, value in looks.items())])


def _is_bus(line: Line) -> bool:
    return line.start.bus and line.end.bus


def _boxes(places: Mapping[str, Geometry]) -> dict[str, Box]:
    """Return the boxes in pixels: y downwards, and at a scale that suits the text."""
    wide = median([g[2] - g[0] for g in places.values()]) if places else 0.0
    scale = BOX_WIDTH / wide if wide > 0.0 else 1.0
    return {n: (g[0] * scale, -g[3] * scale, g[2] * scale, -g[1] * scale) for n, g in places.items()}


def _frame(boxes: Sequence[Box]) -> Box:
    if not boxes:
        return 0.0, 0.0, BOX_WIDTH, HEADER
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _pins(box: Box, sides: BoxPins) -> Iterator[tuple[Pin, Point]]:
    """Yield where the pins of a box are: below its name if there is room, else over its whole height."""
    left, top, right, bottom = box
    for pins, x in ((sides.left, left), (sides.right, right)):
        room = bottom - top - HEADER
        start, pitch = (top + HEADER, room / max(len(pins), 1)) if room >= 14.0 * len(pins) else (top, 0.0)
        pitch = min(pitch, 40.0) or (bottom - top) / max(len(pins), 1)
        for i, pin in enumerate(pins):
            yield pin, (x, round(start + (i + 0.5) * pitch, 1))


def _outer(
    sides: BoxPins, lines: Sequence[Line], places: Mapping[Pin, Point], frame: Box
) -> Iterator[tuple[Pin, Point]]:
    """Yield where the connectors of the diagram itself go: inputs left of all boxes, outputs right of them."""
    for pins, x in ((sides.right, frame[0] - 40.0), (sides.left, frame[2] + 40.0)):
        wanted: dict[Pin, float] = {}
        for pin in pins:
            others = [s.end if s.start == pin else s.start for s in lines if pin in (s.start, s.end)]
            heights = [places[other][1] for other in others if other in places]
            wanted[pin] = sum(heights) / len(heights) if heights else frame[3]
        order = sorted(pins, key=lambda pin: wanted[pin])
        for pin, y in zip(order, spread([wanted[p] for p in order], [16.0] * len(order), 1.0), strict=True):
            yield pin, (x, y)


def _connection(line: Line, way: Sequence[Point]) -> list[str]:
    kind = "bus" if _is_bus(line) else "connection"
    path = [f"M{_at(way[0])}"]
    for before, (corner, after) in zip(way, pairwise(way[1:]), strict=False):
        reach = min(ROUND, _distance(before, corner) / 2, _distance(corner, after) / 2)
        into, on = _toward(corner, before, reach), _toward(corner, after, reach)
        path.append(f"L{_at(into)}Q{_at(corner)} {_at(on)}")
    x, y = way[-1]
    path.append(f"L{x - 2:.1f} {y:.1f}")
    single = None if _is_bus(line) else line.elements
    names = single or (line.start.name, line.end.name)
    title = f"{_pin_text(line.start, names[0])} → {_pin_text(line.end, names[1])}"
    made = [f'<path {_look(kind)} d="{"".join(path)}"><title>{title}</title></path>']
    long, half = (9, 5) if kind == "bus" else (7, 3.5)
    tip = "bustip" if kind == "bus" else "tip"
    made.append(f'<path {_look(tip)} d="M{x:.1f} {y:.1f}l-{long} -{half}v{2 * half:g}z"/>')
    return made


def _at(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _distance(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])  # they share a coordinate


def _toward(a: Point, b: Point, reach: float) -> Point:
    far = _distance(a, b) or 1.0
    return a[0] + (b[0] - a[0]) * reach / far, a[1] + (b[1] - a[1]) * reach / far


def _box(diagram: SystemStructure, name: str, box: Box, sides: BoxPins, places: Mapping[Pin, Point]) -> list[str]:
    left, top, right, bottom = box
    width, height, middle = right - left, bottom - top, (left + right) / 2
    part = diagram.parts.get(name)
    kind, fault = (part.kind, part.fault) if part is not None else (diagram.others[name].kind, "")
    looks = ["box", *(["system"] if isinstance(part, System) else []), *(["fault"] if fault else [])]
    hidden = f"; {sides.hidden} ports without a connection are not shown" if sides.hidden else ""
    title = _text(f"{name}: {kind}{hidden}" + (f"; {fault}" if fault else ""))
    made = [
        f'<g><title>{title}</title><rect {_look(*looks)} x="{left:.1f}" y="{top:.1f}"'
        f' width="{width:.1f}" height="{height:.1f}" rx="4"/>'
    ]
    pins = [*sides.left, *sides.right]
    below = all(places[pin][1] > top + HEADER - 4 for pin in pins)  # the top is free for the name
    lines = [("name", name, LETTER), ("kind", f"{kind} +{sides.hidden}" if sides.hidden else kind, SMALL_LETTER)]
    if height < 32.0:
        lines = lines[:1]
    base = top + 18.0 if below and pins else top + height / 2 - 7.0 * (len(lines) - 1) + 4.5
    for row, (style, words, letter) in enumerate(lines):
        if shown := _cut(words, width - 12.0, letter):
            at = f'x="{middle:.1f}" y="{base + 15 * row:.1f}" text-anchor="middle"'
            made.append(f"<text {_look(style)} {at}>{shown}</text>")
    for on_left, column in ((True, sides.left), (False, sides.right)):
        gaps = [b - a for a, b in pairwise(places[pin][1] for pin in column)]
        across = sides.right if on_left else sides.left
        fits = below and min(gaps, default=20.0) >= 11.0
        for pin in column:
            x, y = places[pin]
            made.append(f'<circle {_look("pin")} cx="{x:.1f}" cy="{y:.1f}" r="{3 if pin.bus else 2}"/>')
            beside = [other for other in across if abs(places[other][1] - y) < 11.0]
            names = max((len(other.name + other.shape) * SMALL_LETTER + 8.0 for other in beside), default=0.0)
            labels = max((len(other.label) * SMALL_LETTER + 8.0 for other in beside), default=0.0)
            with_unit = len(pin.label) * SMALL_LETTER + labels <= width - 16.0
            room = width - 16.0 - min(names, width / 2 - 8.0)
            if fits and (shown := _pin_label(pin, room, with_unit)):
                anchor, from_edge = ("start", x + 7) if on_left else ("end", x - 7)
                made.append(
                    f'<text {_look("port")} x="{from_edge:.1f}" y="{y + 3.5:.1f}" text-anchor="{anchor}">{shown}</text>'
                )
    return [*made, "</g>"]


def _connectors(sides: BoxPins, places: Mapping[Pin, Point]) -> list[str]:
    made = []
    for pins, anchor, way in ((sides.right, "end", -1), (sides.left, "start", 1)):
        for pin in pins:
            x, y = places[pin]
            shown = _pin_label(pin, OUTER - 50.0)
            made.append(f'<g><title>{_text(pin.name)}</title><circle {_look("pin")} cx="{x:.1f}" cy="{y:.1f}" r="3"/>')
            at = f'x="{x + 7 * way:.1f}" y="{y + 3.5:.1f}" text-anchor="{anchor}"'
            made.append(f"<text {_look('port')} {at}>{shown}</text></g>")
    return made


def _indices(lines: Sequence[Line], places: Mapping[Pin, Point], lefts: Set[Pin]) -> Iterator[str]:
    """Yield which elements of an array single connections go to or come from, beside their other ends."""
    beside: dict[tuple[Pin, bool], list[str]] = {}
    for line in lines:
        indices = [split(name)[1] for name in line.elements or ("", "")]
        for pin, is_start, there in ((line.start, True, indices[1]), (line.end, False, indices[0])):
            if there and not indices[0 if is_start else 1]:
                beside.setdefault((pin, is_start), []).append(f"[{','.join(str(i) for i in there)}]")
    for (pin, is_start), words in beside.items():
        x, y = places[pin]
        on_right = is_start and pin not in lefts
        at = f'x="{x + (4 if on_right else -9):.1f}" y="{y - 3:.1f}" text-anchor="{"start" if on_right else "end"}"'
        yield f"<text {_look('index')} {at}>{_text(', '.join(words))}</text>"


def _pin_label(pin: Pin, room: float, with_unit: bool = True) -> str:
    """Return the name of a pin, with its shape and, `with_unit`, its unit if there is room for them, escaped."""
    name = pin.name + pin.shape
    shown = _cut(name if len(name) * SMALL_LETTER <= room else pin.name, room, SMALL_LETTER)
    if not pin.unit or not with_unit or len(pin.label) * SMALL_LETTER > room:
        return shown
    return f"{shown}<tspan {_look('unit')}> {_text(pin.unit)}</tspan>"


def _cut(words: str, room: float, letter: float) -> str:
    """Return as much of a text as there is room for, escaped; empty if too little would remain."""
    most = int(room / letter)
    words = words if len(words) <= most else words[: most - 1] + "…" if most > 2 else ""
    return _text(words)


def _pin_text(pin: Pin, name: str) -> str:
    return _text(name if pin.part is None else f"{pin.part}.{name}")


def _text(words: str) -> str:
    return escape(_UNPRINTABLE.sub("�", words), {'"': "&quot;"})
