"""The loop of a run: the length of recorded files, which depends on diagram and pace alone."""

from pathlib import Path

import numpy as np
import pytest

from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.master import run_loop
from drawbar.orchestrator.master.run_loop import chunk_ticks
from drawbar.orchestrator.planning.plan import make_plan
from drawbar.orchestrator.scenario.pacing import Pacer
from drawbar.orchestrator.simulate import simulate


def lags(n: int = 1) -> Diagram:
    d = Diagram("lags", step=0.01, stop=2.0)
    for i in range(n):
        d.add(f"lag{i}", FirstOrderLag, y=1.0)
    return d


def test_a_file_has_a_largest_number_of_ticks_and_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chunk_ticks(make_plan(lags())) == run_loop.CHUNK
    monkeypatch.setattr(run_loop, "CHUNK_VALUES", 1000)
    assert chunk_ticks(make_plan(lags(9))) == 100, "a row has ten values with the time"
    assert chunk_ticks(make_plan(lags(99))) == 16, "no file has fewer rows"


def test_a_paced_run_is_written_in_files_of_two_seconds() -> None:
    assert chunk_ticks(make_plan(lags()), Pacer(1.0)) == 200
    assert chunk_ticks(make_plan(lags()), Pacer(0.5)) == 100


def test_a_run_in_several_files_has_the_rows_of_one_file(
    how: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = simulate(lags(), out=tmp_path / "whole", **how)
    monkeypatch.setattr(run_loop, "CHUNK", 64)
    pieces = simulate(lags(), out=tmp_path / "pieces", **how)
    assert len(list((tmp_path / "pieces" / "signals").rglob("*.parquet"))) == 4
    np.testing.assert_array_equal(whole["lag0.y"], pieces["lag0.y"])
    np.testing.assert_array_equal(whole.time("lag0.y"), pieces.time("lag0.y"))
