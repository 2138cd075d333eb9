"""Second-order lag, transfer function and state space against closed forms and scipy.signal."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import signal

from drawbar.blocks import Input, Output, Parameter, State
from drawbar.blocks.signals.second_order_lag import SecondOrderLag
from drawbar.blocks.signals.state_space import StateSpace
from drawbar.blocks.signals.transfer_function import TransferFunction

H = 1e-3
T = np.arange(2001) * H
U = np.sign(np.sin(7.0 * T)) + np.cos(3.0 * T)  # held over each step, as scipy holds it with interp=False


def answer(bench: Any, block: Any, **parameters: Any) -> Any:
    """The output y under `U`, integrated from the equations of the block."""
    made = bench(block, **parameters)
    step, x, rows = made.rk4(H), made.pack("x", {}), []
    for u in U:
        states = made.unpack("x", x)
        rows.append(made.out(u=u, **states)["y"] if made.model.out else states["y"])
        x = step(x, np.array([u]))
    return np.array(rows)


@pytest.mark.parametrize("damping", [0.1, 0.7, 3.0])
def test_a_second_order_lag_is_that_of_scipy(bench: Any, damping: float) -> None:
    w, gain = 12.0, 2.0
    _, y, _ = signal.lsim(([gain * w**2], [1.0, 2.0 * damping * w, w**2]), U, T, interp=False)
    found = answer(bench, SecondOrderLag, frequency=w, damping=damping, gain=gain)
    np.testing.assert_allclose(found, y, rtol=0.0, atol=1e-8)


def test_its_overshoot_is_that_of_the_textbook(bench: Any) -> None:
    """exp(-pi d / sqrt(1 - d^2)) above the steady value, at the time pi / (w sqrt(1 - d^2))."""
    w, d = 10.0, 0.4
    step, x, ys = bench(SecondOrderLag, frequency=w, damping=d, gain=3.0).rk4(H), np.zeros(2), []
    for _ in range(1000):
        x = step(x, np.array([1.0]))
        ys.append(x[0])
    root = math.sqrt(1.0 - d * d)
    assert max(ys) == pytest.approx(3.0 * (1.0 + math.exp(-math.pi * d / root)), rel=1e-5)
    assert (np.argmax(ys) + 1) * H == pytest.approx(math.pi / (w * root), abs=H)
    assert SecondOrderLag.interface().feedthrough == {"y": ()}


@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [
        pytest.param([0.0, 0.0, 1.0], [2.0, 1.0], id="lag"),
        pytest.param([0.0, 3.0, 5.0], [0.8, 40.0], id="zero"),
        pytest.param([2.0, 1.0, 7.0], [5.0, 6.0], id="feed-through"),
        pytest.param([0.0, 4.0, 0.0], [2.0, 0.0], id="first order"),
    ],
)
def test_a_transfer_function_is_that_of_scipy(bench: Any, numerator: Any, denominator: Any) -> None:
    _, y, _ = signal.lsim((np.trim_zeros(numerator, "f"), [1.0, *denominator]), U, T, interp=False)
    found = answer(bench, TransferFunction, numerator=numerator, denominator=denominator)
    np.testing.assert_allclose(found, y, rtol=0.0, atol=1e-8)


def test_a_state_space_is_that_of_scipy(bench: Any) -> None:
    system = {"A": [[-1.0, 4.0], [-3.0, -0.5]], "B": [2.0, -1.0], "C": [[0.3, 1.5]], "D": 0.2}
    shapes = {"A": (2, 2), "B": (2, 1), "C": (1, 2), "D": (1, 1)}
    matrices = [np.reshape(system[name], shape) for name, shape in shapes.items()]
    _, y, _ = signal.lsim(matrices, U, T, interp=False)
    np.testing.assert_allclose(answer(bench, StateSpace, **system), y, rtol=0.0, atol=1e-8)


def test_another_size_is_a_subclass(bench: Any) -> None:
    class Wide(StateSpace):
        """Three states, two inputs, two outputs."""

        u = Input("1", "inputs", size=2)
        A = Parameter(-np.eye(3), "1", "rates of the states per state", size=(3, 3))
        B = Parameter([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], "1", "rates of the states per input", size=(3, 2))
        C = Parameter([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], "1", "outputs per state", size=(2, 3))
        D = Parameter([[0.0, 0.0], [10.0, 0.0]], "1", "outputs per input", size=(2, 2))
        x = State(0.0, "1", "states", size=3)
        y = Output("1", "outputs", size=2)

    found = bench(Wide)
    assert found.ode(u=[5.0, 7.0], x=[1.0, 2.0, 3.0])["x"].tolist() == [4.0, 5.0, 9.0]
    assert found.out(u=[5.0, 7.0], x=[1.0, 2.0, 3.0])["y"].tolist() == [1.0, 53.0]
