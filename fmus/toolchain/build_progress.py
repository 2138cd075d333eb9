"""Who hears that a unit is being compiled: making what the cache lacks takes up to minutes for a vehicle."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial

Heard = Callable[[str, int, int], None]  # the unit, its number from 1 on, and of how many

_hearer: ContextVar[Callable[[], None] | None] = ContextVar("hearer", default=None)


@contextlib.contextmanager
def making(heard: Heard | None, name: str, number: int, total: int) -> Iterator[None]:
    """Within, a unit is made; `heard` is told so only if the cache lacks something of it, at least once."""
    before = _hearer.set(None if heard is None else partial(heard, name, number, total))
    try:
        yield
    finally:
        _hearer.reset(before)


def lacking() -> None:
    """What is wanted is not in the cache, and is made from here on."""
    if (hearer := _hearer.get()) is not None:
        hearer()
