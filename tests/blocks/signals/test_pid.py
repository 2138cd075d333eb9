"""The PID controller by hand, against a recursion written once more, against scipy, and at its bounds."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from drawbar.blocks.signals.pid import PID

T = 0.01
SIGNALS = st.lists(st.tuples(st.floats(-10, 10), st.floats(-10, 10)), min_size=1, max_size=30)


def test_proportional_by_hand(played: Any) -> None:
    assert played(PID, {"target": [1.0, 1.0], "measured": [0.5, 2.0]}, proportional=4.0)["command"] == [2.0, -4.0]


def test_integral_by_hand(played: Any) -> None:
    command = played(PID, {"target": [1.0] * 4}, proportional=0.0, integral=50.0)["command"]
    assert command == pytest.approx([0.0, 0.5, 1.0, 1.5])


def test_derivative_by_hand(played: Any) -> None:
    command = played(PID, {"measured": [0.0, 0.1, 0.2, 0.2]}, proportional=0.0, derivative=2.0, filter_time=0.03)
    # D+ = (0.03 D - 2 * 0.1) / 0.04
    assert command["command"] == pytest.approx([0.0, -5.0, -8.75, -6.5625])


def test_neither_the_first_sample_nor_a_jump_of_the_target_kicks(played: Any) -> None:
    y = played(PID, {"target": [0.0, 9.0], "measured": [5.0, 5.0]}, proportional=0.0, derivative=2.0)["command"]
    assert y == [0.0, 0.0]


def recursion(rows: list[tuple[float, float]], kp: float, ki: float, kd: float, tf: float, bound: float) -> list[float]:
    """The law in plain Python, as a programmer of controllers would write it."""
    total, rate, before, commands = 0.0, 0.0, None, []
    for target, measured in rows:
        error = target - measured
        rate = (tf * rate - kd * (0.0 if before is None else measured - before)) / (tf + T)
        before = measured
        wanted = kp * error + total + rate
        command = min(max(wanted, -bound), bound)
        commands.append(command)
        if command == wanted or (wanted > 0.0) != (ki * error > 0.0):
            total += T * ki * error
    return commands


@given(rows=SIGNALS, ki=st.floats(-50, 50), kd=st.floats(0, 1), tf=st.floats(0, 1), bound=st.floats(0.1, 20))
@settings(deadline=None)
def test_it_is_the_recursion(played: Any, rows: Any, ki: float, kd: float, tf: float, bound: float) -> None:
    gains = {
        "proportional": 1.5,
        "integral": ki,
        "derivative": kd,
        "filter_time": tf,
        "lower_limit": -bound,
        "upper_limit": bound,
    }
    inputs = {"target": [r[0] for r in rows], "measured": [r[1] for r in rows]}
    command = played(PID, inputs, **gains)["command"]
    assert command == pytest.approx(recursion(rows, 1.5, ki, kd, tf, bound), rel=1e-9, abs=1e-9)
    assert np.all(np.abs(command) <= bound)


def test_without_bounds_it_is_the_filter_of_scipy(played: Any) -> None:
    """As transfer functions of z: K_p and T K_i z^-1 / (1 - z^-1) on e, K_d (1 - z^-1) / (T_f + T - T_f z^-1) on -m."""
    random = np.random.default_rng(5)
    target, measured = random.normal(size=200), random.normal(size=200)
    measured[0] = 0.0  # as the filters begin at rest
    kp, ki, kd, tf = 2.0, 3.0, 0.1, 0.05
    error = target - measured
    integral = signal.lfilter([0.0, T * ki], [1.0, -1.0], error)
    derivative = signal.lfilter([kd, -kd], [tf + T, -tf], -measured)
    gains = {"proportional": kp, "integral": ki, "derivative": kd, "filter_time": tf}
    command = played(PID, {"target": target, "measured": measured}, **gains)["command"]
    np.testing.assert_allclose(command, kp * error + integral + derivative, rtol=1e-10, atol=1e-12)


def test_the_integral_waits_at_a_bound(played: Any) -> None:
    target = [1.0] * 500 + [-1.0] * 2
    inputs, gains = {"target": target}, {"proportional": 1.0, "integral": 10.0}
    held = played(PID, inputs, **gains, upper_limit=2.0)["command"]
    assert held[499] == 2.0
    assert held[501] < 0.0, "it leaves the bound with the error"
    wound = played(PID, inputs, **gains)["command"]
    assert wound[501] > 40.0, "what windup would have been"


def test_at_a_bound_the_integral_still_goes_back(played: Any) -> None:
    inputs = {"target": [-1.0] * 101}
    command = played(PID, inputs, proportional=0.0, integral=10.0, total=5.0, upper_limit=2.0)["command"]
    assert command[0] == command[20] == 2.0
    assert command[100] == pytest.approx(-5.0)
