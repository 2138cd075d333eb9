"""Loops closed by Newton's method."""

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np

from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import rotors
from drawbar.blocks.vehicle.multibody.embedded import Configuration, Embedded
from drawbar.blocks.vehicle.multibody.mechanism import Mechanism
from drawbar.blocks.vehicle.multibody.nodes import Compound

Made = Mapping[str, Callable[..., Mechanism]]


class State:
    """Independent coordinates and rates of a mechanism as symbols, and its configuration."""

    def __init__(self, e: Embedded) -> None:
        self.e = e
        self.q = {n: ca.SX.sym(n) for n in e.joints}
        self.u = ca.SX.sym("u", len(e.rates))
        self.configuration: Configuration = e.configuration(self.q, self.u)

    def function(self, *values: Any) -> ca.Function:
        return ca.Function("f", [ca.vertcat(*self.q.values()), self.u], list(values))

    def derivative(self, value: Any) -> Any:
        """d/dt at constant rates u."""
        along = ca.vertcat(*(self.u[self.e.rates.index((n, 0))] for n in self.q))
        return ca.jtimes(value, ca.vertcat(*self.q.values()), along)


def all_poses(k: Compound) -> Any:
    return ca.vertcat(*(ca.vertcat(ca.vec(ca.SX(p.pose.R)), ca.SX(p.pose.p)) for p in k.kinematics.values()))


def test_newton_closes_what_the_formulas_close(mechanisms: Made) -> None:
    m = mechanisms["hmmwv"]()
    closed, solved = (State(Embedded(m, rotors(detailed=True), newton=n)) for n in (False, True))
    q, u = [0.3, 0.2, -0.25, 0.3, -0.2], np.linspace(-1, 1, 9)
    ours, theirs = (s.function(*(all_poses(k) for k in s.configuration.compounds))(q, u) for s in (closed, solved))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a.full(), b.full(), rtol=0, atol=1e-12)
    assert float(solved.function(solved.configuration.closure_error)(q, u)) < 1e-14


def test_a_loop_that_newton_cannot_close_is_left_open(mechanisms: Made) -> None:
    """A crank of 1.36 m cannot pull a rod of 0.4 m along."""
    m = mechanisms["four-bar"]()
    state = State(Embedded(m))
    gap = state.function(state.configuration.closure_error)
    assert float(gap([0.3], [0.0])) < 1e-14
    assert not float(gap([-2.5], [0.0])) < 1e-3
