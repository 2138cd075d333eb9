"""The page of the block reference: one HTML file with its style, script and pictures in it, which opens offline."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from textwrap import dedent

from drawbar.blocks.core.interface import Port, Value
from drawbar.diagrams.drawing.picture import STYLE as PICTURE_STYLE
from drawbar.web.reference.block_reference import INPUTS, TABLES, BlockReference
from drawbar.web.report.html_page import html_page

_HERE = Path(__file__).parent
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
_MAX_ELEMENTS = 4  # of an array whose start values differ


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
    sections = "".join(
        f'<section aria-label="{escape(folder)}"><h2>{escape(folder)}</h2>'
        + "".join(_article(entry, ids[entry.reference]) for entry in group)
        + "</section>\n"
        for folder, group in groups
    )
    head = (
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<style>{PICTURE_STYLE}{style}</style>"
    )
    body = (
        f'<header><h1>Drawbar blocks <small>{escape(version)}</small></h1><div class="search">'
        '<input id="search" type="search" placeholder="search: name, port, unit, text" aria-label="search blocks" '
        'autocomplete="off" spellcheck="false"><output id="count" for="search" aria-live="polite"></output></div>'
        '<p class="keys"><kbd>/</kbd> search <kbd>&uarr;</kbd><kbd>&darr;</kbd> next block <kbd>Esc</kbd> clear</p>'
        "</header>\n"
        f'<nav aria-label="blocks"><ul>{navigation}</ul></nav>\n<main>{notes}\n{sections}'
        '<p id="nothing" hidden>No block matches.</p></main>\n'
        f"<script>\n{script}</script>"
    )
    return html_page("Drawbar blocks", _POLICY, head, body)


def _ids(entries: Sequence[BlockReference]) -> dict[str, str]:
    """Return the anchor of each block by reference: its class name, or its reference if two classes share the name."""
    names = [entry.name for entry in entries]
    return {e.reference: escape(e.name if names.count(e.name) == 1 else e.reference) for e in entries}


def _article(entry: BlockReference, anchor: str) -> str:
    tables = "".join(_table(title, entry) for title in TABLES if entry.tables[title])
    through = "".join(
        f"<li><code>{escape(output)}</code> from {', '.join(f'<code>{escape(name)}</code>' for name in inputs)}</li>"
        for output, inputs in entry.feedthrough.items()
    )
    return (
        f'<article id="{anchor}" tabindex="-1" aria-label="{escape(entry.name)}">'
        f'<h3><a href="#{anchor}">{escape(entry.name)}</a> <span class="kind">{escape(entry.kind)}</span></h3>'
        f'<p class="facts"><code>{escape(entry.reference)}</code> {escape(entry.timing)}</p>'
        f'<div class="about"><div class="text">{docstring_html(entry.text)}</div>'
        f'<div class="picture">{entry.picture}</div></div>{tables}'
        + (f'<h4>direct feedthrough</h4><ul class="through">{through}</ul>' if through else "")
        + "</article>\n"
    )


def docstring_html(text: str) -> str:
    """Return a cleaned docstring as HTML: paragraphs, lists, code in backticks, and indented text in monospace."""
    parts: list[str] = []
    for lines in _paragraphs(text):
        if lines[0].startswith(" "):
            parts.append(f'<pre tabindex="0">{escape(dedent(chr(10).join(lines)))}</pre>')
        elif lines[0].startswith(("- ", "* ")):
            parts.append(_list(lines))
        else:
            joined = " ".join(line.strip() for line in lines)
            if joined.endswith("::"):  # introduces the indented text below
                joined = joined[:-1] if joined[:-2].strip() and not joined.endswith(" ::") else joined[:-2].rstrip()
            if joined:
                parts.append(f"<p>{_inline(joined)}</p>")
    return "\n".join(parts)


def _inline(text: str) -> str:
    """Return one paragraph as HTML; text between backticks becomes code."""
    return re.sub(r"(``?)([^`]+)\1", lambda found: f"<code>{found[2]}</code>", escape(text, quote=False))


def _paragraphs(text: str) -> list[list[str]]:
    """Return the lines of each paragraph; indented text keeps the empty lines inside it."""
    found: list[list[str]] = []
    empty = 0
    for line in text.splitlines():
        if not line.strip():
            empty += 1
            continue
        indented = line.startswith(" ")
        item = bool(found) and found[-1][0].startswith(("- ", "* "))
        same = bool(found) and (found[-1][0].startswith(" ") == indented or (item and indented and not empty))
        if same and indented and not item:
            found[-1] += [""] * empty + [line]
        elif same and not empty:
            found[-1].append(line)
        else:
            found.append([line])
        empty = 0
    return found


def _list(lines: list[str]) -> str:
    items: list[str] = []
    for line in lines:
        if line.startswith(("- ", "* ")):
            items.append(line[2:].strip())
        else:
            items[-1] += " " + line.strip()
    return "<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + "</ul>"


def _table(title: str, entry: BlockReference) -> str:
    head = "".join(f'<th scope="col">{text}</th>' for text in ("name", "unit", "start", "range", "description"))
    rows = "".join(_row(port, entry, title) for port in entry.tables[title])
    # long tables are folded, but still searched
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
    """Return the start value as text; equal elements of an array are written once, and a long list is cut."""
    values = [_value(value) for value in port.start]
    if len(values) > 1 and len(set(values)) == 1:
        return f"{values[0]} (all)"
    return ", ".join(values[:_MAX_ELEMENTS]) + (", ..." if len(values) > _MAX_ELEMENTS else "")


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def range_text(port: Port) -> str:
    """Return the limits of a port as text; empty if it has none."""
    low, high = port.minimum, port.maximum
    if low is None and high is None:
        return ""
    if high is None:
        return f"\u2265 {low:g}"
    return f"\u2264 {high:g}" if low is None else f"{low:g} \u2026 {high:g}"
