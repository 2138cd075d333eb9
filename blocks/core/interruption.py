"""Ctrl-C, SIGTERM and SIGHUP: they close a run once, whenever they arrive."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

# a terminal sends SIGHUP when it is closed
INTERRUPTIONS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

REPEAT = 0.1  # s after which an interruption that has not arrived is raised again

_interrupted = False
_repeats = hasattr(signal, "setitimer")
_insistent = 0  # contexts of `insistent` that are open


def is_interrupted() -> bool:
    """Return whether the process has been asked to end, even if the exception was swallowed on its way."""
    return _interrupted


def install_handlers() -> None:
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


@contextlib.contextmanager
def insistent() -> Iterator[None]:
    """Return a context in which an interruption is raised again until it arrives, and at once if it came before.

    CasADi drops every exception that is raised while it asks whether an object is one of its own, so a single
    `KeyboardInterrupt` is lost while equations are traced. One that is on its way, or is being handled, is left alone.
    """
    global _insistent
    if _interrupted:
        raise KeyboardInterrupt
    _insistent += 1
    try:
        yield
    finally:
        _insistent -= 1
        if not _insistent:
            acknowledge()


def acknowledge() -> None:
    """Raise the interruption no more: it has been reported."""
    if _repeats and threading.current_thread() is threading.main_thread():
        signal.setitimer(signal.ITIMER_REAL, 0.0)


class DeferredInterruption:
    """A context that defers interruptions until its end; within `acting_at_once` they act at once.

    If an error leaves the context, the caller gets that error and the interruption is dropped. Only the main thread can
    be interrupted; in other threads nothing is deferred. A mask of signals would not do, because another thread may
    receive them.
    """

    def __init__(self) -> None:
        self._acts_at_once = False
        self._pending: int | None = None
        self._handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}

    def __enter__(self) -> DeferredInterruption:
        if threading.current_thread() is threading.main_thread():
            handlers = {number: signal.getsignal(number) for number in INTERRUPTIONS}
            self._handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
            for number in self._handlers:
                signal.signal(number, self._handle)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if kind is None:
            self._deliver()

    @contextlib.contextmanager
    def acting_at_once(self) -> Iterator[None]:
        """Return a context within which interruptions act at once, including one that is pending."""
        self._acts_at_once = True
        try:
            self._deliver()
            yield
        finally:
            self._acts_at_once = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._acts_at_once:
            self._handlers[number](number, frame)
        else:
            self._pending = number

    def _deliver(self) -> None:
        number, self._pending = self._pending, None
        if number is not None:
            self._handlers[number](number, None)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _interrupted
    if not _interrupted:
        _interrupted = True
        if _insistent and _repeats:
            signal.signal(signal.SIGALRM, _interrupt_again)
            signal.setitimer(signal.ITIMER_REAL, REPEAT, REPEAT)
        raise KeyboardInterrupt


def _interrupt_again(number: int, frame: FrameType | None) -> None:
    error = sys.exc_info()[1]  # in the clean-up of an exception, that one
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return
        error = error.__context__
    raise KeyboardInterrupt
