"""How inputs arrive under each algorithm: hand values of what is sent, and the order of reads and steps."""

import itertools
import runpy
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Input, Output, Parameter, Sampled
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.master_settings import ALGORITHMS
from drawbar.orchestrator.planning.coupling import EXTRAPOLATE, HOLD, INTERPOLATE, NEWEST
from drawbar.orchestrator.planning.plan import make_plan
from drawbar.orchestrator.simulate import simulate

SOURCES = runpy.run_path(str(Path(__file__).parents[1] / "sources.py"))
H, Clock, Flagged, Sum, sent = (SOURCES[name] for name in ("H", "Clock", "Flagged", "Sum", "sent"))
BUILD = runpy.run_path(str(Path(__file__).parents[2] / "foreign" / "builder.py"))["build"]


class Gain(Continuous):
    u = Input("1", "signal")
    k = Parameter(2.0, "1", "gain")
    y = Output("1", "k u")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.k * self.u}


class Sample(Sampled, period=H):
    u = Input("1", "signal")
    y = Output("1", "its last sample")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u}


def pair(source: str, what: type[Continuous] = Clock, **options: Any) -> Diagram:
    d = Diagram("pair", step=H, stop=2.0, **options)
    clock, total = d.add("clock", what), d.add("sum", Sum)
    d.connect(clock[source], total.u)
    return d


T = np.arange(16) * H  # of the steps


def test_second_order_sends_the_middle_of_the_step(how: dict[str, str], tmp_path: Path) -> None:
    """u_n + (u_n - u_(n-1))/2, the first step held, and never beyond the largest value of the input."""
    u = T**2
    expected = u + np.concatenate(([0.0], np.diff(u))) / 2
    expected = np.where(expected > 1.6875, np.maximum(u, 1.6875), expected)
    np.testing.assert_array_equal(sent(pair("parabola"), tmp_path / "r", **how), expected)
    assert (expected == 1.6875).any()
    assert (expected > 1.6875).any(), "a signal that lies beyond is sent as it is"


def test_jacobi_holds(how: dict[str, str], tmp_path: Path) -> None:
    np.testing.assert_array_equal(sent(pair("parabola", algorithm="jacobi"), tmp_path / "r", **how), T**2)


def test_gauss_seidel_sends_what_is_newest(how: dict[str, str], tmp_path: Path) -> None:
    np.testing.assert_array_equal(sent(pair("parabola", algorithm="gauss-seidel"), tmp_path / "r", **how), (T + H) ** 2)


def test_interpolated_starts_with_the_exchanged_value(how: dict[str, str], tmp_path: Path) -> None:
    """One Euler step sees the beginning of the line only."""
    np.testing.assert_array_equal(sent(pair("parabola", algorithm="interpolated"), tmp_path / "r", **how), T**2)


def test_interpolated_runs_along_the_line(how: dict[str, str], tmp_path: Path) -> None:
    """With the step of the block halved the second Euler step sees the middle."""

    class Fine(Sum, method="euler", step=H / 2):
        pass

    d = Diagram("pair", step=H, stop=1.0, algorithm="interpolated")
    clock, total = d.add("clock", Clock), d.add("sum", Fine)
    d.connect(clock.parabola, total.u)
    t = T[:8]
    np.testing.assert_allclose(sent(d, tmp_path / "r", **how), (3 * t**2 + (t + H) ** 2) / 4, rtol=1e-14)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_sample_is_taken_of_the_exchanged_value(algorithm: str, how: dict[str, str], tmp_path: Path) -> None:
    d = Diagram("sampled", step=H, stop=1.0, algorithm=algorithm)
    clock, sample = d.add("clock", Clock), d.add("sample", Sample)
    d.connect(clock.parabola, sample.u)
    run = simulate(d, out=tmp_path / "r", **how)
    np.testing.assert_array_equal(run["sample.y"][2:], run["clock.parabola"][1:-1])


def test_feed_through_is_read_afresh_in_the_order_of_dependencies(how: dict[str, str], tmp_path: Path) -> None:
    """A chain of gains, declared backwards: every row is consistent, not only the first."""

    def chain(algorithm: str) -> Diagram:
        d = Diagram("chain", step=H, stop=1.0, algorithm=algorithm)
        gains = [d.add(f"gain{i}", Gain) for i in reversed(range(5))][::-1]
        clock = d.add("clock", Clock)
        d.connect(clock.parabola, gains[0].u)
        for a, b in itertools.pairwise(gains):
            d.connect(a.y, b.u)
        return d

    run = simulate(chain("second-order"), out=tmp_path / "r", **how)
    for i in range(5):
        np.testing.assert_array_equal(run[f"gain{i}.y"], 2.0 ** (i + 1) * run["clock.parabola"])
    late = simulate(chain("jacobi"), out=tmp_path / "j", **how)
    np.testing.assert_array_equal(late["gain4.y"][5:], 32.0 * late["clock.parabola"][:-5])
    newest = simulate(chain("gauss-seidel"), out=tmp_path / "g", **how)
    np.testing.assert_array_equal(newest["gain4.y"], 32.0 * newest["clock.parabola"])


@pytest.mark.compiler
@pytest.mark.parametrize("engine", ["c", "python"])
def test_a_correction_knows_where_an_input_ended(engine: str, tmp_path: Path) -> None:
    """One connection runs along with the step of an FMU that is corrected by derivatives: y2 = y + d u in every row."""
    theirs = BUILD(tmp_path, "spy", canInterpolateInputs=True, providesDirectionalDerivative=True)
    d = Diagram("corrected", step=H, stop=1.0)
    clock, spy = d.add("clock", Clock), d.add("spy", theirs)
    other, total = d.add("other", theirs), d.add("sum", Sum)
    d.connect(clock.parabola, spy.u, algorithm="interpolated")
    d.connect(clock.parabola, other.u)
    d.connect(spy.y2, total.u)
    run = simulate(d, out=tmp_path / "r", engine=engine)
    for name in ("spy", "other"):
        np.testing.assert_allclose(run[f"{name}.y2"], run[f"{name}.y"] + run["clock.parabola"], rtol=1e-14)


def test_an_input_interpolated_from_a_late_output_is_extrapolated() -> None:
    """A gain whose input does not run along shows half a step late right after its step: no end of a line."""
    d = Diagram("late", step=H, algorithm="interpolated")
    clock, gain, total = d.add("clock", Clock), d.add("gain", Gain), d.add("sum", Sum)
    d.connect(clock.parabola, gain.u, algorithm="second-order")
    d.connect(gain.y, total.u)
    plan = make_plan(d)
    assert {p.name: [a.kind for a in p.connections] for p in plan.parts}["sum"] == [EXTRAPOLATE]
    assert [plan.parts[v.part].name for v in plan.fresh_reads] == ["gain"], "it is read afresh"
    assert plan.order == 2


def test_samples_between_the_steps_make_the_order_one() -> None:
    """A sample that falls within a macro step sees, and is seen as, what is held."""

    class Quick(Sampled, period=H / 4):
        u = Input("1", "signal")
        y = Output("1", "its last sample")

        def outputs(self) -> dict[str, Any]:
            return {"y": self.u}

    for kind, order in ((Sample, 2), (Quick, 1)):
        d = Diagram("samples", step=H)
        total, sample = d.add("sum", Sum), d.add("sample", kind)
        d.connect(total.x, sample.u)
        d.connect(sample.y, total.u)
        assert make_plan(d).order == order


def test_a_part_and_a_connection_choose_for_themselves(how: dict[str, str], tmp_path: Path) -> None:
    d = Diagram("choice", step=H, stop=1.0)
    clock = d.add("clock", Clock)
    for name, of_part, of_connection in [
        ("default", None, None),
        ("part", "jacobi", None),
        ("connection", None, "jacobi"),
        ("both", "jacobi", "gauss-seidel"),
    ]:
        total = d.add(name, Sum)
        total.algorithm = of_part
        d.connect(clock.parabola, total.u, algorithm=of_connection)
    run = simulate(d, out=tmp_path / "r", **how)
    t = T[:8]
    held, newest = t**2, (t + H) ** 2
    for name, expected in [("part", held), ("connection", held), ("both", newest)]:
        np.testing.assert_array_equal(np.diff(run[f"{name}.x"]) / H, expected)
    assert (np.diff(run["default.x"]) / H)[3] == held[3] + (held[3] - held[2]) / 2
    assert run.info["order"] == 1, "a held input of an integrator is first order"


def test_loops_with_a_delay_are_held(how: dict[str, str], tmp_path: Path) -> None:
    """y = -0.9 y_before goes to and fro; extrapolated values would make it grow."""
    d = Diagram("loop", step=H, stop=4.0, loops="delay")
    a, b = d.add("a", Gain, k=-0.9, u=1.0), d.add("b", Gain, k=1.0)
    d.connect(a.y, b.u)
    d.connect(b.y, a.u)
    run = simulate(d, out=tmp_path / "r", **how)
    assert run.info["order"] == 1
    assert abs(run["a.y"][-1]) < 0.5
    assert np.isfinite(run["a.y"]).all()


@pytest.mark.compiler
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_slow_and_fast_parts_see_a_ramp_where_it_is(algorithm: str, tmp_path: Path) -> None:
    """Foreign FMUs with fixed steps, in both directions: a ramp is extrapolated and interpolated exactly."""
    slow = BUILD(tmp_path, "spy", name="slow", canHandleVariableCommunicationStepSize=False, stepSize=4 * H)
    clock_step, d = H, Diagram("rates", step=H, stop=4.0, algorithm=algorithm)
    clock, receiver = d.add("clock", Ramp), d.add("slow", slow)
    d.connect(clock.y, receiver.u)
    for engine in ("c", "python"):
        run = simulate(d, out=tmp_path / engine, engine=engine)
        used, t = run["slow.used"][2:], run.time("slow.used")[1:-1]
        np.testing.assert_array_equal(run["slow.h"][1:], 4 * clock_step)
        if algorithm == "jacobi":
            np.testing.assert_array_equal(used, t)
        elif algorithm == "gauss-seidel":
            np.testing.assert_array_equal(used, t + H)
        else:
            np.testing.assert_array_equal(used, t + 2 * H)


class Ramp(Continuous):
    y = Output("1", "t")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.time}


@pytest.mark.compiler
def test_a_slow_source_is_extrapolated_between_its_steps(tmp_path: Path) -> None:
    """The spy lags a ramp: once settled its output is a ramp, seen by a fast integrator between the slow steps."""
    slow = BUILD(tmp_path, "spy", name="slow", canHandleVariableCommunicationStepSize=False, stepSize=4 * H)
    d = Diagram("rates", step=H, stop=16.0)
    clock, source, total = d.add("clock", Ramp), d.add("slow", slow), d.add("sum", Sum)
    d.connect(clock.y, source.u)
    d.connect(source.y, total.u, factor=1 / 64)
    for engine in ("c", "python"):
        run = simulate(d, out=tmp_path / engine, engine=engine)
        got = np.diff(run["sum.x"])[-8:] / H * 64
        np.testing.assert_allclose(np.diff(got), H, rtol=1e-9)


def test_kinds_and_order_of_a_plan() -> None:
    d = Diagram("kinds", step=H)
    clock, sample, total, gain = d.add("clock", Clock), d.add("sample", Sample), d.add("sum", Sum), d.add("gain", Gain)
    d.connect(clock.parabola, sample.u)
    d.connect(clock.parabola, total.u)
    d.connect(total.x, gain.u)
    kinds = {"second-order": (HOLD, EXTRAPOLATE, HOLD), "jacobi": (HOLD,) * 3}
    kinds |= {"gauss-seidel": (HOLD, NEWEST, NEWEST), "interpolated": (HOLD, INTERPOLATE, INTERPOLATE)}
    for algorithm, expected in kinds.items():
        d.algorithm = algorithm
        plan = make_plan(d)
        found = {p.name: p.connections[0].kind for p in plan.parts if p.connections}
        assert (found["sample"], found["sum"], found["gain"]) == expected
        assert plan.order == (2 if algorithm in ("second-order", "interpolated") else 1)
        assert not plan.accuracy_notes


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("choices", "fresh", "order"),
    [
        ({}, None, 1),
        ({}, True, 2),
        ({"providesDirectionalDerivative": True}, None, 2),
        ({"providesDirectionalDerivative": True}, False, 2),
        ({"dependencies": False}, None, 1),
    ],
)
def test_what_stays_first_order_is_named(
    choices: dict[str, Any], fresh: bool | None, order: int, tmp_path: Path
) -> None:
    d = Diagram("foreign", step=H)
    spy, total = d.add("spy", BUILD(tmp_path, "spy", **choices)), d.add("sum", Sum)
    spy.fresh_read = fresh
    d.connect(total.x, spy.u)
    d.connect(spy.y2, total.u)
    plan = make_plan(d)
    assert plan.order == order
    assert len(plan.accuracy_notes) == (order == 1)
    if order == 1:
        assert plan.accuracy_notes[0].startswith("part 'spy' ")
        assert ("does not say whether" in plan.accuracy_notes[0]) == ("dependencies" in choices)


@pytest.mark.compiler
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("step", [Fraction(1, 64), Fraction(1, 100)])
def test_all_ways_to_step_give_equal_bytes(
    algorithm: str, step: Fraction, tmp_path: Path, digests: Callable[[Path], dict[str, str]]
) -> None:
    """A loop of a part with direct feedthrough, an integrator, a foreign FMU and a sampled one, at three rates."""
    spy = BUILD(tmp_path, "spy", canInterpolateInputs=True, providesDirectionalDerivative=True)

    def made() -> Diagram:
        d = Diagram("bytes", step=step, stop=2.0, algorithm=algorithm)
        clock, total, gain, sample = (
            d.add(n, b) for n, b in [("clock", Flagged), ("sum", Sum), ("gain", Gain), ("sample", Sample)]
        )
        theirs = d.add("theirs", spy)
        d.connect(clock.saw, gain.u)
        d.connect(gain.y, theirs.u, factor=0.3, offset=0.1)
        d.connect(theirs.y2, total.u)
        d.connect(total.x, sample.u)
        d.add("last", Sum)
        d.connect(sample.y, d.parts["last"].u)
        return d

    ways = [("c", "fmu"), ("python", "fmu"), ("python", "interpreted"), ("c", "native")]
    found = [digests(simulate(made(), out=tmp_path / f"{e}{b}", engine=e, backend=b).folder) for e, b in ways]
    assert all(one == found[0] for one in found)
    other = made()
    other.algorithm = next(a for a in ALGORITHMS if a != algorithm)
    assert digests(simulate(other, out=tmp_path / "other").folder) != found[0], "negative control"
