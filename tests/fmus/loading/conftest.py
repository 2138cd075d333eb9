from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a cache folder of its own."""
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def write_fmu() -> Callable[[Path, dict[str, str | bytes]], Path]:
    """Write an archive with the given files, and return its path."""

    def write(path: Path, files: dict[str, str | bytes]) -> Path:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return path

    return write
