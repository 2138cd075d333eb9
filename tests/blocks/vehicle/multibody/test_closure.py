"""Loops closed by Newton's method."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import rotors
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.mechanism import Mechanism

Made = Mapping[str, Callable[..., Mechanism]]


def test_newton_closes_what_the_formulas_close(mechanisms: Made, symbolic: Any, all_poses: Any) -> None:
    m = mechanisms["hmmwv"]()
    closed, solved = (symbolic(Embedded(m, rotors(detailed=True), newton=n)) for n in (False, True))
    q, u = [0.3, 0.2, -0.25, 0.3, -0.2], np.linspace(-1, 1, 9)
    ours, theirs = (s.function(*(all_poses(k) for k in s.configuration.compounds))(q, u) for s in (closed, solved))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a.full(), b.full(), rtol=0, atol=1e-12)
    assert float(solved.function(solved.configuration.closure_error)(q, u)) < 1e-14


def test_a_loop_that_newton_cannot_close_is_left_open(mechanisms: Made, symbolic: Any) -> None:
    """A crank of 1.36 m cannot pull a rod of 0.4 m along."""
    m = mechanisms["four-bar"]()
    state = symbolic(Embedded(m))
    gap = state.function(state.configuration.closure_error)
    assert float(gap([0.3], [0.0])) < 1e-14
    assert not float(gap([-2.5], [0.0])) < 1e-3
