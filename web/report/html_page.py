"""The frame of the HTML pages that Drawbar writes, and how it recognizes a page of its own."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from pathlib import Path

_GENERATOR = '<meta name="generator" content="Drawbar">'
_HEAD_BYTES = 1024  # of a page, which contain the generator


def html_page(title: str, policy: str, head: str, body: str) -> str:
    """Return the text of a page; `policy` is its content security policy, `head` and `body` are HTML."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{_GENERATOR}\n'
        '<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{escape(title)}</title>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def own_file(name: str) -> str:
    """Return the text of a script or style sheet of this folder, to be put into a page."""
    return (files(__package__) / name).read_text("utf-8")


def is_page(path: Path) -> bool:
    """Return whether a file is a page written by Drawbar, or empty; both may be overwritten without loss."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    return not head or _GENERATOR.encode() in head
