"""What acts on a run from outside: inputs over time, timed changes, a stop condition and the pace."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from drawbar.blocks.core.errors import UsageError
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.scenario.changes import Change, read_changes
from drawbar.orchestrator.scenario.condition import Condition, read_condition
from drawbar.orchestrator.scenario.inputs import InputTable, check_inputs, read_inputs
from drawbar.orchestrator.scenario.pacing import Pacer


@dataclass(frozen=True)
class Scenario:
    """The inputs, changes, stop condition and pace of a run; each of them may be absent."""

    inputs: InputTable | None = None
    changes: Sequence[Change] = ()  # by time
    until: Condition | None = None
    pacer: Pacer | None = None

    @property
    def watched(self) -> tuple[str, ...] | None:
        """The signals of the stop condition, as ``part.scalar``; None without a condition."""
        return None if self.until is None else self.until.signals

    def driven(self) -> set[tuple[str, str]]:
        """Return the variables that the input file or a change sets, as part and scalar."""
        return {*self._columns(), *((c.part, scalar) for c in self.changes for scalar in c.values)}

    def initial_inputs(self) -> dict[str, dict[str, float]]:
        """Return the values of the input file at the start, by part and input."""
        found: dict[str, dict[str, float]] = {}
        if self.inputs is not None:
            for column, value in zip(self.inputs.columns, self.inputs.rows(np.zeros(1))[0], strict=True):
                for part, scalar, gain, offset in column.targets:
                    found.setdefault(part, {})[scalar] = gain * float(value) + offset
        return found

    def changes_by_tick(self, tick: Fraction, period_ticks: Mapping[str, int], ticks: int) -> list[tuple[int, Change]]:
        """Return the changes, each with the tick at which its part begins a step.

        `tick` is in seconds, `period_ticks` has the period of each part in ticks, and the run stops after `ticks`.
        Raise `UsageError` for a change that falls between two steps, comes after the stop, or is of a variable that the
        input file drives.
        """
        columns = self._columns()
        found = []
        for change in self.changes:
            step = tick * period_ticks[change.part]
            steps = change.time / step
            where = f"the change of {change.part}.{change.name} at {float(change.time):g} s"
            if column := next((columns[change.part, s] for s in change.values if (change.part, s) in columns), None):
                raise UsageError(f"{where} would not last: column '{column}' of the input file drives it")
            if steps.denominator != 1:
                nearest = float(round(steps) * step)
                raise UsageError(
                    f"{where} falls between two steps of {float(step):g} s of that part; the nearest is "
                    f"{nearest:.12g} s"
                )
            if (at := int(steps) * period_ticks[change.part]) >= ticks:
                raise UsageError(f"{where} comes too late: the run stops at {float(ticks * tick):g} s")
            found.append((at, change))
        return found

    def describe(self) -> dict[str, Any]:
        """Return the entries of run.json about the scenario."""
        entries: dict[str, Any] = {}
        if self.inputs is not None:
            entries["inputs"] = [c.name for c in self.inputs.columns]
            numbers = self.inputs.times.tobytes() + self.inputs.values.tobytes()
            entries["inputs_sha256"] = hashlib.sha256(numbers).hexdigest()
        if self.changes:
            entries["changes"] = [
                {"time": float(c.time), "part": c.part, "values": dict(c.values)} for c in self.changes
            ]
        if self.until is not None:
            entries["until"] = self.until.text
        if self.pacer is not None:
            entries["pace"] = self.pacer.pace
        return entries

    def _columns(self) -> dict[tuple[str, str], str]:
        """Return the inputs that the input file drives, as part and scalar, with the names of the columns."""
        columns = () if self.inputs is None else self.inputs.columns
        return {(target.part, target.scalar): column.name for column in columns for target in column.targets}


def read_scenario(
    diagram: Diagram,
    inputs: InputTable | Path | str | None = None,
    changes: Sequence[Change | str] = (),
    until: str | None = None,
    pace: float | None = None,
) -> Scenario:
    """Return the scenario of a flat diagram from the arguments of `simulate`."""
    return Scenario(
        inputs=_table(inputs, diagram),
        changes=sorted(read_changes(changes, diagram), key=lambda change: change.time),
        until=None if until is None else read_condition(until, diagram),
        pacer=None if pace is None else Pacer(pace),
    )


def _table(inputs: InputTable | Path | str | None, diagram: Diagram) -> InputTable | None:
    if inputs is None:
        return None
    return check_inputs(inputs, diagram) if isinstance(inputs, InputTable) else read_inputs(inputs, diagram)
