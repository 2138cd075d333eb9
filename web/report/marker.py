"""The mark by which Drawbar recognizes its own pages."""

from __future__ import annotations

from pathlib import Path

MARK = '<meta name="generator" content="Drawbar">'
_HEAD = 1024  # bytes at the start of a page that contain the mark


def is_page(path: Path) -> bool:
    """Return whether a file is a page written by Drawbar, or empty; both may be overwritten without loss."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return not head or MARK.encode() in head
