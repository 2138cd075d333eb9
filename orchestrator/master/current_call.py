"""The call that is being made at this moment, so that a run that hangs or crashes can be explained."""

from __future__ import annotations

import ctypes as ct
from collections.abc import Sequence

# kinds of calls; master.c has the same numbers
IDLE, GET, SET, DO_STEP, NOT_FINITE, SET_DERIVATIVES, DERIVATIVE = range(7)
INSTANTIATE, INITIALIZE, START, CHANGE, CLOSE, STATUS = range(7, 13)
CALLS = (
    "nothing",
    "reading outputs",
    "setting inputs",
    "doStep",
    "not finite",
    "setting input derivatives",
    "reading directional derivatives",
    "instantiation",
    "initialization",
    "the end of initialization",
    "changing a parameter",
    "termination",
    "reading how far the discarded step came",
)


class CurrentCall(ct.Structure):
    """The part (its index in `Plan.parts`), the kind of call, and the tick at which the call is made."""

    _fields_ = [("tick", ct.c_int64), ("part", ct.c_int32), ("call", ct.c_int32)]


def last_message(messages: Sequence[str], recorded: bool = True) -> str:
    """Return the last message of a part as the end of a sentence; `recorded` if run.json has those before it too."""
    if not messages:
        return ""
    return f"; it said: {messages[-1]}" + (
        " (run.json holds the messages before it)" if recorded and len(messages) > 1 else ""
    )
