"""Ctrl-C, SIGTERM and SIGHUP: they close a run once, whenever they arrive."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

# a terminal sends SIGHUP when it is closed
INTERRUPTIONS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

_asked = False


def is_asked() -> bool:
    """Return whether the process has been asked to end, even if the exception was swallowed on its way."""
    return _asked


def listen() -> None:
    """Raise `KeyboardInterrupt` at the first interruption; later ones are ignored, so that the run can be closed."""
    for number in INTERRUPTIONS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # a shell ignores it for processes in the background
            signal.signal(number, _interrupt)


def unblock() -> None:
    """Unblock the signals that a parent process has blocked."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTIONS)


def ignore() -> None:
    """Ignore all interruptions from now on."""
    for number in INTERRUPTIONS:
        signal.signal(number, signal.SIG_IGN)


class Hold:
    """A context that delays interruptions until its end; within `listening` they act at once.

    If an error leaves the context, the caller gets that error and the interruption is dropped. Only the main thread can
    be interrupted; in other threads nothing is delayed. A mask of signals would not do, because another thread may
    receive them.
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
        """Return a context in which interruptions act at once, also one that has arrived before."""
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
