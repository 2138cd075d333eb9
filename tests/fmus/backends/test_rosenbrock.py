"""Implicit micro-steps: the same numbers and messages from all back ends."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Input, Parameter, State, cos, sin, sqrt
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.fmus.backends.instance import Instance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build

BACK_ENDS = [
    pytest.param(InterpretedInstance, id="interpreted"),
    pytest.param(native_instance, id="native", marks=pytest.mark.compiler),
    pytest.param(lambda block, name: open_fmu(build(block), name), id="fmu", marks=pytest.mark.compiler),
]


class ProtheroRobinson(Continuous, method="rosenbrock", step=1.0):
    """x' = rate (sin t - x) + cos t, whose solution is sin t however stiff it is."""

    rate = Parameter(1e6, "1/s", "stiffness")
    x = State(0.0, "1", "sine", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.rate * (sin(self.time) - self.x) + cos(self.time)}


def started(instance: Instance, **starts: float) -> Instance:
    instance.initialize(0.0, starts)
    instance.start()
    return instance


def states(instance: Instance) -> np.ndarray:
    return np.array(instance.get([n for port in instance.interface.of("output") for n in port.scalar_names()]))


def mixed() -> type[Block]:
    class Mixed(Continuous, method="rosenbrock", step=0.01):
        """Stiff, sparse, nonlinear and timed, by operations that all machines round alike."""

        u = Input("1", "signals", size=2)
        stiff = Parameter(3e4, "1/s", "stiffness")
        x = State([0.1, -0.2, 0.3, 0.0, 1.0], "1", "all", size=5, output=True)

        def derivatives(self) -> dict[str, Any]:
            x, u = self.x, self.u
            held = sqrt(1.0 + x[3] * x[3])
            return {
                "x": [
                    x[1],
                    u[0] - 40.0 * x[0] - x[1] * x[1] * x[1],
                    self.stiff * (x[0] / held - x[2]),
                    x[2] - u[1] * x[3] + self.time * x[4],
                    -x[4] / (1.0 + x[0] * x[0]),
                ]
            }

    return Mixed


@pytest.mark.compiler
@pytest.mark.parametrize("h", [0.004, 0.01, 0.035])
def test_back_ends_give_the_same_bytes(h: float) -> None:
    def rows(instance: Instance) -> np.ndarray:
        started(instance)
        values, rates, table = np.zeros(2), np.zeros(2), []
        write, lean = instance.writer(["u[1]", "u[2]"], values), instance.derivative_writer(["u[1]", "u[2]"], rates)
        step = instance.stepper()
        for k in range(60):
            values[:] = (k % 7) / 3.0, (k % 5) / 2.0
            rates[:] = 0.25, -3.0
            assert write() == 0
            assert k % 3 == 0 or lean() == 0
            assert step(k * h, h) == 0
            table.append(states(instance))
        instance.close()
        return np.array(table)

    block = mixed()
    one, *others = [rows(make(block, "a")) for make in (p.values[0] for p in BACK_ENDS)]
    assert np.ptp(one, axis=0).min() > 0.01, "it must move for the comparison to mean anything"
    for other in others:
        np.testing.assert_array_equal(one, other)


class StiffTire(FialaTire, method="rosenbrock", step=5e-3):
    """A wheel whose slips are too fast for an explicit method."""


@pytest.mark.compiler
def test_a_stiff_wheel_is_the_same_in_all_back_ends_and_that_of_small_explicit_steps() -> None:
    """Driven off, rolled and braked, with a hub that is pulled along; slopes of its speed go to it."""

    class Small(FialaTire, step=2.5e-5):
        """The oracle."""

    starts = {"hub.position[3]": 0.44, "relaxation[1]": 0.01, "relaxation[2]": 0.01}
    names, seen = ["hub.velocity[1]", "drive", "brake"], ["force_x", "force_y", "load", "slip", "hub.spin"]

    def rows(instance: Instance) -> np.ndarray:
        started(instance, **starts)
        values, rates, table = np.zeros(3), np.array([2.0]), []
        write, lean, step = (
            instance.writer(names, values),
            instance.derivative_writer(names[:1], rates),
            instance.stepper(),
        )
        for k in range(100):
            values[:] = 2.0 * 0.01 * k, 200.0 if k < 50 else 0.0, 300.0 if k > 60 else 0.0
            assert write() == 0
            assert lean() == 0
            assert step(0.01 * k, 0.01) == 0, instance.messages()
            table.append(instance.get(seen))
        instance.close()
        return np.array(table)

    a, b, c = [rows(p.values[0](StiffTire, "a")) for p in BACK_ENDS]
    scale = np.maximum(np.abs(b).max(axis=0), 1e-9)
    assert np.max(np.abs(a - b) / scale) < 1e-11
    np.testing.assert_array_equal(b, c)
    exact = rows(native_instance(Small, "exact"))
    assert np.max(np.abs(b - exact)[:, 0]) < 0.01 * scale[0]
    assert np.max(np.abs(b - exact)[:, 4]) < 2e-3 * scale[4]


@pytest.mark.compiler
def test_a_saved_state_and_a_reset_go_on_as_they_should() -> None:
    block = mixed()
    instance = open_fmu(build(block), "a")
    step = started(instance).stepper()
    assert step(0.0, 0.05) == 0
    state = instance._slave.getFMUstate()
    assert step(0.05, 0.05) == 0
    wanted = states(instance)
    instance._slave.setFMUstate(state)
    assert step(0.05, 0.05) == 0
    np.testing.assert_array_equal(states(instance), wanted)
    instance._slave.freeFMUstate(state)
    instance._slave.reset()
    started(instance)
    for k in range(2):
        assert step(0.05 * k, 0.05) == 0
    np.testing.assert_array_equal(states(instance), wanted)
    instance.close()


def growing(law: Callable[[Any], Any]) -> type[Block]:
    class Growing(Continuous, method="rosenbrock", step=0.5):
        """A step of 0.5 s has the matrix 8 - dx'/dx."""

        u = Input("1", "signal")
        slow = State(1.0, "1", "a state that is well")
        x = State(0.0, "1", "a state", output=True)

        def derivatives(self) -> dict[str, Any]:
            return {"slow": -self.slow, "x": law(self)}

    return Growing


@pytest.mark.parametrize("make", BACK_ENDS)
@pytest.mark.parametrize(
    ("law", "worth"), [(lambda s: 8.0 * s.x, "0"), (lambda s: sqrt(s.x), "nan")], ids=["singular", "not finite"]
)
def test_a_step_without_a_solution_fails_and_says_where(make: Any, law: Any, worth: str) -> None:
    instance = started(make(growing(law), "part"))
    assert instance.stepper()(2.0, 1.0) == 3
    assert instance.messages()[-1].endswith(
        "Growing 'part': the implicit step from t = 2 s by 0.5 s has no solution: the relative pivot of 'x' "
        f"is {worth}; take a shorter step, or another method"
    )
    instance.close()


def test_a_guard_is_checked_after_each_micro_step() -> None:
    class Guarded(ProtheroRobinson, step=0.125):
        """Ends on the way."""

        def guards(self) -> dict[str, Any]:
            return {"it is low": self.x < 0.5}

    instance = started(InterpretedInstance(Guarded, "a"))
    assert instance.stepper()(0.0, 1.0) == 3
    assert "guard 'it is low' failed at t = 0.625 s" in instance.messages()[-1]
