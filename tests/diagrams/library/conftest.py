"""Drives of the library's diagrams."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate


@pytest.fixture(scope="session")
def drive() -> Callable[..., Run]:
    """Run a diagram, with start values by ``part.variable``; compiled where there is a compiler."""

    def driven(ssd: Path, folder: Path, changes: dict[str, Any] | None = None) -> Run:
        diagram = read(ssd)
        for name, value in (changes or {}).items():
            part, _, variable = name.partition(".")
            diagram.parts[part].set(variable, value)
        return simulate(diagram, out=folder)

    return driven
