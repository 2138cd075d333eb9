"""The page of the block reference: one HTML file with its style, script and pictures in it, which opens offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from drawbar.blocks.core.interface import Port, Value
from drawbar.diagrams.drawing.picture import STYLE as PICTURE_STYLE
from drawbar.web.reference.block_reference import INPUTS, TABLES, BlockReference
from drawbar.web.reference.docstring_html import docstring_html
from drawbar.web.report.marker import MARK

_HERE = Path(__file__).parent
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
_SHOWN = 4  # elements of an array whose start values differ


def reference_page(entries: Sequence[BlockReference], faults: Mapping[str, str], version: str) -> str:
    """Return the HTML text of the reference; `faults` names modules and blocks that are left out, with the reason."""
    style = (_HERE / "reference.css").read_text(encoding="utf-8")
    script = (_HERE / "reference.js").read_text(encoding="utf-8")
    notes = "".join(
        f'<p class="note"><code>{escape(name)}</code> is left out: {escape(why)}</p>' for name, why in faults.items()
    )
    ids = _ids(entries)
    groups = [(folder, list(group)) for folder, group in groupby(entries, lambda entry: entry.folder)]
    navigation = "".join(
        f"<li><span>{escape(folder)}</span><ul>"
        + "".join(f'<li><a href="#{ids[e.reference]}">{escape(e.name)}</a></li>' for e in group)
        + "</ul></li>"
        for folder, group in groups
    )
    body = "".join(
        f'<section aria-label="{escape(folder)}"><h2>{escape(folder)}</h2>'
        + "".join(_article(entry, ids[entry.reference]) for entry in group)
        + "</section>\n"
        for folder, group in groups
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{MARK}\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>Drawbar blocks</title>\n<style>{PICTURE_STYLE}{style}</style>\n</head>\n<body>\n"
        f'<header><h1>Drawbar blocks <small>{escape(version)}</small></h1><div class="search">'
        '<input id="search" type="search" placeholder="search: name, port, unit, text" aria-label="search blocks" '
        'autocomplete="off" spellcheck="false"><output id="count" for="search" aria-live="polite"></output></div>'
        '<p class="keys"><kbd>/</kbd> search <kbd>&uarr;</kbd><kbd>&darr;</kbd> next block <kbd>Esc</kbd> clear</p>'
        "</header>\n"
        f'<nav aria-label="blocks"><ul>{navigation}</ul></nav>\n<main>{notes}\n{body}'
        '<p id="nothing" hidden>No block matches.</p></main>\n'
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _ids(entries: Sequence[BlockReference]) -> dict[str, str]:
    """Return a name for the address of each block: that of its class, with its reference where two share it."""
    names = [entry.name for entry in entries]
    return {e.reference: escape(e.name if names.count(e.name) == 1 else e.reference) for e in entries}


def _article(entry: BlockReference, place: str) -> str:
    tables = "".join(_table(title, entry) for title in TABLES if entry.tables[title])
    through = "".join(
        f"<li><code>{escape(output)}</code> from {', '.join(f'<code>{escape(name)}</code>' for name in inputs)}</li>"
        for output, inputs in entry.feedthrough.items()
    )
    return (
        f'<article id="{place}" tabindex="-1" aria-label="{escape(entry.name)}">'
        f'<h3><a href="#{place}">{escape(entry.name)}</a> <span class="kind">{escape(entry.kind)}</span></h3>'
        f'<p class="facts"><code>{escape(entry.reference)}</code> {escape(entry.timing)}</p>'
        f'<div class="about"><div class="text">{docstring_html(entry.text)}</div>'
        f'<div class="picture">{entry.picture}</div></div>{tables}'
        + (f'<h4>direct feedthrough</h4><ul class="through">{through}</ul>' if through else "")
        + "</article>\n"
    )


def _table(title: str, entry: BlockReference) -> str:
    head = "".join(f'<th scope="col">{text}</th>' for text in ("name", "unit", "start", "range", "description"))
    rows = "".join(_row(port, entry, title) for port in entry.tables[title])
    # long tables of parameters are folded; their text is still searched
    size = len(entry.tables[title])
    opened = " open" if size <= 12 or title == INPUTS else ""
    return (
        f"<details{opened}><summary><h4>{title}</h4> <span>{size}</span></summary>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></details>"
    )


def _row(port: Port, entry: BlockReference, title: str) -> str:
    size = "".join(f"[{n}]" for n in port.shape)
    marks = "".join(f' <span class="mark">{mark}</span>' for mark in _marks(port, entry, title))
    cells = (
        ("name", f"<code>{escape(port.name)}{size}</code>{marks}"),
        ("unit", escape(port.unit or "?")),
        ("start", escape(start_text(port))),
        ("range", escape(range_text(port))),
        ("description", escape(port.description)),
    )
    return "<tr>" + "".join(f'<td data-label="{label}">{text}</td>' for label, text in cells) + "</tr>"


def _marks(port: Port, entry: BlockReference, title: str) -> list[str]:
    found = ["tunable"] if port.variability == "tunable" else []
    found += ["state"] if port.name in entry.states and title == "outputs" else []
    return found + ([port.type] if port.type != "Real" else [])


def start_text(port: Port) -> str:
    """Return the start value as text; an array of equal values is one value, a long one ends with dots."""
    values = [_value(value) for value in port.start]
    if len(values) > 1 and len(set(values)) == 1:
        return f"{values[0]} (all)"
    return ", ".join(values[:_SHOWN]) + (", ..." if len(values) > _SHOWN else "")


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def range_text(port: Port) -> str:
    """Return the limits of a port as text, empty where it has none."""
    low, high = port.minimum, port.maximum
    if low is None and high is None:
        return ""
    if high is None:
        return f"\u2265 {low:g}"
    return f"\u2264 {high:g}" if low is None else f"{low:g} \u2026 {high:g}"
