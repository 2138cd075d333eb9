"""The master in C against its Python oracle, against conserved and analytic quantities, and its guards."""

import math
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import (
    Continuous,
    Input,
    Output,
    Parameter,
    RunError,
    Sampled,
    State,
    if_else,
    sin,
)
from drawbar.blocks.authoring.block import Block
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.simulate import simulate

BUILD = runpy.run_path(str(Path(__file__).parents[2] / "foreign" / "builder.py"))["build"]


class Lag(Continuous, method="euler", step=1e-3):
    """A lag, one Euler micro-step a millisecond."""

    u = Input("1", "signal to follow")
    k = Parameter(100.0, "1/s", "rate")
    y = State(0.0, "1", "delayed signal", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": self.k * (self.u - self.y)}


class Mixed(Sampled, period="1/30"):
    """Reads and writes every type that a connection carries."""

    a = Input("deg", "angle")
    n = Input("1", "whole number", type=int)
    b = Input("1", "flag", type=bool)
    x = Output("deg", "angle", size=2)
    m = Output("1", "next whole number", type=int)
    c = Output("1", "other flag", type=bool)

    def outputs(self) -> dict[str, Any]:
        return {"x": [self.a, 2.0 * self.a], "m": self.n + 1, "c": if_else(self.b > 0.5, 0.0, 1.0)}


class Wave(Continuous):
    """A sine in radians."""

    angle = Output("rad", "angle")

    def outputs(self) -> dict[str, Any]:
        return {"angle": 0.3 * sin(7.0 * self.time)}


class Bomb(Continuous):
    """Divides by zero at t = 0.5 s."""

    u = Input("1", "signal", start=1.0)
    load = Output("N", "load", size=2)

    def outputs(self) -> dict[str, Any]:
        return {"load": [self.u, self.u / if_else(self.time > 0.4995, 0.0, 1.0)]}


def ring() -> Diagram:
    d = Diagram("ring", step=1e-3, stop=2.0, algorithm="jacobi")
    parts = [d.add(f"lag{i}", Lag, y=8.0 if i == 0 else 0.0) for i in range(8)]
    for a, b in zip(parts, parts[1:] + parts[:1], strict=True):
        d.connect(a.y, b.u)
    return d


def mixed() -> Diagram:
    """Three rates, all types, unit conversion, and a user's transformation on a connection back to its own part."""
    d = Diagram("mixed", step="1/100", stop=2.0)
    wave, lag = d.add("wave", Wave), d.add("lag", Lag, k=5.0)
    one, two = d.add("one", Mixed, n=3, b=True), d.add("two", Mixed)
    d.connect(wave.angle, one.a)
    d.connect(one["x[2]"], two.a)
    d.connect(one.m, two.n)
    d.connect(one.c, two.b)
    d.connect(lag.y, lag.u, factor=0.5, offset=1.0)
    return d


@pytest.mark.compiler
@pytest.mark.parametrize("make", [ring, mixed])
def test_rows_are_equal_byte_for_byte(
    make: Callable[[], Diagram], tmp_path: Path, digests: Callable[[Path], dict[str, str]]
) -> None:
    """Twice in C, once in Python, once with parts added in another order: the same files."""
    runs = [
        simulate(make(), out=tmp_path / "first", engine="c"),
        simulate(make(), out=tmp_path / "again", engine="c"),
        simulate(make(), out=tmp_path / "python", engine="python"),
        simulate(make(), out=tmp_path / "native", backend="native"),
    ]
    assert len({tuple(digests(run.folder).items()) for run in runs}) == 1


@pytest.mark.compiler
@pytest.mark.parametrize(
    "change", [lambda d: d.parts["lag3"].set("y", 1e-15), lambda d: d.parts["lag3"].set("k", 100.0 + 2e-14)]
)
def test_the_comparison_of_bytes_can_fail(
    change: Callable[[Diagram], None], tmp_path: Path, digests: Callable[[Path], dict[str, str]]
) -> None:
    """Negative control: the last bit of one start value shows."""
    other = ring()
    change(other)
    assert digests(simulate(ring(), out=tmp_path / "a").folder) != digests(simulate(other, out=tmp_path / "b").folder)


def test_ring_conserves_its_sum(how: dict[str, str], tmp_path: Path) -> None:
    """Under Jacobi coupling the sum of the states is conserved, so that all settle at 1."""
    run = simulate(ring(), out=tmp_path / "r", **how)
    states = np.column_stack([run[f"lag{i}.y"] for i in range(8)])
    np.testing.assert_allclose(states.sum(axis=1), 8.0, rtol=1e-13)
    np.testing.assert_allclose(states[-1], 1.0, rtol=1e-12)
    assert states[0].tolist() == [8.0, 0, 0, 0, 0, 0, 0, 0]


def test_one_step_is_the_jacobi_step(how: dict[str, str], tmp_path: Path) -> None:
    """Hand value: y0 = 8 - 0.1*8, y1 = 0.1*8; a Gauss-Seidel order would give y1 = 0.1*7.2."""
    run = simulate(ring(), stop="1/1000", out=tmp_path / "r", **how)
    assert run["lag0.y"][1] == pytest.approx(7.2, rel=1e-15)
    assert run["lag1.y"][1] == pytest.approx(0.8, rel=1e-15)
    assert run["lag2.y"][1] == 0.0


def test_rates_types_and_conversion(how: dict[str, str], tmp_path: Path) -> None:
    run = simulate(mixed(), out=tmp_path / "r", **how)
    t = run.time("one.x")
    np.testing.assert_array_equal(t, np.arange(61) / 30)
    assert len(run.time("wave.angle")) == 201
    np.testing.assert_array_equal(run.time("lag.y"), np.arange(201) / 100)
    # a sample due at t sees the inputs at t and shows after its step: one period later, but for the first
    seen = np.degrees(0.3 * np.sin(7.0 * t))
    # the wave's last communication point at or before t, as its step is 1/100 s
    held = np.degrees(0.3 * np.sin(7.0 * np.floor(t * 100 + 1e-9) / 100))
    np.testing.assert_allclose(run["one.x"][2:, 0], held[1:-1], rtol=1e-12)
    assert run["one.x"][0].tolist() == pytest.approx([seen[0], 2 * seen[0]])
    assert run["one.m"].dtype == np.int64
    assert (run["one.m"] == 4).all()
    assert (run["two.m"] == 5).all()
    assert run["one.c"].dtype == bool
    # y' = 5 (1 + 0.5 y - y) settles at 2
    assert run["lag.y"][-1] == pytest.approx(2.0 * (1.0 - math.exp(-5.0)), rel=0.03)


def test_nan_stops_the_run_and_names_it(how: dict[str, str], tmp_path: Path) -> None:
    d = Diagram("bomb", step=1e-3, stop=1.0)
    lag, bomb = d.add("lag", Lag, y=1.0, u=1.0), d.add("bomb", Bomb)
    d.connect(lag.y, bomb.u)
    with pytest.raises(RunError, match=r"bomb\.load\[2\] is inf at t = 0\.5 s \(inputs: u = 1\)"):
        simulate(d, out=tmp_path / "r", **how)
    from drawbar.orchestrator.runs.run import Run

    run = Run(tmp_path / "r")
    assert run.info["outcome"] == "failed"
    assert "load[2] is inf" in run.info["message"]
    assert len(run["lag.y"]) == 500, "all rows before the fault are kept"


def test_without_the_fault_the_same_diagram_runs(how: dict[str, str], tmp_path: Path) -> None:
    """Negative control of the guard."""
    d = Diagram("bomb", step=1e-3, stop=0.4)
    d.add("bomb", Bomb)
    assert simulate(d, out=tmp_path / "r", **how).info["outcome"] == "ok"


def test_a_long_run_makes_several_chunks_without_a_seam(
    how: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from drawbar.orchestrator.master import run_loop as module

    whole = simulate(mixed(), out=tmp_path / "whole", **how)
    monkeypatch.setattr(module, "CHUNK", 64)
    pieces = simulate(mixed(), out=tmp_path / "pieces", **how)
    assert len(list((tmp_path / "pieces" / "signals").rglob("*.parquet"))) > 6
    for name in whole.signals:
        np.testing.assert_array_equal(whole[name], pieces[name])


@pytest.mark.compiler
@pytest.mark.parametrize("engine", ["c", "python"])
def test_a_warning_is_counted_and_the_run_goes_on(engine: str, tmp_path: Path) -> None:
    d = Diagram("warning", step=0.125, stop=1.0)
    d.add("theirs", BUILD(tmp_path, "misbehaving"), fault=6, at=0.5)
    run = simulate(d, out=tmp_path / "r", engine=engine)
    assert run.info["outcome"] == "ok"
    assert run.timing["parts"]["theirs"]["steps"] == 8
    assert run.timing["parts"]["theirs"]["warnings"] == 4


@pytest.mark.compiler
def test_a_minute_of_three_rates_counts_exactly(tmp_path: Path) -> None:
    """Rates 1/30, 1/100 and 1/1000 s over a minute of simulated time: more steps than a recorded file holds."""

    def counter(period: str) -> type[Block]:
        class Count(Sampled, period=period):
            n = State(0.0, "1", "samples")
            y = Output("1", "samples before this one")

            def outputs(self) -> dict[str, Any]:
                return {"y": self.n}

            def update(self) -> dict[str, Any]:
                return {"n": self.n + 1}

        return Count

    d = Diagram("minute", step="1/1000", stop=60.0)
    for name, period in (("a", "1/30"), ("b", "1/100"), ("c", "1/1000")):
        d.add(name, counter(period))
    run = simulate(d, out=tmp_path / "r")
    for name, rate in (("a", 30), ("b", 100), ("c", 1000)):
        assert len(run.time(f"{name}.y")) == 60 * rate + 1
        assert run[f"{name}.y"][-1] == 60 * rate - 1, "the sample at the stop time belongs to the next step"
        assert run.time(f"{name}.y")[-1] == 60.0


def test_what_is_recorded_can_be_chosen(how: dict[str, str], tmp_path: Path) -> None:
    whole = simulate(mixed(), out=tmp_path / "whole", **how)
    chosen = simulate(mixed(), out=tmp_path / "chosen", record=["one.x", "wave.*"], decimation=4, **how)
    assert set(chosen.signals) == {"one.x", "wave.angle"}
    for name in chosen.signals:
        np.testing.assert_array_equal(chosen.time(name), whole.time(name)[::4])
        np.testing.assert_array_equal(chosen[name], whole[name][::4])
