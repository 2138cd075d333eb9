"""The ways to run a diagram that must all give the same rows."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

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
