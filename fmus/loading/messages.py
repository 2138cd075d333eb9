"""The log messages of FMUs, stored with the FMU that logged them.

FMPy's proxy, which puts the numbers into a message, knows one logger for the whole process: that of the instance made
last. So all instances share one logger, and the environment that FMI hands back identifies the sender of a message.
"""

from __future__ import annotations

import ctypes
import itertools
from functools import lru_cache
from typing import Any
from weakref import WeakValueDictionary

MOST_MESSAGES, LONGEST_MESSAGE = 100, 2000  # an FMU that floods its logger is cut off here; the length in characters


class Log(list[str]):
    """The messages of one FMU."""

    def hear(self, message: bytes | None) -> None:
        """Store a message, truncated where it is too long, and none beyond the last."""
        if len(self) < MOST_MESSAGES:
            lines = (message or b"").decode("utf-8", "replace").split("\n")
            text = ": ".join(line.strip() for line in lines if line.strip())
            cut = f"... ({len(text)} characters)" if len(text) > LONGEST_MESSAGE else ""
            self.append(text[:LONGEST_MESSAGE] + cut)
        elif len(self) == MOST_MESSAGES:
            self.append(f"further messages are left out after {MOST_MESSAGES}")


_LOGS: WeakValueDictionary[int, Log] = WeakValueDictionary()
_NUMBERS = itertools.count(1)


def _hear(environment: int | None, instance: Any, status: int, category: Any, message: bytes | None) -> None:
    # a message with an unknown environment is taken for one of the newest FMU
    log = _LOGS.get(environment or 0)
    if log is None:
        log = next(reversed(list(_LOGS.values())), None)
    if log is not None:
        log.hear(message)


@lru_cache(maxsize=1)
def _logger() -> Any:
    """Return the C function, which lives as long as the process."""
    from fmpy import fmi2

    return fmi2.fmi2CallbackLoggerTYPE(_hear)


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
