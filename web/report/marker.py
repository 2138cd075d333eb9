"""The mark in a page by which Drawbar knows its own."""

from __future__ import annotations

from pathlib import Path

MARK = '<meta name="generator" content="Drawbar">'
_HEAD = 1024  # bytes from the start of a page within which the mark stands


def is_page(path: Path) -> bool:
    """Whether a file is a page that Drawbar wrote, or empty; there is nothing to lose in either."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return not head or MARK.encode() in head
