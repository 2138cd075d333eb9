"""Timed changes of a run, written as ``2.5:tire.friction=0.3``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from drawbar.blocks.core.errors import DefinitionError, DiagramError, DrawbarError, UsageError, did_you_mean
from drawbar.blocks.core.interface import Port, Value
from drawbar.blocks.core.units import parse_unit
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.start_values import convert, sources_of, values_of
from drawbar.orchestrator.scenario.inputs import describe_variable

# a time as digits or as a fraction; longer exponents would only take memory
_TIME = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,2})?|\d+/0*[1-9]\d*", re.ASCII)
MAX_TIME_LENGTH = 40  # characters
MAX_SHOWN = 80  # characters of a text that a message repeats
MAX_VALUE_LENGTH = 1000  # characters of a value that may be followed by a unit
# numbers in brackets or one without, then the beginning of a unit
_WITH_UNIT = re.compile(r"\s*(?P<value>\[.*\]|[-+]?[\d.]+([eE][-+]?\d+)?)\s*(?P<unit>[A-Za-z%]\S*)\s*", re.ASCII)


@dataclass(frozen=True)
class Change:
    """From `time` seconds on, the variables of a part have `values`, by scalar name.

    `name` is the port or element that they belong to.
    """

    time: Fraction
    part: str
    name: str
    values: dict[str, Value]


def read_changes(changes: Iterable[str | Change], diagram: Diagram) -> list[Change]:
    """Return all changes of a run.

    Raise `UsageError` if two of them give a variable different values at one time.
    """
    read = [read_change(c, diagram) if isinstance(c, str) else _checked(c, diagram) for c in changes]
    given: dict[tuple[Fraction, str, str], Value] = {}
    for change in read:
        for scalar, value in change.values.items():
            before = given.setdefault((change.time, change.part, scalar), value)
            if before != value:
                raise UsageError(
                    f"two changes at {float(change.time):g} s set {change.part}.{scalar} to {before} and to {value}; "
                    "leave one out"
                )
    return read


def _checked(change: Change, diagram: Diagram) -> Change:
    """Return a change that was made in Python with its values as they are sent."""
    part = flatten(diagram).parts.get(change.part)
    if part is None:
        raise UsageError(f"there is no part '{change.part}'" + did_you_mean(change.part, diagram.parts))
    try:
        sent = {s: v for name, value in change.values.items() for s, v in values_of(part, name, value).items()}
    except DrawbarError as error:
        raise UsageError(f"change at {float(change.time):g} s: {error}") from None
    return replace(change, values=sent)


def read_change(text: str, diagram: Diagram) -> Change:
    """Return the change that ``time:part.name=value`` describes.

    The target is a tunable parameter, or an input that no other part drives: a scalar, an element or a whole array. The
    value is JSON, in the unit of the variable or in one that follows it. Raise `UsageError` with what is wrong with the
    time, the target or the value.
    """
    diagram = flatten(diagram)
    shown = text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."
    target, equals, value = text.partition("=")
    seconds, colon, path = target.partition(":")
    part_name, dot, name = path.strip().partition(".")
    if not (equals and colon and dot and name):
        raise UsageError(f"change {shown}: write it as time:part.name=value, for instance 2.5:tire.friction=0.3")
    try:
        time = _time(seconds.strip())
        found = diagram.locate(path.strip())
        if found is None:
            raise UsageError(f"there is no part '{part_name}'" + did_you_mean(part_name, diagram.parts))
        part, name = found
        part_name = part.name
        port = part.port(name)
        if port is None:
            raise UsageError(part.unknown(name))
        if (reason := _change_fault(diagram, part, port)) is not None:
            raise UsageError(f"{part_name}.{name} {reason}")
        return Change(time, part_name, name, values_of(part, name, given_value(part, name, value)))
    except OverflowError:
        raise UsageError(f"change {shown}: the number is too large") from None
    except DrawbarError as error:
        raise UsageError(f"change {shown}: {error}") from None


def given_value(part: Part, name: str, text: str) -> Any:
    """Return a value of the command line in the unit of its variable: ``7``, ``[1, 2]``, ``50km/h``, ``[1, 2] cm``.

    Raise `DiagramError` if it is followed by a unit that is unknown or of another dimension.
    """
    value = parse_value(text)
    port = part.variable(name)
    found = _WITH_UNIT.fullmatch(text) if isinstance(value, str) and len(text) <= MAX_VALUE_LENGTH else None
    if found is None or port is None or port.type == "String" or port.items:
        return value
    where, unit = f"{part.name}.{name}", found["unit"]
    wanted = f"is in [{port.unit}]" if port.unit else "has no unit"
    if port.type != "Real":
        wanted = f"is of type {port.type}"
    if port.type != "Real" or not port.unit:
        raise DiagramError(f"{where} = {text.strip()} has the unit '{unit}', but {where} {wanted}; give a number")
    value = parse_value(found["value"])
    if isinstance(value, str):
        return text
    try:
        quantity = parse_unit(unit)
    except DefinitionError as error:
        raise DiagramError(f"{error}; {where} {wanted}") from None
    return np.asarray(convert(part, name, value, unit, quantity)).tolist()


def parse_value(text: str) -> Any:
    """Return a value read as JSON, or the text itself if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _time(text: str) -> Fraction:
    if text.startswith("-"):
        raise UsageError(f"the time {text} s is before the start of the run at 0 s")
    if len(text) > MAX_TIME_LENGTH or not _TIME.fullmatch(text):
        raise UsageError(f"'{text[:MAX_TIME_LENGTH]}' is not a number of seconds; write it as 2.5 or 1/30")
    return Fraction(text)


def _change_fault(diagram: Diagram, part: Part, port: Port) -> str | None:
    """Return why a variable cannot change during a run, or None if it can."""
    if port.type == "String":
        return "is text; only numbers can change during a run"
    if port.causality == "input":
        drivers = [d for s in port.scalar_names() if (d := diagram.driver(part.name, s)) and d.start.part is not None]
        return f"is an input that {drivers[0].start} drives; a change there would not last" if drivers else None
    if (port.causality, port.variability) == ("parameter", "tunable"):
        return None
    advice = "; --set changes it before the run" if port.causality == "parameter" else ""
    if port.causality == "calculatedParameter" and (sources := sources_of(part, port.name, port)):
        advice = f"; it is calculated from {sources}"
    kind = describe_variable(port)
    return f"is {kind}; only tunable parameters and inputs that nothing drives can change during a run{advice}"
