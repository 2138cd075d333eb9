"""Conversion between the source URIs of an SSD and file paths."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from urllib.request import url2pathname


def path_of(source: str) -> str:
    """Return the path that a source URI means: relative to the file, or absolute."""
    try:
        parts = urlsplit(source)
    except ValueError:  # no URI at all; no file of that name will be found
        return source
    return url2pathname(parts.path) if parts.scheme == "file" else unquote(source)


def uri_of(path: str) -> str:
    """Return the URI of a path, relative or absolute."""
    return Path(path).as_uri() if Path(path).is_absolute() else quote(Path(path).as_posix(), safe="/!$&'()*+,;=@~")
