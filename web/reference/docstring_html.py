"""Docstrings as HTML: paragraphs, lists, code in backticks, and indented text such as a port box in monospace."""

from __future__ import annotations

import re
from html import escape
from textwrap import dedent


def docstring_html(text: str) -> str:
    """Return a docstring, as `inspect.getdoc` gives it, as HTML; everything in it is escaped."""
    parts: list[str] = []
    for lines in _paragraphs(text):
        if lines[0].startswith(" "):
            parts.append(f'<pre tabindex="0">{escape(dedent(chr(10).join(lines)))}</pre>')
        elif lines[0].startswith(("- ", "* ")):
            parts.append(_list(lines))
        else:
            joined = " ".join(line.strip() for line in lines)
            if joined.endswith("::"):  # announces the indented text below
                joined = joined[:-1] if joined[:-2].strip() and not joined.endswith(" ::") else joined[:-2].rstrip()
            if joined:
                parts.append(f"<p>{inline(joined)}</p>")
    return "\n".join(parts)


def inline(text: str) -> str:
    """Return one paragraph as HTML: what stands between backticks becomes code."""
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
    return "<ul>" + "".join(f"<li>{inline(item)}</li>" for item in items) + "</ul>"
