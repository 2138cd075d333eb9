"""The errors of Drawbar, as a tree.

    DrawbarError
    ├── UsageError        the command or call itself is wrong (exit code 2)
    ├── DefinitionError   a block's declarations or equations are wrong
    ├── BuildError        a block could not be turned into an FMU: compiler, validator
    ├── FmuError          a file is not a usable FMU, or an FMU failed
    ├── TerrainError      a map of the ground, or a soil, is wrong
    ├── DiagramError      a diagram has one or more faults; `.faults` lists them
    └── RunError          a run stopped early; what it recorded is kept

A message gives the place, the fault, both values, the nearest valid name, and the remedy.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


class DrawbarError(Exception):
    """An error that Drawbar reports to a person in one message."""

    exit_code = 1


class UsageError(DrawbarError):
    """The command line, or a call, asks for something that does not exist."""

    exit_code = 2


class DefinitionError(DrawbarError):
    """A block is declared wrongly (raised when its class is defined) or its equations are (when it is first used)."""


class BuildError(DrawbarError):
    """A block could not be turned into an FMU."""


class FmuError(DrawbarError):
    """A file is not an FMU that can be used here, or an FMU reported a failure."""


class TerrainError(DrawbarError):
    """A map of the ground, a soil, or a file with one of them is wrong."""


class DiagramError(DrawbarError):
    """A diagram has faults; the text has one line for each."""

    def __init__(self, faults: str | Sequence[str]) -> None:
        self.faults = [faults] if isinstance(faults, str) else list(faults)
        super().__init__("\n".join(self.faults))


class RunError(DrawbarError):
    """A run stopped before its end."""


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?``, or a list of the valid names if none is near."""
    names = sorted(set(valid) - {name})  # to suggest the same name would help nobody
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"; did you mean '{near[0]}'?"
    if not names:
        return "; there are none"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"; there are: {shown}"
