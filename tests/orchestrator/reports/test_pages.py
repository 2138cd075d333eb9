"""Which functions write the pages of a run."""

from pathlib import Path

import pytest

from drawbar.orchestrator.reports import pages
from drawbar.orchestrator.reports.pages import WRITERS, write_pages


def test_each_registered_package_writes_its_page_in_the_order_of_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Entry:
        def __init__(self, name: str) -> None:
            self.name = name

        def load(self) -> object:
            return lambda folder: folder / f"{self.name}.html"

    monkeypatch.setattr(pages, "entry_points", lambda *, group: [Entry("b"), Entry("a")] if group == WRITERS else [])
    assert write_pages(str(tmp_path)) == [tmp_path / "a.html", tmp_path / "b.html"]
