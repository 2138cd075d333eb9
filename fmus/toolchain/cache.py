"""The cache of compiled libraries, and a callback for what is compiled because the cache lacks it.

The key of a library holds all C text, the compiler's identity, the target and the flags, so nothing in the cache is
ever out of date. What is not in it takes up to minutes for a vehicle.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from functools import partial
from pathlib import Path

from drawbar.blocks.core.cache import cache_folder, make_cache_folder

BuildCallback = Callable[[str, int, int], None]  # the FMU's name, its number from 1 on, and the total

_callback: ContextVar[Callable[[], None] | None] = ContextVar("callback", default=None)


@contextlib.contextmanager
def report_builds(callback: BuildCallback | None, name: str, number: int, total: int) -> Iterator[None]:
    """Build an FMU within this context; `callback` is called, at least once, if a part of it is not in the cache."""
    before = _callback.set(None if callback is None else partial(callback, name, number, total))
    try:
        yield
    finally:
        _callback.reset(before)


def cache_miss() -> None:
    """Call the callback: something is not in the cache and is built from here on."""
    if (callback := _callback.get()) is not None:
        callback()


def cached_library(key: Sequence[str], files: dict[str, str], name: str, make: Callable[[Path], None]) -> Path:
    """Return the library `name` of the cache that is built from `files` in the way that `key` identifies.

    `make` builds it in the folder of the files where the cache lacks it.
    """
    text = "\0".join([*key, *(f"{k}\0{files[k]}" for k in sorted(files))])
    folder = cache_folder() / "libraries" / hashlib.sha256(text.encode()).hexdigest()[:32]
    library = folder / name
    if library.is_file():
        return library
    cache_miss()
    make_cache_folder(folder)
    with tempfile.TemporaryDirectory(dir=folder, prefix="build-") as scratch:
        for file, content in files.items():
            (Path(scratch) / file).write_text(content, encoding="utf-8")
        make(Path(scratch))
        # a rename is atomic, so two processes can build the same library at once
        os.replace(Path(scratch) / name, library)
    return library
