"""The C files of a block: from the cache where they are of the library, and the same as written anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import Continuous, Output, Parameter
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.fmus.export import sources
from drawbar.fmus.export.codegen import generate
from drawbar.fmus.export.sources import sources_of
from drawbar.fmus.export.write_description import write_description


class Own(Continuous):
    """A block outside the library."""

    c = Parameter(1.0, "1", "value")
    y = Output("1", "value")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.c}


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An empty cache, nothing known in the process, and the names of the blocks whose files are written."""
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path))
    monkeypatch.setattr(sources, "_known", {})
    found: list[str] = []

    def counted(model: Any, description: str) -> Any:
        found.append(model.name)
        return generate(model, description)

    monkeypatch.setattr(sources, "generate", counted)
    return found


def test_files_of_the_cache_equal_those_written_anew(written: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    first = sources_of(FirstOrderLag)
    assert sources_of(FirstOrderLag) is first
    monkeypatch.setattr(sources, "_known", {})  # as in another process
    second = sources_of(FirstOrderLag)
    assert written == ["FirstOrderLag"]
    model = FirstOrderLag.model()
    assert first == second == generate(model, write_description(model, guid=""))


def test_another_version_of_the_exporter_writes_anew(written: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    sources_of(FirstOrderLag)
    monkeypatch.setattr(sources, "_known", {})
    monkeypatch.setattr(sources, "_EXPORT", "of other files")
    sources_of(FirstOrderLag)
    assert written == ["FirstOrderLag"] * 2


def test_files_of_other_blocks_are_kept_in_the_process_only(written: list[str], tmp_path: Path) -> None:
    first = sources_of(Own)
    assert sources_of(Own) is first
    assert written == ["Own"]
    assert not list(tmp_path.rglob("*Own*"))
