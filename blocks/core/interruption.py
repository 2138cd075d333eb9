"""Ctrl-C and a polite kill: they close a run once, wherever they come upon it."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

# a terminal that is closed says SIGHUP
INTERRUPTIONS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

_asked = False


def is_asked() -> bool:
    """Whether the process has been asked to end: the exception itself may have been swallowed on its way."""
    return _asked


def listen() -> None:
    """The first interruption raises `KeyboardInterrupt`; another one must not interrupt the closing."""
    for number in INTERRUPTIONS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as for what a shell starts in the background
            signal.signal(number, _interrupt)


def unblock() -> None:
    """Take what a parent has blocked until now."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTIONS)


def ignore() -> None:
    """What comes now comes too late."""
    for number in INTERRUPTIONS:
        signal.signal(number, signal.SIG_IGN)


class Hold:
    """Within it interruptions wait for its end, but those that come within `listening` act at once.

    Where an error leaves it, that is what the caller is told, and the interruption is dropped. Only the main thread can
    be interrupted; in others nothing is held. A mask of signals would not do: another thread may take them.
    """

    def __init__(self) -> None:
        self._is_listening = False
        self._came: int | None = None
        self._before: dict[int, Callable[[int, FrameType | None], Any]] = {}

    def __enter__(self) -> Hold:
        if threading.current_thread() is threading.main_thread():
            handlers = {number: signal.getsignal(number) for number in INTERRUPTIONS}
            self._before = {number: handler for number, handler in handlers.items() if callable(handler)}
            for number in self._before:
                signal.signal(number, self._take)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if kind is None:
            self._pass_on()

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """What can be broken off at any moment."""
        self._is_listening = True
        try:
            self._pass_on()
            yield
        finally:
            self._is_listening = False

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self._is_listening:
            self._before[number](number, frame)
        else:
            self._came = number

    def _pass_on(self) -> None:
        number, self._came = self._came, None
        if number is not None:
            self._before[number](number, None)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _asked
    if not _asked:
        _asked = True
        raise KeyboardInterrupt
