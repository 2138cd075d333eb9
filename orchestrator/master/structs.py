"""The structs and constants of `master.h` in Python, compared with those of the compiled master at load."""

from __future__ import annotations

import ctypes as ct
from collections.abc import Mapping
from typing import TypeVar

from drawbar.blocks.core.errors import BuildError
from drawbar.orchestrator.master import current_call, event_detection, input_extrapolation, part_timing, reference
from drawbar.orchestrator.master.current_call import CurrentCall
from drawbar.orchestrator.planning import coupling, schedule


class Channel(ct.Structure):
    """Variables that are read or written together."""

    _fields_ = [
        ("reference", ct.c_void_p * 3),
        ("begin", ct.c_int32 * 3),
        ("count", ct.c_int32 * 3),
        ("only_reals", ct.c_int32),
        ("scratch", ct.c_void_p),
    ]


class Connection(ct.Structure):
    """The connection to one input, with the history of its source."""

    _fields_ = [
        *[(name, ct.c_int32) for name in ("source", "part", "kind", "unscaled", "slot")],
        *[(name, ct.c_double) for name in ("gain", "offset", "low", "high")],
        ("epoch", ct.c_int32),
        ("has_rate", ct.c_int32),
        ("last_tick", ct.c_int64),
        *[(name, ct.c_double) for name in ("last_value", "rate", "used_rate", "previous_rate")],
    ]


class Events(ct.Structure):
    """Values whose change marks an event."""

    _fields_ = [
        ("n", ct.c_int32),
        *[(name, ct.c_void_p) for name in ("value", "owner", "previous", "may_be_counter", "consecutive_changes")],
    ]


class DelayedEvent(ct.Structure):
    """Events that the outputs of a part show only after its next step."""

    _fields_ = [*[(name, ct.c_int32) for name in ("part", "value", "pending")], ("events", Events)]


class Timing(ct.Structure):
    """Which steps of a part are timed."""

    _fields_ = [
        *[(name, ct.c_int64) for name in ("next", "interval", "covered")],
        ("seconds", ct.c_double),
        ("on", ct.c_int32),
    ]


class Part(ct.Structure):
    """A part, with its inputs and outputs."""

    _fields_ = [
        ("component", ct.c_void_p),
        ("do_step", ct.c_void_p),
        ("period_ticks", ct.c_int64),
        ("due_in", ct.c_int64),
        ("h", ct.c_double),
        ("steps", ct.c_int64),
        ("warnings", ct.c_int64),
        *[(name, ct.c_int32) for name in ("epoch", "read_early", "ahead", "jumped", "fresh_read")],
        ("get", ct.c_void_p * 3),
        ("set", ct.c_void_p * 3),
        ("out", Channel),
        ("in", Channel),
        ("connections", ct.POINTER(Connection)),
        ("timing", Timing),
        ("set_derivatives", ct.c_void_p),
        ("directional", ct.c_void_p),
        ("n_derivatives", ct.c_int32),
        ("derivative_reference", ct.c_void_p),
        ("derivative_order", ct.c_void_p),
        ("derivative", ct.c_void_p),
        ("events", Events),
    ]


class FreshRead(ct.Structure):
    """Outputs that are updated after the exchange."""

    _fields_ = [
        ("part", ct.c_int32),
        ("method", ct.c_int32),
        ("out", Channel),
        ("seed", ct.c_void_p),
        ("change", ct.c_void_p),
    ]


class Rate(ct.Structure):
    """The rows of one rate."""

    _fields_ = [
        ("period_ticks", ct.c_int64),
        ("due_in", ct.c_int64),
        ("column", ct.c_void_p),
        ("n_columns", ct.c_int32),
        ("rows", ct.c_void_p),
        ("n_rows", ct.c_void_p),
        ("capacity", ct.c_int64),
    ]


class Master(ct.Structure):
    """The whole schedule, with the memory it works on."""

    _fields_ = [
        ("parts", ct.POINTER(Part)),
        ("fresh_reads", ct.POINTER(FreshRead)),
        ("delayed_events", ct.POINTER(DelayedEvent)),
        ("rates", ct.POINTER(Rate)),
        ("values", ct.c_void_p),
        ("newest", ct.c_void_p),
        ("inputs", ct.c_void_p),
        ("table", ct.c_void_p),
        ("table_before", ct.c_void_p),
        ("table_jumps", ct.c_void_p),
        ("current_call", ct.POINTER(CurrentCall)),
        *[(name, ct.c_int32) for name in ("n_parts", "n_fresh_reads", "n_delayed_events", "n_rates", "n_table")],
        ("table_begin", ct.c_int64),
        ("table_tick", ct.c_int64),
        ("tick", ct.c_int64),
        ("numerator", ct.c_int64),
        ("denominator", ct.c_int64),
        ("start_time", ct.c_double),
        *[(name, ct.c_int32) for name in ("fault_part", "fault_call", "fault_status", "fault_value")],
        ("fault_tick", ct.c_int64),
    ]


Entry = TypeVar("Entry", bound=ct.Structure)

STRUCTS: Mapping[str, type[ct.Structure]] = {
    "Channel": Channel,
    "Connection": Connection,
    "Events": Events,
    "DelayedEvent": DelayedEvent,
    "Timing": Timing,
    "Part": Part,
    "FreshRead": FreshRead,
    "Rate": Rate,
    "CurrentCall": CurrentCall,
    "Master": Master,
}
CONSTANTS: Mapping[str, float] = {
    "JUMP_RATIO": input_extrapolation.JUMP_RATIO,
    "COUNTER_STEPS": event_detection.COUNTER_STEPS,
    "DELAYED_STEPS": event_detection.DELAYED_STEPS,
    "TIMED_AT_FIRST": part_timing.TIMED_AT_FIRST,
    "TIMING_INTERVAL": part_timing.TIMING_INTERVAL,
    "WARNING": reference.WARNING,
    "HELD_COLUMN": schedule.HELD_COLUMN,
    "LINEAR_COLUMN": schedule.LINEAR_COLUMN,
    "DELAYED": schedule.DELAYED,
    **{name: getattr(coupling, name) for name in ("HOLD", "EXTRAPOLATE", "NEWEST", "INTERPOLATE")},
    **{name: getattr(coupling, name) for name in ("STALE", "SET_AND_READ", "BY_DERIVATIVE")},
    "NO_CALL": current_call.IDLE,
    **{name: getattr(current_call, name) for name in ("GET", "SET", "DO_STEP", "NOT_FINITE")},
    **{name: getattr(current_call, name) for name in ("SET_DERIVATIVES", "DERIVATIVE")},
}


class _Location(ct.Structure):
    _fields_ = [("name", ct.c_char_p), ("offset", ct.c_int64), ("size", ct.c_int64)]


class _Constant(ct.Structure):
    _fields_ = [("name", ct.c_char_p), ("value", ct.c_double)]


def offsets() -> dict[str, tuple[int, int]]:
    """Return the offset and size of each struct and field (``Part.period_ticks``) in the Python layout."""
    found: dict[str, tuple[int, int]] = {}
    for name, struct in STRUCTS.items():
        found[name] = 0, ct.sizeof(struct)
        for field in struct._fields_:
            place = getattr(struct, field[0])
            found[f"{name}.{field[0]}"] = place.offset, place.size
    return found


def check_layout(library: ct.CDLL) -> None:
    """Raise `BuildError` if a struct or constant of the compiled master differs from that in Python."""
    theirs: dict[str, tuple[int, int]] = {}
    for place in _table(library, "master_offsets", _Location):
        theirs[place.name.decode()] = place.offset, place.size
    ours = offsets()
    for name in [*theirs, *ours]:
        if (c := theirs.get(name)) != (python := ours.get(name)):
            raise BuildError(
                f"the master in C and Python lay out '{name}' differently: offset and size are {c} in master.h and "
                f"{python} in structs.py; make the two alike"
            )
    values = {c.name.decode(): c.value for c in _table(library, "master_constants", _Constant)}
    for name in [*values, *CONSTANTS]:
        if values.get(name) != CONSTANTS.get(name):
            raise BuildError(
                f"the constant {name} is {values.get(name)} in master.h and {CONSTANTS.get(name)} in Python; make the "
                "two alike"
            )


def _table(library: ct.CDLL, symbol: str, entry: type[Entry]) -> list[Entry]:
    """Return the entries of a table of the library, up to the entry without a name."""
    found: list[Entry] = []
    address = ct.addressof(entry.in_dll(library, symbol))
    while (one := entry.from_address(address + len(found) * ct.sizeof(entry))).name:
        found.append(one)
    return found
