"""The law of an end stop: energy, force and stiffness are derivatives of each other, without a corner."""

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.vehicle.end_stop import EndStop

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
