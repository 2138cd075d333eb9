"""Lateness around loops: each rule by hand, and one measured in a run."""

import itertools
import runpy
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Input, Output, Sampled, State, if_else
from drawbar.blocks.authoring.block import Block
from drawbar.diagrams.library import find
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.master_settings import ALGORITHMS
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.reports.latency import latencies, table, to_json
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

BUILD = runpy.run_path(str(Path(__file__).parents[2] / "foreign" / "builder.py"))["build"]


class Lag(Continuous):
    u = Input("1", "signal")
    y = State(0.0, "1", "delayed", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": self.u - self.y}


class Gain(Continuous):
    u = Input("1", "signal")
    y = Output("1", "half of it")

    def outputs(self) -> dict[str, Any]:
        return {"y": 0.5 * self.u}


class Sample(Sampled, period="1/10"):
    u = Input("1", "signal")
    y = Output("1", "its sample")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u}


class Quick(Sampled, period="1/100"):
    u = Input("1", "signal")
    y = Output("1", "its sample")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u}


class Sum(Continuous):
    u = Input("1", "signal")
    w = Input("1", "another")
    y = Output("1", "their sum")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u + self.w}


class Ramp(Continuous):
    y = Output("1", "the time in steps of 1/100 s")

    def outputs(self) -> dict[str, Any]:
        return {"y": 100.0 * self.time}


class Copy(Continuous):
    u = Input("1", "signal")
    y = Output("1", "the same")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u}


class Integral(Continuous):
    u = Input("1", "signal")
    y = State(0.0, "1", "its integral over seconds", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": self.u}


def measured(run: Run, *, integrated: bool) -> float:
    """How many steps the ramp is late at the output of `end`, on average over the last second."""
    t, y = run.time("end.y"), run["end.y"]
    if not integrated:
        return float((100.0 * t - y)[-100:].mean())
    rise = (y[-1] - y[-101]) / (t[-1] - t[-101])
    return float(100.0 * (t[-1] + t[-101]) / 2 - rise)


def ring(*kinds: type[Block] | Path, **options: Any) -> Diagram:
    d = Diagram("ring", step="1/100", stop=1.0, **options)
    parts = [d.add(f"p{i}", kind) for i, kind in enumerate(kinds)]
    for a, b in zip(parts, parts[1:] + parts[:1], strict=True):
        d.connect(a.y, b.u)
    return d


def steps(d: Diagram) -> list[Fraction]:
    return [p.steps for p in latencies(d)]


@pytest.mark.parametrize(
    ("kinds", "algorithm", "expected"),
    [
        ((Lag, Lag), "second-order", 0),  # extrapolated
        ((Lag, Lag), "jacobi", 1),  # two halves
        ((Lag, Lag), "gauss-seidel", 0),  # half late, half early
        ((Lag, Lag), "interpolated", 0),
        ((Lag, Gain), "second-order", 0),  # read afresh
        ((Lag, Gain), "jacobi", Fraction(3, 2)),  # a step through the gain, half of one into the lag
        ((Lag, Gain), "gauss-seidel", Fraction(1, 2)),
        ((Lag, Sample), "second-order", 10 + Fraction(1, 2) + Fraction(9, 2)),  # a period, and half of it held
        ((Lag, Sample), "gauss-seidel", 10 + 4),  # held, but for the one step of ten at whose end it is seen
        ((Lag, Sample), "interpolated", 10 + Fraction(1, 2) + Fraction(9, 2)),  # a sample is held, whoever interpolates
        ((Gain, Sample), "jacobi", 10 + 1 + Fraction(9, 2)),
        ((Gain, Sample), "gauss-seidel", 10 + 1 + Fraction(9, 2) - 1),
        ((Lag, Gain), "interpolated", 0),  # the input of the gain runs along with its step
        ((Sample, Quick), "second-order", 10 + 1 + Fraction(9, 2)),
        ((Sample, Quick), "gauss-seidel", 10 + 1 + Fraction(9, 2)),  # a sample is of what is there at its time
        ((Lag,), "jacobi", Fraction(1, 2)),  # a part connected to itself
        ((Lag,), "gauss-seidel", Fraction(1, 2)),  # which is not ahead of itself
    ],
)
def test_each_rule_by_hand(kinds: tuple[type[Block], ...], algorithm: str, expected: Fraction) -> None:
    assert steps(ring(*kinds, algorithm=algorithm)) == [expected]


@pytest.mark.parametrize(
    ("algorithm", "expected"), [("second-order", 2), ("jacobi", 2), ("gauss-seidel", 1), ("interpolated", 1)]
)
def test_a_loop_of_feed_through_goes_around_with_a_step_for_each_part(algorithm: str, expected: int) -> None:
    """The second of two takes what is newest from the first, where it may."""
    (path,) = latencies(ring(Gain, Gain, loops="delay", algorithm=algorithm))
    assert (path.steps, path.seconds) == (expected, Fraction(expected, 100))


def test_an_output_in_a_delayed_loop_is_late_for_inputs_from_outside_it_too() -> None:
    d = Diagram("eight", step="1/100", stop=1.0, loops="delay")
    lag, both, gain = d.add("lag", Lag), d.add("both", Sum), d.add("gain", Gain)
    for a, b in [(lag.y, both.u), (both.y, lag.u), (gain.y, both.w)]:
        d.connect(a, b)
    assert [(p.parts, p.steps) for p in latencies(d)] == [(("lag", "both"), 0)]
    d.connect(both.y, gain.u)
    assert [(p.parts, p.steps) for p in latencies(d)] == [(("lag", "both"), 1), (("both", "gain"), 2)]


@pytest.mark.parametrize(
    ("algorithm", "fresh", "expected"),
    [
        (None, None, 0),
        (None, False, 1),
        ("jacobi", None, Fraction(1, 2)),
        ("gauss-seidel", None, Fraction(1, 2)),  # the newest is read right after the step, before the exchange
        ("gauss-seidel", False, Fraction(1, 2)),
        ("interpolated", None, 0),  # extrapolated, because a value from before the exchange cannot end a line
        ("interpolated", False, 1),
    ],
)
def test_a_connection_with_an_algorithm_of_its_own_is_as_late_as_measured(
    algorithm: str | None, fresh: bool | None, expected: Fraction, tmp_path: Path
) -> None:
    def build(source: bool) -> Diagram:
        d = Diagram("mixed", step="1/100", stop=2.0)
        gain, end = d.add("gain", Copy), d.add("end", Integral)
        gain.fresh_read = fresh
        d.connect(d.add("ramp", Ramp).y if source else end.y, gain.u)
        d.connect(gain.y, end.u, algorithm=algorithm)
        return d

    assert steps(build(source=False)) == [expected]
    assert measured(simulate(build(source=True), out=tmp_path / "r"), integrated=True) == pytest.approx(expected)


@pytest.mark.parametrize(("algorithm", "expected"), [("jacobi", 15), ("second-order", 15), ("gauss-seidel", 14)])
def test_a_slow_sample_is_not_seen_before_its_time(algorithm: str, expected: int, tmp_path: Path) -> None:
    d = Diagram("sampled", step="1/100", stop=2.0, algorithm=algorithm)
    ramp, sample, end = d.add("ramp", Ramp), d.add("sample", Sample), d.add("end", Integral)
    d.connect(ramp.y, sample.u)
    d.connect(sample.y, end.u)
    assert measured(simulate(d, out=tmp_path / "r"), integrated=True) == pytest.approx(expected)


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("kind", "algorithm", "expected"),
    [
        (Gain, "second-order", Fraction(9, 2)),  # fresh, of a value that is held
        (Lag, "second-order", 0),
        (Gain, "jacobi", 5 + 1 + Fraction(9, 2)),  # half a step of the slow part, a step, and the hold
        (Lag, "jacobi", 5 + 5),
        (Lag, "gauss-seidel", 5 - 1 + 5 - 1),  # one step newer than held, both ways
    ],
)
def test_a_part_with_a_long_step_of_its_own_is_half_of_it_late(
    kind: type[Block], algorithm: str, expected: Fraction, tmp_path: Path
) -> None:
    slow = BUILD(tmp_path, "spy", canHandleVariableCommunicationStepSize=False, stepSize=0.1)
    assert steps(ring(slow, kind, algorithm=algorithm)) == [expected]


@pytest.mark.compiler
@pytest.mark.parametrize(("choices", "expected"), [({}, Fraction(1, 2)), ({"providesDirectionalDerivative": True}, 0)])
def test_a_foreign_feed_through_is_half_a_step_late_unless_it_can_be_corrected(
    choices: dict[str, Any], expected: Fraction, tmp_path: Path
) -> None:
    d = Diagram("foreign", step="1/100")
    spy, lag = d.add("spy", BUILD(tmp_path, "spy", **choices)), d.add("lag", Lag)
    d.connect(lag.y, spy.u)
    d.connect(spy.y2, lag.u)
    assert steps(d) == [expected]


@pytest.mark.compiler
@pytest.mark.parametrize(("dependencies", "expected"), [(True, 0), (False, Fraction(1, 2))])
def test_an_output_that_does_not_say_what_it_depends_on_may_feed_through(
    dependencies: bool, expected: Fraction, tmp_path: Path
) -> None:
    assert steps(ring(BUILD(tmp_path, "spy", dependencies=dependencies), Lag)) == [expected]


@pytest.mark.parametrize(("fresh", "expected"), [(True, Fraction(1, 2)), (False, Fraction(3, 2))])
def test_of_two_wires_the_slowest_counts(fresh: bool, expected: Fraction) -> None:
    """Half a step into the lag, which steps first; one connection sends the newest value, the other a held one."""
    d = Diagram("two", step="1/100", stop=1.0)
    lag, both = d.add("lag", Lag), d.add("both", Sum)
    both.fresh_read = fresh
    d.connect(lag.y, both.u, algorithm="gauss-seidel")
    d.connect(lag.y, both.w, algorithm="jacobi")
    d.connect(both.y, lag.u, algorithm="gauss-seidel")
    (path,) = latencies(d)
    assert (path.steps, path.worst) == (expected, "both.y -> lag.u" if fresh else "lag.y -> both.w")


def test_a_loop_that_is_broken_inside_a_part_is_none() -> None:
    class Two(Continuous):
        u = Input("1", "signal")
        y = Output("1", "the time, whatever comes in")

        def outputs(self) -> dict[str, Any]:
            return {"y": self.time}

    assert latencies(ring(Lag, Two)) == []
    assert latencies(ring(Lag, Lag)) != []


def test_no_more_than_fifty_loops_are_reported() -> None:
    d = Diagram("many", step="1/100", stop=1.0)
    for i in range(60):
        lag = d.add(f"p{i}", Lag)
        d.connect(lag.y, lag.u)
    assert [p.parts for p in latencies(d)] == [(f"p{i}",) for i in range(50)]


def test_loops_are_reported_once_and_the_longer_ones_too() -> None:
    d = ring(Lag, Lag, Lag)
    side = d.add("side", Gain)
    d.connect(d.parts["p0"]["y"], side.u)
    assert [p.parts for p in latencies(d)] == [("p0", "p1", "p2")]
    found = latencies(read(find("double_lane_change_planar")))
    assert [p.parts for p in found] == [
        ("course", "follower", "vehicle"),
        ("follower", "vehicle"),
        ("speed", "vehicle"),
    ]
    # a period of 10 steps, half a period held, by the follower and by the speed control
    assert [p.steps for p in found] == [15, 15, 15]
    assert "course -> follower -> vehicle -> course" in table(found)
    assert "mostly from the sample of follower" in table(found)
    assert to_json(found)[0]["seconds"] == 0.015


def test_a_loop_without_latency_is_said_to_have_none() -> None:
    shown = table(latencies(ring(Lag, Lag)))
    assert shown == "  p0 -> p1 -> p0\n      no latency"


@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel", "second-order"])
def test_a_pulse_arrives_as_late_as_reported(algorithm: str, how: dict[str, str], tmp_path: Path) -> None:
    """Samples and gains in a chain: the ring's lateness is that of the chain, where a pulse can be followed."""

    class Pulse(Continuous):
        y = Output("1", "one at t = 0.5 s")

        def outputs(self) -> dict[str, Any]:
            return {"y": if_else(self.time < 0.4951, 0.0, if_else(self.time < 0.5051, 1.0, 0.0))}

    kinds = [Gain, Quick, Gain, Quick]
    (told,) = latencies(ring(*kinds, algorithm=algorithm))
    d = Diagram("chain", step="1/100", stop=1.0, algorithm=algorithm)
    parts = [d.add("pulse", Pulse), *(d.add(f"p{i}", kind) for i, kind in enumerate(kinds))]
    for a, b in itertools.pairwise(parts):
        d.connect(a.y, b.u)
    run = simulate(d, out=tmp_path / "r", **how)
    arrived = [int(np.flatnonzero(run[name] > 0.01)[0]) for name in ("pulse.y", "p3.y")]
    assert arrived[1] - arrived[0] == told.steps


@pytest.mark.parametrize("end", [Copy, Integral])
@pytest.mark.parametrize("period", ["1/100", "1/10"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_ramp_through_a_sample_is_as_late_as_reported(
    algorithm: str, period: str, end: type[Block], tmp_path: Path
) -> None:
    """The ramp replaces the way back, which adds nothing: a sample holds what it gets, from a source as quick."""

    class Slow(Sampled, period=period):
        u = Input("1", "signal")
        y = Output("1", "its sample")

        def outputs(self) -> dict[str, Any]:
            return {"y": self.u}

    def build(source: bool) -> Diagram:
        d = Diagram("x", step="1/100", stop=2.0, algorithm=algorithm)
        sample, last = d.add("sample", Slow), d.add("end", end)
        d.connect(d.add("ramp", Ramp).y if source else last.y, sample.u)
        d.connect(sample.y, last.u)
        return d

    (told,) = latencies(build(source=False))
    run = simulate(build(source=True), out=tmp_path / "r")
    assert measured(run, integrated=end is Integral) == pytest.approx(float(told.steps))
