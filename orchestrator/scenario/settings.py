"""Start values and parameters from the command line, and those of the cases of a report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from drawbar.blocks.authoring.registry import find_block
from drawbar.blocks.core.errors import DiagramError, DrawbarError, UsageError, did_you_mean
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.start_values import values_of
from drawbar.orchestrator.scenario.changes import given_value


def settings_of(case: dict[str, Any]) -> list[str]:
    """Return what a case of a report sets, as it would be written on the command line."""
    return [f"{name}={json.dumps(value)}" for name, value in case["set"].items()]


def sets_of(case: Mapping[str, Any]) -> list[str]:
    """Return the parameter sets of a case of a report, as they would be named on the command line."""
    return [str(name) for name in case.get("params", [])]


def apply_use(diagram: Diagram, given: str) -> None:
    """Apply ``part=Block``: a block by its class name or ``package.module:Class``, or the path of an FMU."""
    part, equals, what = (word.strip() for word in given.partition("="))
    if not (part and equals and what):
        raise UsageError(f"--use {given}: write it as part=Block, for instance wheel_fl=FialaTire")
    try:
        diagram.use(part, what if what.endswith(".fmu") else find_block(what))
    except DrawbarError as error:
        raise UsageError(f"--use {given}: {error}") from None


def apply_setting(diagram: Diagram, setting: str) -> None:
    """Apply ``part.name=value``; raise `UsageError` with what does not exist and the nearest name."""
    target, equals, text = setting.partition("=")
    part_name, dot, name = target.strip().partition(".")
    if not equals or not dot or not name:
        raise UsageError(f"--set {setting}: write it as part.parameter=value, for instance vehicle.u=15")
    part = diagram.parts.get(part_name)
    if part is None:
        raise UsageError(f"--set {setting}: there is no part '{part_name}'" + did_you_mean(part_name, diagram.parts))
    if part.fault:
        raise DiagramError(part.fault)
    try:
        value = given_value(part, name, text)
        values_of(part, name, value)
        part.overrides[name] = value
    except OverflowError:
        raise UsageError(f"--set {setting[:60]}: the number is too large") from None
    except DrawbarError as error:
        raise UsageError(f"--set {setting}: {error}") from None
