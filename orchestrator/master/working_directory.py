"""The working directory, which belongs to the whole process; a part may change it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def kept_directory() -> Iterator[None]:
    """Restore the working directory at the end, so that relative paths of the caller keep their meaning."""
    try:
        before = os.getcwd()
    except FileNotFoundError:  # it was deleted; no relative path means anything
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.chdir(before)
