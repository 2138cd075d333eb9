"""What an FMU says: its first and last messages, and its warnings with how often each was given.

FMPy's proxy, which puts the numbers into a message, knows one logger for the whole process, that of the instance made
last. So all instances share one logger, and the environment that FMI hands back identifies the sender of a message.
"""

from __future__ import annotations

import ctypes
import itertools
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from weakref import WeakValueDictionary

FIRST, LAST = 20, 80  # messages that are kept of an FMU
MAX_MESSAGE_LENGTH = 2000  # characters
MAX_WARNINGS = 20  # kinds of warnings that are told apart
WARNING = 1  # of the FMI statuses

_NUMBER = re.compile(r"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")


@dataclass
class Warned:
    """A warning of an FMU: its first text, the last one if other numbers stand in it, and how often it was given."""

    text: str
    last: str
    count: int = 1

    def to_json(self) -> dict[str, Any]:
        """Return it as run.json has it."""
        return {"text": self.text, "count": self.count} | ({"last": self.last} if self.last != self.text else {})


class Log:
    """The messages of one FMU; `listener` is called with each."""

    def __init__(self, listener: Callable[[str], None] | None = None) -> None:
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=LAST)
        self._count = 0
        self._warnings: dict[str, Warned] = {}
        self._listener = listener

    def add(self, message: bytes | None, status: int = 0, category: bytes | None = None) -> None:
        """Store a message, truncated where it is too long."""
        lines = (message or b"").decode("utf-8", "replace").split("\n")
        text = ": ".join(line.strip() for line in lines if line.strip())
        cut = f"... ({len(text)} characters)" if len(text) > MAX_MESSAGE_LENGTH else ""
        text = text[:MAX_MESSAGE_LENGTH] + cut
        (self._first if self._count < FIRST else self._last).append(text)
        self._count += 1
        if status >= WARNING or b"warning" in (category or b"").lower():
            self._warn(text)
        if self._listener is not None:
            self._listener(text)

    def _warn(self, text: str) -> None:
        kind = _NUMBER.sub("#", text)  # most warnings contain the time
        if kind not in self._warnings and len(self._warnings) >= MAX_WARNINGS:
            kind, text = "", f"further warnings differ from these {MAX_WARNINGS} and are only counted"
        if (known := self._warnings.get(kind)) is None:
            self._warnings[kind] = Warned(text, text)
        else:
            known.last, known.count = text, known.count + 1

    def messages(self) -> list[str]:
        """Return the first and the last messages in order; a line between them says how many are left out."""
        left_out = self._count - len(self._first) - len(self._last)
        between = [f"{left_out} messages are left out here"] if left_out else []
        return [*self._first, *between, *self._last]

    def warnings(self) -> list[Warned]:
        """Return the messages with the status warning or worse, those that differ in numbers only as one."""
        return list(self._warnings.values())


_LOGS: WeakValueDictionary[int, Log] = WeakValueDictionary()
_NUMBERS = itertools.count(1)


def _log_message(environment: int | None, instance: Any, status: int, category: Any, message: bytes | None) -> None:
    # a message with an unknown environment is taken for one of the newest FMU
    log = _LOGS.get(environment or 0)
    if log is None:
        log = next(reversed(list(_LOGS.values())), None)
    if log is not None:
        log.add(message, status, category)


@lru_cache(maxsize=1)
def _logger() -> Any:
    """Return the C function, which lives as long as the process."""
    from fmpy import fmi2

    return fmi2.fmi2CallbackLoggerTYPE(_log_message)


def callbacks(log: Log) -> Any:
    """Return the callbacks of an instance whose messages go into `log`, as long as `log` is referenced."""
    from fmpy import fmi2

    made = fmi2.fmi2CallbackFunctions()
    made.logger = _logger()
    made.allocateMemory = fmi2.defaultCallbacks.allocateMemory
    made.freeMemory = fmi2.defaultCallbacks.freeMemory
    made.componentEnvironment = next(_NUMBERS)
    _LOGS[made.componentEnvironment] = log
    if hasattr(fmi2, "addLoggerProxy"):
        fmi2.addLoggerProxy(ctypes.byref(made))
    return made
