"""The law of an end stop: energy, force and stiffness are derivatives of each other, without a corner."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks import Continuous, Output, State
from drawbar.blocks.vehicle.hmmwv.suspension_forces import EndStop

K, ONSET = 2e7, 5e-3


def test_force_and_stiffness_are_derivatives_of_the_energy() -> None:
    depth = ca.SX.sym("d")
    stop = EndStop(depth, K, ONSET)
    of = ca.Function(
        "f", [depth], [stop.force - ca.gradient(stop.energy, depth), stop.tangent - ca.gradient(stop.force, depth)]
    )
    for d in (-1.0, -1e-4, 1e-4, 0.5 * ONSET, 0.999 * ONSET, 1.001 * ONSET, 0.02):
        assert [float(v) for v in of(d)] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_stiffness_is_continuous_and_ends_at_that_of_the_stop() -> None:
    def at(depth: float) -> tuple[float, float]:
        stop = EndStop(ca.DM(depth), K, ONSET)
        return float(stop.force), float(stop.tangent)

    assert at(-0.01) == at(0.0) == (0.0, 0.0)
    assert np.diff([at(ONSET - 1e-9)[1], at(ONSET + 1e-9)[1]]) == pytest.approx([0.0], abs=10.0)
    assert at(0.02) == pytest.approx((K * (0.02 - ONSET / 2), K))


class Thrown(Continuous):
    """100 kg that fly at 2 m/s against a stop."""

    x = State(-0.01, "m", "how deep the stop is pressed in")
    v = State(2.0, "m/s", "its rate")
    energy = Output("J", "kinetic and of the stop")

    def derivatives(self) -> dict[str, object]:
        return {"x": self.v, "v": -EndStop(self.x, K, ONSET).force / 100.0}

    def outputs(self) -> dict[str, object]:
        return {"energy": 50.0 * self.v**2 + EndStop(self.x, K, ONSET).energy}


@pytest.mark.parametrize("h", [2.5e-3, 1.25e-3, 6.25e-4])
def test_what_is_thrown_against_it_comes_back_as_fast(bench: Callable[..., Any], h: float) -> None:
    """Through the contact and back energy is kept by the order of the method, as the force has no corner."""
    thrown = bench(Thrown)
    step, x, deepest = thrown.rk4(h), np.array([-0.01, 2.0]), 0.0
    while x[0] > -0.02:
        x = step(x, np.zeros(0))
        deepest = max(deepest, x[0])
    assert deepest > 2e-3
    assert x[1] == pytest.approx(-2.0, rel=0.025 * (h / 2.5e-3) ** 3)
