"""Events: nothing is extrapolated across a jump, whether a flag marks it or the values alone show it."""

import runpy
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Input, Output, Parameter, Sampled, if_else
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.planning.plan import make_plan
from drawbar.orchestrator.scenario.inputs import read_inputs
from drawbar.orchestrator.simulate import simulate

SOURCES = runpy.run_path(str(Path(__file__).parents[1] / "sources.py"))
H, Clock, Flagged, Sum, sent = (SOURCES[name] for name in ("H", "Clock", "Flagged", "Sum", "sent"))
T = np.arange(16) * H  # of the steps


def pair(source: str, what: type[Continuous] = Clock, **options: Any) -> Diagram:
    d = Diagram("pair", step=H, stop=2.0, **options)
    clock, total = d.add("clock", what), d.add("sum", Sum)
    d.connect(clock[source], total.u)
    return d


@pytest.mark.parametrize("what", [Clock, Flagged], ids=["a jump far beyond", "a flag that changes"])
def test_nothing_is_extrapolated_across_a_jump(what: type[Continuous], how: dict[str, str], tmp_path: Path) -> None:
    u = np.where(T < 1.0, T, T - 5.0)
    expected = np.where(np.isin(T, [0.0, 1.0]), u, u + H / 2)
    np.testing.assert_array_equal(sent(pair("saw", what), tmp_path / "r", **how), expected)


def test_a_number_that_changes_at_every_step_marks_no_event(how: dict[str, str], tmp_path: Path) -> None:
    """As the step counters of many FMUs do; the parabola beside it is extrapolated all the same."""

    class Counter(Clock):
        n = Output("1", "steps", type=int)

        def outputs(self) -> dict[str, Any]:
            return {**super().outputs(), "n": self.time / H}

    counted = sent(pair("parabola", Counter), tmp_path / "c", **how)
    plain = sent(pair("parabola"), tmp_path / "p", **how)
    np.testing.assert_array_equal(counted[4:], plain[4:])
    np.testing.assert_array_equal(counted[1:4], T[1:4] ** 2, "the first three changes might have been events")


@pytest.mark.parametrize("until", [0.1, 0.6])
def test_each_change_of_a_flag_is_an_event(until: float, how: dict[str, str], tmp_path: Path) -> None:
    """A pulse of one step with its flag, also one that is there from the start: nothing of it is extrapolated."""

    class Pulse(Continuous):
        y = Output("1", "one for a step")
        flag = Output("1", "whether it is there", type=bool)

        def outputs(self) -> dict[str, Any]:
            there = if_else(self.time > until, 0.0, if_else(self.time > until - H, 1.0, 0.0))
            return {"y": there, "flag": there}

    d = Diagram("pair", step=H, stop=2.0)
    pulse, total = d.add("pulse", Pulse), d.add("sum", Sum)
    d.connect(pulse.y, total.u)
    run = simulate(d, out=tmp_path / "r", **how)
    np.testing.assert_array_equal(np.diff(run["sum.x"]) / H, run["pulse.y"][:-1])


@pytest.mark.parametrize("listener", ["gauss-seidel", "interpolated"])
def test_who_listens_beside_changes_nothing(listener: str, how: dict[str, str], tmp_path: Path) -> None:
    """A source that is read early for one part jumps for another where it jumps, and not a step before."""

    def made(beside: str | None) -> np.ndarray:
        d = pair("saw", Flagged)
        other = d.add("other", Sum)
        d.connect(d.parts["clock"]["saw"], other.u, algorithm=beside)
        return sent(d, tmp_path / f"{beside}", **how)

    np.testing.assert_array_equal(made(listener), made(None))


def test_a_small_step_of_a_flagged_source_is_not_extrapolated(how: dict[str, str], tmp_path: Path) -> None:
    """Only the flag shows it: the change is no larger than those before."""

    class Kink(Continuous):
        y = Output("1", "t, one h less from t = 1 s on")
        late = Output("1", "whether t >= 1 s", type=bool)

        def outputs(self) -> dict[str, Any]:
            return {"y": self.time - if_else(self.time < 1.0, 0.0, 2 * H), "late": if_else(self.time < 1.0, 0.0, 1.0)}

    d = Diagram("pair", step=H, stop=2.0)
    kink, total = d.add("kink", Kink), d.add("sum", Sum)
    d.connect(kink.y, total.u)
    u = np.where(T < 1.0, T, T - 2 * H)
    expected = np.where(np.isin(T, [0.0, 1.0]), u, u + H / 2)
    np.testing.assert_array_equal(sent(d, tmp_path / "r", **how), expected)


class Adder(Continuous):
    u = Input("1", "one signal")
    w = Input("1", "another")
    k = Parameter(0.0, "1", "added", tunable=True)
    y = Output("1", "their sum")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u + self.w + self.k}


class Sampler(Sampled, period=4 * H):
    u = Input("1", "signal")
    y = Output("1", "its last sample")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u}


def test_a_sample_that_passes_through_a_sum_is_not_extrapolated(how: dict[str, str], tmp_path: Path) -> None:
    """Controller, sum, plant: where the sample changes the sum is held, then its ramp is extrapolated again."""
    d = Diagram("loop", step=H, stop=2.0)
    clock, sampler, adder, total = (
        d.add(n, b) for n, b in [("clock", Flagless), ("sampler", Sampler), ("adder", Adder), ("sum", Sum)]
    )
    for a, b in [(clock.t, sampler.u), (sampler.y, adder.u), (clock.t, adder.w), (adder.y, total.u)]:
        d.connect(a, b)
    run = simulate(d, out=tmp_path / "r", **how)
    y, sent = run["adder.y"][:-1], np.diff(run["sum.x"]) / H
    seen = np.repeat([0.0, 0.0, 0.5, 1.0], 4)  # the sample of t is seen a period later
    np.testing.assert_array_equal(y, T + seen)
    changed = np.isin(T, [0.0, 1.0, 1.5])
    extrapolated = np.where(y + H / 2 > 1.6875, np.maximum(y, 1.6875), y + H / 2)  # the limit of the input
    np.testing.assert_array_equal(sent, np.where(changed, y, extrapolated))


class Flagless(Continuous):
    t = Output("1", "time")

    def outputs(self) -> dict[str, Any]:
        return {"t": self.time}


@pytest.mark.parametrize("chain", [1, 3])
def test_a_jump_of_a_file_is_not_extrapolated_behind_blocks(chain: int, how: dict[str, str], tmp_path: Path) -> None:
    d = Diagram("file", step=H, stop=2.0)
    clock, total = d.add("clock", Flagless), d.add("sum", Sum)
    adders = [d.add(f"adder{i}", Adder) for i in range(chain)]
    for a, b in pairwise(adders):
        d.connect(a.y, b.u)
    d.connect(clock.t, adders[-1].w)
    d.connect(adders[-1].y, total.u)
    table = tmp_path / "in.csv"
    table.write_text("time,adder0.u\n0,0\n1,0\n1,0.4\n3,0.4\n")
    run = simulate(d, out=tmp_path / "r", inputs=read_inputs(table, d), **how)
    y, sent = run[f"adder{chain - 1}.y"][:-1], np.diff(run["sum.x"]) / H
    np.testing.assert_array_equal(y, T + np.where(T < 1.0, 0.0, 0.4))
    extrapolated = np.where(y + H / 2 > 1.6875, np.maximum(y, 1.6875), y + H / 2)  # the limit of the input
    np.testing.assert_allclose(sent, np.where(np.isin(T, [0.0, 1.0]), y, extrapolated), rtol=1e-14)


@pytest.mark.parametrize("part", ["source", "adder"])
def test_a_change_is_felt_from_its_time_on(part: str, how: dict[str, str], tmp_path: Path) -> None:
    """Of a source without inputs, and of a block that feeds through: no step sees the old value."""
    d = Diagram("change", step=H, stop=1.0)
    source, adder, total = d.add("source", Source), d.add("adder", Adder), d.add("sum", Sum)
    d.connect(source.y, adder.u)
    d.connect(adder.y, total.u)
    run = simulate(d, out=tmp_path / "r", changes=[f"0.5:{part}.k=1"], **how)
    np.testing.assert_array_equal(np.diff(run["sum.x"]) / H, np.where(T[:8] < 0.5, 0.0, 1.0))


class Source(Continuous):
    k = Parameter(0.0, "1", "value", tunable=True)
    y = Output("1", "k")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.k}


def test_a_jump_within_a_step_is_named(tmp_path: Path) -> None:
    d = Diagram("file", step=H, stop=2.0)
    d.add("sum", Sum)
    for time, order in ((1.0, 2), (1.01, 1)):
        table = tmp_path / f"{time}.csv"
        table.write_text(f"time,sum.u\n0,0\n{time},0\n{time},0.4\n3,0.4\n")
        plan = make_plan(d, table=read_inputs(table, d))
        assert plan.order == order
        assert len(plan.accuracy_notes) == (order == 1)
    assert plan.accuracy_notes[0].startswith("the input file: sum.u jumps at 1.01 s, within a step")


@pytest.mark.parametrize("algorithm", ["interpolated", "second-order"])
def test_rows_follow_from_what_is_recorded_beside_them(algorithm: str, how: dict[str, str], tmp_path: Path) -> None:
    """A part connected to itself through another, one that is quicker, a file that jumps: y is the sum in every row."""
    d = Diagram("rows", step=H, stop=2.0, algorithm=algorithm)
    clock, first, second, total = (
        d.add(n, b) for n, b in [("clock", Flagless), ("first", Adder), ("second", Adder), ("sum", Sum)]
    )
    d.connect(clock.t, first.w)
    d.connect(first.y, second.u, factor=0.5)
    d.connect(total.x, second.w)
    d.connect(second.y, total.u, factor=-0.25)
    table = tmp_path / "in.csv"
    table.write_text("time,first.u\n0,0\n0.5,1\n0.5,0\n2,1.5\n")
    run = simulate(d, out=tmp_path / "r", inputs=read_inputs(table, d), **how)
    t = run.time("first.y")
    u = np.where(t < 0.5, 2 * t, t - 0.5)
    np.testing.assert_allclose(run["first.y"], u + t, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(run["second.y"], 0.5 * run["first.y"] + run["sum.x"], rtol=0.0, atol=1e-14)
