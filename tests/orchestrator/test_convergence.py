"""Error bars from half the step: beside the true error, where nothing depends on the step, and where rows are few."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

from drawbar.blocks import Continuous, Input, Output, Sampled, State
from drawbar.diagrams.diagram import Diagram
from drawbar.orchestrator.convergence import ErrorBar, error_bars, table, to_json
from drawbar.orchestrator.simulate import simulate


class Spring(Continuous):
    """A mass that is pulled by a force from elsewhere."""

    force = Input("N", "force on a kilogram")
    x = State(1.0, "m", "position", output=True)
    v = State(0.0, "m/s", "velocity")

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.v, "v": self.force}


class Pull(Continuous):
    """A spring and a lag: force, and a second state so that it is no plain gain."""

    x = Input("m", "position")
    f = State(0.0, "N", "force", output=True)
    pair = Output("N", "the force, and half of it", size=2)

    def derivatives(self) -> dict[str, Any]:
        return {"f": 20.0 * (-9.0 * self.x - self.f)}

    def outputs(self) -> dict[str, Any]:
        return {"pair": [self.f, 0.5 * self.f]}


class Wave(Continuous):
    y = Output("1", "a parabola")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.time * self.time}


class Count(Sampled, period=0.25):
    u = Input("N", "signal")
    n = Output("1", "whole numbers of it", type=int)
    late = Output("N", "last sample")

    def outputs(self) -> dict[str, Any]:
        return {"n": 10.0 * self.u, "late": self.u}


def pair(step: float, algorithm: str) -> Diagram:
    d = Diagram("pair", step=step, stop=2.0, algorithm=algorithm)
    spring, pull, count = d.add("spring", Spring), d.add("pull", Pull), d.add("count", Count)
    d.add("wave", Wave)
    d.connect(spring.x, pull.x)
    d.connect(pull.f, spring.force)
    d.connect(pull.f, count.u)
    return d


def exact(t: np.ndarray) -> np.ndarray:
    matrix = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-180.0, 0.0, -20.0]])
    return np.array([(expm(matrix * s) @ [1.0, 0.0, 0.0])[0] for s in t])


def bars(tmp_path: Path, algorithm: str, **how: Any) -> tuple[Any, list[ErrorBar]]:
    run = simulate(pair(1 / 64, algorithm), out=tmp_path / "whole", **how)
    half = simulate(pair(1 / 128, algorithm), out=tmp_path / "half", **how)
    return run, error_bars(run, half, run.info["order"])


@pytest.mark.parametrize(("algorithm", "order"), [("second-order", 2), ("jacobi", 1)])
def test_the_bar_is_the_true_error(algorithm: str, order: int, tmp_path: Path) -> None:
    """Against the matrix exponential of the whole, within 25 %."""
    run, found = bars(tmp_path, algorithm)
    true = np.abs(run["spring.x"] - exact(run.time("spring.x"))).max()
    bar = next(b for b in found if b.signal == "spring.x")
    assert run.info["order"] == order
    assert bar.error == pytest.approx(true, rel=0.25)
    assert bar.scale == np.abs(run["spring.x"]).max()
    assert bar.time is not None


def test_what_does_not_depend_on_the_step_has_no_error(tmp_path: Path) -> None:
    _, found = bars(tmp_path, "second-order")
    wave = next(b for b in found if b.signal == "wave.y")
    assert (wave.error, wave.differ, wave.time, wave.relative) == (0.0, 0.0, None, 0.0)


def test_arrays_show_their_worst_element_and_whole_numbers_the_rows_that_differ(tmp_path: Path) -> None:
    _, found = bars(tmp_path, "jacobi")
    by_name = {b.signal: b for b in found}
    assert "pull.pair[1]" in by_name
    assert "pull.pair[2]" not in by_name
    assert by_name["count.n"].error is None
    assert 0.0 < by_name["count.n"].differ <= 1.0
    assert by_name["count.late"].error > 0.0
    assert [b.relative for b in found] == sorted((b.relative for b in found), reverse=True)


def test_thinned_and_shorter_runs_are_compared_where_they_meet(tmp_path: Path) -> None:
    whole, _ = bars(tmp_path / "a", "jacobi")
    thin = simulate(pair(1 / 64, "jacobi"), out=tmp_path / "thin", thin=3, stop=1)
    assert all(b.error in (0.0, None) and b.differ == 0.0 for b in error_bars(whole, thin, 1))
    assert {b.signal.partition("[")[0] for b in error_bars(whole, thin, 1)} == set(whole.signals)


def test_the_table_names_the_worst_first_and_gives_advice(tmp_path: Path) -> None:
    _, found = bars(tmp_path, "jacobi")
    text = table(found, limit=2)
    assert text.splitlines()[0].split() == ["signal", "unit", "error", "of", "at", "t,", "s"]
    assert "and 5 more with smaller ones" in text or "more with smaller ones" in text
    assert text.splitlines()[-1].endswith("take a shorter step")
    assert "shorter" not in table([b for b in found if b.signal == "wave.y"])
    assert table([]) == "  nothing to compare"
    assert json.loads(json.dumps(to_json(found)))[0]["signal"] == found[0].signal
