"""`simulate`: the ways to run, and the folder of a run."""

from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import (
    Continuous,
    Input,
    Parameter,
    State,
    UsageError,
)
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.reports.pages import write_pages
from drawbar.orchestrator.runs.recorder import PICTURE_FILE
from drawbar.orchestrator.simulate import simulate
from drawbar.web.commands import PAGE


class Lag(Continuous, method="euler", step=1e-3):
    """A lag, one Euler micro-step a millisecond."""

    u = Input("1", "signal to follow")
    k = Parameter(100.0, "1/s", "rate")
    y = State(0.0, "1", "delayed signal", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": self.k * (self.u - self.y)}


def ring() -> Diagram:
    d = Diagram("ring", step=1e-3, stop=2.0, algorithm="jacobi")
    parts = [d.add(f"lag{i}", Lag, y=8.0 if i == 0 else 0.0) for i in range(8)]
    for a, b in zip(parts, parts[1:] + parts[:1], strict=True):
        d.connect(a.y, b.u)
    return d


@pytest.mark.compiler
def test_interpreted_parts_cannot_be_stepped_in_c(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="interpreted back end has no C functions"):
        simulate(ring(), out=tmp_path / "r", backend="interpreted", engine="c")
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(("word", "value"), [("backend", "fmi"), ("engine", "pyton")])
def test_unknown_ways_to_run_name_the_nearest(word: str, value: str) -> None:
    with pytest.raises(UsageError, match="did you mean"):
        simulate(ring(), **{word: value})


def test_a_run_from_python_has_a_page_and_a_picture_where_it_asks_for_them(tmp_path: Path) -> None:
    """The page is that of `drawbar plot`; nothing is drawn that nobody asked for."""
    bare = simulate(ring(), out=tmp_path / "bare", stop=0.01, backend="interpreted")
    drawn = simulate(ring(), out=tmp_path / "drawn", stop=0.01, backend="interpreted", picture=True)
    whole = simulate(ring(), out=tmp_path / "whole", stop=0.01, backend="interpreted", page=True)
    known, runs = {PICTURE_FILE, PAGE}, (bare, drawn, whole)
    made = {run.folder.name: {p.name for p in run.folder.iterdir()} & known for run in runs}
    assert made == {"bare": set(), "drawn": {PICTURE_FILE}, "whole": {PICTURE_FILE, PAGE}}
    page = (whole.folder / PAGE).read_bytes()
    assert write_pages(whole.folder) == [whole.folder / PAGE]
    assert (whole.folder / PAGE).read_bytes() == page
