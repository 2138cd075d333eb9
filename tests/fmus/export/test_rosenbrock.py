"""The implicit method: order, stiffness, inputs that move, what it refuses, and the same numbers from all back ends."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from drawbar.blocks import Continuous, DefinitionError, Input, Kernel, Output, Parameter, State, cos, sin
from drawbar.blocks.authoring.block import Block
from drawbar.fmus.backends.instance import Instance
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.export import rosenbrock
from drawbar.fmus.export.sparse_lu import factored


class Curve(Continuous, method="rosenbrock", step=1.0):
    """Two coupled nonlinear equations that read the time and an input."""

    u = Input("1", "signal")
    x = State([1.0, 0.5], "1", "both", size=2, output=True)

    def derivatives(self) -> dict[str, Any]:
        a, b = self.x[0], self.x[1]
        return {"x": [b + self.u, self.u - a * b + cos(self.time) * a - a**3]}


class ProtheroRobinson(Continuous, method="rosenbrock", step=1.0):
    """x' = rate (sin t - x) + cos t, whose solution is sin t however stiff it is."""

    rate = Parameter(1e6, "1/s", "stiffness")
    x = State(0.0, "1", "sine", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.rate * (sin(self.time) - self.x) + cos(self.time)}


class VanDerPol(Continuous, method="rosenbrock", step=1e-3):
    """x' = y, e y' = (1 - x^2) y - x."""

    e = Parameter(1e-3, "1", "how stiff")
    x = State(2.0, "1", "position", output=True)
    y = State(-0.6666654321121172, "1", "velocity", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.y, "y": ((1 - self.x**2) * self.y - self.x) / self.e}


def started(instance: Instance, **starts: float) -> Instance:
    instance.initialize(0.0, starts)
    instance.start()
    return instance


def states(instance: Instance) -> np.ndarray:
    return np.array(instance.get([n for port in instance.interface.of("output") for n in port.scalar_names()]))


def ended(block: type[Block], h: float, until: float = 1.0, **starts: float) -> np.ndarray:
    """The states after steps of `h`."""
    instance = started(InterpretedInstance(block, "a"), **starts)
    step = instance.stepper()
    for k in range(round(until / h)):
        assert step(k * h, h) == 0, instance.messages()
    return states(instance)


def order(end: Callable[[float], np.ndarray], exact: Any, coarse: float) -> float:
    errors = [np.abs(end(h) - exact).max() for h in (coarse, coarse / 2)]
    return float(np.log2(errors[0] / errors[1]))


def driven(h: float, *, slopes: bool = True, block: type[Block] = Curve) -> np.ndarray:
    """Curve under 0.3 + 2 t, which its slope tells in each step."""
    instance = started(InterpretedInstance(block, "a"))
    value, rate = np.zeros(1), np.full(1, 2.0)
    write, lean = instance.writer(["u"], value), instance.derivative_writer(["u"], rate)
    step = instance.stepper()
    for k in range(round(1.0 / h)):
        value[0] = 0.3 + 2.0 * k * h
        assert write() == 0
        assert not slopes or lean() == 0
        assert step(k * h, h) == 0
    return states(instance)


def exactly() -> Any:
    def rates(t: float, x: Any) -> list[float]:
        u = 0.3 + 2.0 * t
        return [x[1] + u, u - x[0] * x[1] + np.cos(t) * x[0] - x[0] ** 3]

    return solve_ivp(rates, (0.0, 1.0), [1.0, 0.5], method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]


def test_it_is_of_order_four_with_time_and_moving_inputs() -> None:
    assert order(driven, exactly(), 1 / 20) == pytest.approx(4.0, abs=0.2)
    assert np.abs(driven(1 / 80) - exactly()).max() < 1e-8


def test_an_input_that_is_held_in_place_of_moving_costs_the_order() -> None:
    assert order(lambda h: driven(h, slopes=False), exactly(), 1 / 20) < 1.3


def test_a_wrong_jacobian_costs_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(Curve):
        """The same equations."""

    monkeypatch.setattr(rosenbrock, "factored", lambda shift, J: factored(shift, 0.8 * J))
    assert order(lambda h: driven(h, block=Wrong), exactly(), 1 / 20) < 2.3


@pytest.mark.parametrize("rate", [1.0, 1e2, 1e4, 1e6])
def test_what_is_given_is_followed_however_stiff(rate: float) -> None:
    errors = [abs(ended(ProtheroRobinson, h, rate=rate)[0] - np.sin(1.0)) for h in (0.1, 0.05)]
    assert errors[0] < 1e-7
    assert np.log2(errors[0] / errors[1]) > 2.9, "of order three at least between soft and stiff"


def test_an_explicit_method_leaves_what_is_given() -> None:
    class Explicit(ProtheroRobinson, method="rk4"):
        """The same."""

    instance = started(InterpretedInstance(Explicit, "a"))
    step = instance.stepper()
    assert [step(0.1 * k, 0.1) for k in range(5)] == [0] * 5
    assert abs(instance.get(["x"])[0]) > 1e50


def test_a_stiff_decay_is_over_at_once_and_does_not_swing() -> None:
    """L-stable: what is left after a step goes to nothing as it gets stiffer."""

    class Decay(Continuous, method="rosenbrock", step=1.0):
        rate = Parameter(1.0, "1/s", "stiffness")
        x = State(1.0, "1", "left", output=True)

        def derivatives(self) -> dict[str, Any]:
            return {"x": -self.rate * self.x}

    left = [float(ended(Decay, 1.0, rate=10.0**k)[0]) for k in range(3, 11)]
    assert np.abs(left[0]) < 0.02
    assert np.abs(left[-1]) < 1e-8
    assert all(abs(b) < 0.2 * abs(a) for a, b in pairwise(left))


def test_van_der_pol_is_that_of_radau() -> None:
    """Over a fall of the slow part and the jump of the fast one."""
    for e, until, h, bound in ((1e-3, 0.6, 1e-3, 1e-9), (1e-3, 2.0, 1e-4, 2e-6), (1e-5, 0.5, 1e-3, 1e-9)):

        def rates(t: float, x: Any, e: float = e) -> list[float]:
            return [x[1], ((1 - x[0] ** 2) * x[1] - x[0]) / e]

        start = [2.0, -0.6666654321121172]
        exact = solve_ivp(rates, (0.0, until), start, method="Radau", rtol=1e-11, atol=1e-12).y[:, -1]
        assert ended(VanDerPol, h, until, e=e) == pytest.approx(exact, rel=bound)


def test_method_and_step_are_chosen_for_a_block_from_outside() -> None:
    class Explicit(VanDerPol, method="rk4", step="1/300"):
        """The same equations."""

    assert (Explicit.model().method, VanDerPol.model().method) == ("rk4", "rosenbrock")
    assert float(Explicit.model().step) == pytest.approx(1 / 300)


def test_a_law_in_c_has_no_derivatives() -> None:
    with pytest.raises(DefinitionError, match="Law: method='rosenbrock' takes the exact derivatives of the equations"):

        class Law(Kernel, source="../fmu_of_others.c", method="rosenbrock"):
            """A law."""

            x = State(0.0, "1", "state", output=True)


def test_a_block_without_states_needs_no_solution() -> None:
    class Sum(Continuous, method="rosenbrock"):
        """Twice."""

        u = Input("1", "signal")
        y = Output("1", "twice")

        def outputs(self) -> dict[str, Any]:
            return {"y": 2.0 * self.u}

    instance = started(InterpretedInstance(Sum, "a"), u=2.0)
    assert instance.stepper()(0.0, 1.0) == 0
    assert instance.get(["y"]) == [4.0]
