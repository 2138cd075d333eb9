"""Ctrl-C and a polite kill: they close a run once, wherever they come upon it."""

from __future__ import annotations

import signal
from types import FrameType

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
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTIONS)


def ignore() -> None:
    """What comes now comes too late."""
    for number in INTERRUPTIONS:
        signal.signal(number, signal.SIG_IGN)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _asked
    if not _asked:
        _asked = True
        raise KeyboardInterrupt
