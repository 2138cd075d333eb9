"""Notice that an FMU is being compiled: what the cache lacks takes up to minutes for a vehicle."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial

Heard = Callable[[str, int, int], None]  # the FMU's name, its number from 1 on, and the total

_hearer: ContextVar[Callable[[], None] | None] = ContextVar("hearer", default=None)


@contextlib.contextmanager
def making(heard: Heard | None, name: str, number: int, total: int) -> Iterator[None]:
    """Build an FMU within this context; `heard` is called, at least once, only if the cache lacks something of it."""
    before = _hearer.set(None if heard is None else partial(heard, name, number, total))
    try:
        yield
    finally:
        _hearer.reset(before)


def lacking() -> None:
    """Report that something is not in the cache and is built from here on."""
    if (hearer := _hearer.get()) is not None:
        hearer()
