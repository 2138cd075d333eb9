"""Tells a caller which FMU is being compiled, because compiling takes up to minutes for a vehicle."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial

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
