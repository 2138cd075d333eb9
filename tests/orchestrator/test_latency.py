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
from drawbar.diagrams.diagram import Diagram
from drawbar.diagrams.library import find
from drawbar.diagrams.ssp import read
from drawbar.orchestrator.latency import latencies, table, to_json
from drawbar.orchestrator.simulate import simulate

BUILD = runpy.run_path(str(Path(__file__).parents[1] / "foreign" / "builder.py"))["build"]


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
        ((Lag, Lag), "second-order", 0),  # foreseen
        ((Lag, Lag), "jacobi", 1),  # two halves
        ((Lag, Lag), "gauss-seidel", 0),  # half late, half early
        ((Lag, Lag), "interpolated", 0),
        ((Lag, Gain), "second-order", 0),  # read afresh
        ((Lag, Gain), "jacobi", Fraction(3, 2)),  # a step through the gain, half of one into the lag
        ((Lag, Gain), "gauss-seidel", Fraction(1, 2)),
        ((Lag, Sample), "second-order", 10 + Fraction(1, 2) + Fraction(9, 2)),  # a period, and half of it held
        ((Lag,), "jacobi", Fraction(1, 2)),  # a part wired to itself
    ],
)
def test_each_rule_by_hand(kinds: tuple[type[Block], ...], algorithm: str, expected: Fraction) -> None:
    assert steps(ring(*kinds, algorithm=algorithm)) == [expected]


def test_a_loop_of_feed_through_goes_around_with_a_step_for_each_part() -> None:
    (path,) = latencies(ring(Gain, Gain, loops="delay"))
    assert (path.steps, path.seconds) == (2, Fraction(2, 100))


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


def test_a_loop_that_is_broken_inside_a_part_is_none() -> None:
    class Two(Continuous):
        u = Input("1", "signal")
        y = Output("1", "the time, whatever comes in")

        def outputs(self) -> dict[str, Any]:
            return {"y": self.time}

    assert latencies(ring(Lag, Two)) == []
    assert latencies(ring(Lag, Lag)) != []


def test_loops_are_told_once_and_the_longer_ones_too() -> None:
    d = ring(Lag, Lag, Lag)
    side = d.add("side", Gain)
    d.connect(d.parts["p0"]["y"], side.u)
    assert [p.parts for p in latencies(d)] == [("p0", "p1", "p2")]
    found = latencies(read(find("double_lane_change")))
    assert [p.parts for p in found] == [
        ("course", "follower", "vehicle"),
        ("follower", "vehicle"),
        ("speed", "vehicle"),
    ]
    # a period of 10 steps, half a period held, by the follower and by the speed control
    assert [p.steps for p in found] == [15, 15, 15]
    assert "course -> follower -> vehicle -> course" in table(found)
    assert "most by the sample of follower" in table(found)
    assert to_json(found)[0]["seconds"] == 0.015


@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel", "second-order"])
def test_a_pulse_arrives_as_late_as_is_told(algorithm: str, how: dict[str, str], tmp_path: Path) -> None:
    """Samples and gains in a chain: the ring's lateness is that of the chain, where a pulse can be followed."""

    class Pulse(Continuous):
        y = Output("1", "one at t = 0.5 s")

        def outputs(self) -> dict[str, Any]:
            return {"y": if_else(self.time < 0.4951, 0.0, if_else(self.time < 0.5051, 1.0, 0.0))}

    class Quick(Sampled, period="1/100"):
        u = Input("1", "signal")
        y = Output("1", "its sample")

        def outputs(self) -> dict[str, Any]:
            return {"y": self.u}

    kinds = [Gain, Quick, Gain, Quick]
    (told,) = latencies(ring(*kinds, algorithm=algorithm))
    d = Diagram("chain", step="1/100", stop=1.0, algorithm=algorithm)
    parts = [d.add("pulse", Pulse), *(d.add(f"p{i}", kind) for i, kind in enumerate(kinds))]
    for a, b in itertools.pairwise(parts):
        d.connect(a.y, b.u)
    run = simulate(d, out=tmp_path / "r", **how)
    arrived = [int(np.flatnonzero(run[name] > 0.01)[0]) for name in ("pulse.y", "p3.y")]
    assert arrived[1] - arrived[0] == told.steps
