"""The effective value of known accelerations."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.sensors.ride_meter import RideMeter
from drawbar.diagrams import Diagram
from drawbar.orchestrator.simulate import simulate


def test_of_a_sine_over_whole_periods(bench: Any) -> None:
    step, states = bench(RideMeter).rk4(1e-3), np.zeros(2)
    for k in range(1000):
        states = step(states, np.array([3.0 * np.sin(2.0 * np.pi * (k + 0.5) / 1000)]))
    found = bench(RideMeter).out(total=states[0], elapsed=states[1], time=1.0)
    assert found["rms"] == pytest.approx(3.0 / np.sqrt(2.0), rel=1e-6)


def test_it_counts_from_its_beginning_on(bench: Any) -> None:
    block = bench(RideMeter, begin=2.0)
    assert [block.ode(a=3.0, time=t)["total"] for t in (1.99, 2.0, 5.0)] == [0.0, 9.0, 9.0]
    assert [block.ode(a=3.0, time=t)["elapsed"] for t in (1.99, 2.0, 5.0)] == [0.0, 1.0, 1.0]
    assert block.out(total=18.0, elapsed=2.0, time=4.0)["rms"] == pytest.approx(3.0)
    assert block.out(time=1.0)["rms"] == 0.0


@pytest.mark.parametrize("begin", [0.0, 0.1, 0.3, 0.2005, 0.12345])
@pytest.mark.parametrize("step", [0.01, 0.1])
def test_of_a_constant_it_is_that_constant_from_the_first_row_on(tmp_path: Path, begin: float, step: float) -> None:
    """Rounded times, and a beginning inside a micro-step: the integral and the time it is divided by begin together."""
    diagram = Diagram("ride", step=step, stop=0.6)
    diagram.add("meter", RideMeter, begin=begin, a=-1.39)
    run = simulate(diagram, out=tmp_path / "run", backend="interpreted")
    rms, time = run["meter.rms"], run.time("meter.rms")
    assert rms[time < begin - 1e-6] == pytest.approx(0.0)
    assert rms[time > begin + 1e-6] == pytest.approx(1.39, rel=1e-12)
    assert rms.max() == pytest.approx(1.39, rel=1e-12), "also at the beginning itself"


@pytest.mark.parametrize("begin", [0.0, 0.0034, 0.01, 0.0191])
def test_it_lies_within_what_was_measured(bench: Any, begin: float) -> None:
    """One sample holds through a micro-step of RK4, whose stages see times on both sides of the beginning."""
    samples = np.random.default_rng(15).uniform(-50.0, 50.0, 40)
    h, states, largest = 1e-3, np.zeros(2), 0.0
    block = bench(RideMeter, begin=begin)
    for k, a in enumerate(samples):
        times = [k * h, (k + 0.5) * h, (k + 0.5) * h, (k + 1) * h]
        rates = [block.ode(a=a, time=t) for t in times]
        for i, name in enumerate(("total", "elapsed")):
            states[i] += h / 6.0 * np.dot([1.0, 2.0, 2.0, 1.0], [float(r[name]) for r in rates])
        largest = max(largest, abs(a))
        rms = block.out(total=states[0], elapsed=states[1], time=(k + 1) * h)["rms"]
        assert rms <= largest * (1 + 1e-12)


def test_of_nothing_it_is_zero_and_its_slope_is_finite(bench: Any) -> None:
    assert bench(RideMeter).out(total=0.0, elapsed=3.0, time=3.0)["rms"] == 0.0
    for states in ([0.0, 0.0], [0.0, 3.0]):
        slopes = np.asarray(RideMeter.model().out.jacobian()(3.0, states, [], 0.0, 0.0, 0.0)[1])
        assert np.isfinite(slopes).all()
