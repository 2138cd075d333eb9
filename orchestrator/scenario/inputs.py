"""Inputs of a run over time, from a CSV file in FMPy's convention.

The first column is ``time`` in seconds. Each further one drives an input: ``part.input``, one element
(``part.input[2]``), or a connector of the diagram itself, with the gains and offsets of the connections behind it::

    "time","operator.steer","wind"
    0,0,3.5
    1.5,0.2,3.5

Real, continuous inputs are interpolated linearly between rows, others hold the last row. Two rows of the same time are
a jump: the later one applies from that time on. Before the first row and after the last one the nearest row holds.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import UsageError, did_you_mean
from drawbar.blocks.core.interface import Port
from drawbar.blocks.core.numbers import are_integers, limits_text
from drawbar.diagrams.model.connection import End
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.model.scalar_connections import transformation
from drawbar.orchestrator.scenario.input_file import TableFile

TIME_TOLERANCE = 1e-11  # relative; times that another tool has summed up are off by about that much
ROUNDING = 1e-12  # relative; a conversion of units may exceed a limit by that much


class Target(NamedTuple):
    """An input that a column drives: ``gain * value + offset``."""

    part: str
    scalar: str
    gain: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class InputColumn:
    """A column, which is interpolated linearly between rows if it is `continuous`, else held."""

    name: str
    continuous: bool
    targets: tuple[Target, ...]


@dataclass(frozen=True)
class InputTable:
    """The rows of a file; `values` has one column for each of `columns`, and one row for each of `times`."""

    columns: tuple[InputColumn, ...]
    times: NDArray[np.float64]
    values: NDArray[np.float64]

    def rows(self, times: NDArray[np.float64], before_jump: bool = False) -> NDArray[np.float64]:
        """Return the values at these times, one row each; at the time of a row exactly that row.

        At a jump these are the values after it, or with `before_jump` those before it.
        """
        t = np.asarray(times, dtype=np.float64)
        last = len(self.times) - 1
        with np.errstate(over="ignore"):
            late = t + TIME_TOLERANCE * np.abs(t)
        exact, near = (np.searchsorted(self.times, x, side="right") - 1 for x in (t, late))
        low = np.clip(np.where(self.times[exact] == t, exact, near), 0, last)
        if before_jump:
            low = np.where(
                (low > 0) & (self.times[low - 1] == self.times[low]) & (t - self.times[low] <= late - t), low - 1, low
            )
        high = np.minimum(low + 1, last)
        with np.errstate(over="ignore"):  # for rows that are farther apart than the largest number
            span = self.times[high] - self.times[low]
            reached = np.divide(t - self.times[low], span, out=np.zeros_like(t), where=span > 0.0)
        weight = np.clip(reached, 0.0, 1.0)[:, None] * np.array([c.continuous for c in self.columns])
        a, b = self.values[low], self.values[high]
        # rounding may lead beyond both rows, so that a constant would not remain constant
        rows: NDArray[np.float64] = np.clip((1.0 - weight) * a + weight * b, np.minimum(a, b), np.maximum(a, b))
        return rows

    def jumps(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how often each column has jumped at these times, one row each."""
        t = np.asarray(times, dtype=np.float64)
        late = t + TIME_TOLERANCE * np.abs(t)
        jump = self._jumps()
        return np.column_stack([np.searchsorted(self.times[1:][j], late, side="right") for j in jump.T]).astype(float)

    def _jumps(self) -> NDArray[np.bool_]:
        """Return for each row but the first, and each column, whether the column jumps there."""
        changes: NDArray[np.bool_] = self.values[1:] != self.values[:-1]
        same_time = self.times[1:] == self.times[:-1]
        jumps: NDArray[np.bool_] = changes & (same_time[:, None] | ~np.array([c.continuous for c in self.columns]))
        return jumps

    def first_jump_off(self, i: int, period: Fraction) -> float | None:
        """Return the first time in s at which column i jumps off the multiples of `period`, or None."""
        for time in self.times[1:][self._jumps()[:, i]]:
            steps = time / float(period)
            if time > 0.0 and abs(steps - round(steps)) > TIME_TOLERANCE * max(1.0, abs(steps)):
                return float(time)
        return None


def read_inputs(path: str | os.PathLike[str], diagram: Diagram) -> InputTable:
    """Return the table of inputs for a diagram that has no faults.

    Raise `UsageError` with all faults by file, line and column: names that cannot be driven, cells that are not numbers
    of the input's type or lie outside its limits, times that decrease.
    """
    diagram = flatten(diagram)
    table = TableFile(Path(path))
    found = [_column(diagram, name) if name else "it has no name" for name in table.header]
    for i, column in enumerate(found):
        first = table.header.index(table.header[i])
        reason = column if isinstance(column, str) else f"column {first + 2} has the same name" if first < i else None
        if reason is not None:
            table.fault(1, i + 1, reason)
    table.stop_if_faulty()
    columns = [column for column in found if not isinstance(column, str)]
    times, values = table.read(["Boolean" in _types(diagram, column) for column in columns])
    for i, column in enumerate(columns):
        for right, otherwise in _checks(diagram, column, values[:, i]):
            table.check(i, values[:, i], right, otherwise)
    table.stop_if_faulty()
    return InputTable(tuple(columns), times, values)


def describe_variable(port: Port) -> str:
    """Return the kind of a variable with its article, for messages: ``a fixed parameter``."""
    names = {"parameter": f"{port.variability} parameter", "calculatedParameter": "calculated parameter"}
    name = names.get(port.causality, f"{port.causality} variable" if port.causality == "local" else port.causality)
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _column(diagram: Diagram, name: str) -> InputColumn | str:
    """Return the column of a name, or why there can be none."""
    part, scalar = diagram.locate(name) or (None, "")
    part_name = "" if part is None else part.name
    outer, inner = diagram.port(End(None, name)), None if part is None else part.port(scalar)
    if outer is not None and inner is not None:
        return "this is both a connector of the diagram and a variable of a part; give the connector another name"
    port = outer or inner
    if port is None:
        if part is not None and scalar.endswith("]") and part.port(scalar.rpartition("[")[0]) is not None:
            return part.unknown(scalar)  # the message names the existing elements
        return f"there is no input '{name}'" + did_you_mean(name, _valid_names(diagram))
    if port.causality != "input":
        advice = "; --set changes it before the run" if port.causality == "parameter" else ""
        return f"'{name}' is {describe_variable(port)}; an input file drives inputs only{advice}"
    if port.type == "String":
        return f"'{name}' is text; an input file drives numbers only"
    if port.shape:
        elements = port.scalar_names()
        prefix = "" if inner is None else f"{part_name}."
        return f"it is an array; give each element a column, '{prefix}{elements[0]}' to '{prefix}{elements[-1]}'"
    if outer is not None:
        targets = _targets_of_connector(diagram, name)
        if not targets:
            return f"the connector '{name}' is not connected to a part; connect it or leave the column out"
    else:
        driver = diagram.driver(part_name, scalar)
        if driver is not None and driver.start.part is None:
            return f"the connector '{driver.start}' of the diagram drives it; name the connector instead"
        if driver is not None:
            return f"{driver.start} drives it already; remove the connection or the column"
        targets = (Target(part_name, scalar),)
    ports = [port, *(_port(diagram, target) for target in targets)]
    return InputColumn(name, all(p.type == "Real" and p.variability == "continuous" for p in ports), targets)


def _targets_of_connector(diagram: Diagram, name: str) -> tuple[Target, ...]:
    """Return the inputs that a connector of the diagram, or one element of it, is connected to."""
    targets: list[Target] = []
    for connection in diagram.connections:
        start, end = connection.start, connection.end
        if start.part is None and end.part is not None:
            pairs = zip(diagram.scalars(start), diagram.scalars(end), strict=True)
            targets += [Target(end.part, b, *transformation(diagram, connection)) for a, b in pairs if a == name]
    return tuple(targets)


def _valid_names(diagram: Diagram) -> Iterator[str]:
    """Yield all names that a column may have."""
    for connector in diagram.connectors.values():
        if connector.causality == "input":
            yield from connector.scalar_names()
    for part_name, part in diagram.parts.items():
        for port in part.interface.of("input"):
            yield from (f"{part_name}.{s}" for s in port.scalar_names() if diagram.driver(part_name, s) is None)


def _port(diagram: Diagram, target: Target) -> Port:
    port = diagram.parts[target.part].port(target.scalar)
    assert port is not None  # `_column` has found it, or a connection of the checked diagram leads to it
    return port


def _types(diagram: Diagram, column: InputColumn) -> set[str]:
    outer = diagram.port(End(None, column.name))
    return {_port(diagram, target).type for target in column.targets} | ({outer.type} if outer else set())


def check_inputs(table: InputTable, diagram: Diagram) -> InputTable:
    """Return a table that was made in Python; raise `UsageError` for the first value that an input cannot take."""
    for i, column in enumerate(table.columns):
        for right, otherwise in _checks(diagram, column, table.values[:, i]):
            if not right.all():
                k = int(np.argmin(right))
                value = f"{table.values[k, i]:.15g} at {table.times[k]:g} s"
                raise UsageError(f"inputs: '{column.name}' is {value}, which is {otherwise}")
    return table


def _checks(
    diagram: Diagram, column: InputColumn, values: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.bool_], str]]:
    """Yield which values the inputs of a column can take, and what the others are."""
    types = _types(diagram, column)
    if types != {"Real"}:
        boolean = "Boolean" in types
        right = (values == 0.0) | (values == 1.0) if boolean else are_integers(values)
        yield right, "neither true nor false" if boolean else "not a whole number of 32 bits"
    for target in column.targets:
        port = _port(diagram, target)
        low = -math.inf if port.minimum is None else port.minimum
        high = math.inf if port.maximum is None else port.maximum
        # a value that overflows by the gain becomes infinite or NaN, which is within no limits
        with np.errstate(over="ignore", invalid="ignore"):
            sent = target.gain * values + target.offset
            slack = ROUNDING * np.abs(sent)
            right = (low <= sent + slack) & (sent - slack <= high)
        limits = limits_text(low, high, port.unit)
        yield right, f"outside the limits of {target.part}.{target.scalar}, which must be {limits}"
