"""The state space against scipy.signal, and another size by hand."""

from typing import Any

import numpy as np
from scipy import signal

from drawbar.blocks import Input, Output, Parameter, State
from drawbar.blocks.signals.state_space import StateSpace


def test_a_state_space_is_that_of_scipy(bench: Any, response: Any) -> None:
    system = {"A": [[-1.0, 4.0], [-3.0, -0.5]], "B": [2.0, -1.0], "C": [[0.3, 1.5]], "D": 0.2}
    shapes = {"A": (2, 2), "B": (2, 1), "C": (1, 2), "D": (1, 1)}
    matrices = [np.reshape(system[name], shape) for name, shape in shapes.items()]
    _, y, _ = signal.lsim(matrices, response.u, response.t, interp=False)
    np.testing.assert_allclose(response(bench, StateSpace, **system), y, rtol=0.0, atol=1e-8)


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
