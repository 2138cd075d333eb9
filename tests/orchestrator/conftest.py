"""The ways to run a diagram that must all give the same rows."""

import hashlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run

ENGINES = [
    pytest.param(("fmu", "c"), marks=pytest.mark.compiler),
    pytest.param(("fmu", "python"), marks=pytest.mark.compiler),
    ("interpreted", "python"),
]


@pytest.fixture(params=ENGINES, ids=lambda p: "-".join(p))
def how(request: pytest.FixtureRequest) -> dict[str, str]:
    backend, engine = request.param
    return {"backend": backend, "engine": engine}


@pytest.fixture
def digests() -> Callable[[Path], dict[str, str]]:
    """The recorded files of a run and what is in them, in short."""

    def of(folder: Path) -> dict[str, str]:
        files = sorted((folder / "signals").rglob("*.parquet"))
        assert files
        return {str(f.relative_to(folder)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}

    return of


@pytest.fixture(scope="session")
def record() -> Callable[..., Run]:
    """Record values by name as a run of one rate."""

    def of(
        folder: Path, values: dict[str, list[float]], period: str = "1/100", kind: str = "Real", outcome: str = "ok"
    ) -> Run:
        rate = Rate(Fraction(period), tuple(Column(name, "m", kind) for name in values))
        recorder = Recorder(folder, {"diagram": "d"}, [rate])
        n = len(next(iter(values.values())))
        t = np.arange(n) * float(Fraction(period))
        recorder.write(0, np.column_stack([t, *values.values()]))
        recorder.finish(outcome, timing={})
        return Run(folder)

    return of
