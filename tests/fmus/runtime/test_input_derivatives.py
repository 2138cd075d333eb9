"""Inputs that run along a slope during a step: fmi2SetRealInputDerivatives in all back ends."""

import ctypes
from typing import Any

import fmpy
import numpy as np
import pytest

from drawbar.blocks import Continuous, FmuError, Input, Output, Sampled, State
from drawbar.blocks.authoring.block import Block
from drawbar.fmus.backends.instance import FmuInstance, Instance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build, validate
from drawbar.fmus.loading.description import read_interface

BACK_ENDS = [
    InterpretedInstance,
    pytest.param(native_instance, marks=pytest.mark.compiler),
    pytest.param(lambda block, name: open_fmu(build(block), name), marks=pytest.mark.compiler),
]


def integrator(method: str, step: float) -> type[Block]:
    class Integrator(Continuous, method=method, step=step):
        """x' = u, beside an input that no slope is given."""

        held = Input("1", "not used for anything but its value")
        u = Input("1/s", "rate")
        gear = Input("1", "whole number", type=int)
        x = State(1.0, "1", "integral of u", output=True)
        y = Output("1", "both inputs")

        def derivatives(self) -> dict[str, Any]:
            return {"x": self.u}

        def outputs(self) -> dict[str, Any]:
            return {"y": self.held + 10.0 * self.u}

    return Integrator


class Clocked(Sampled, period=0.1):
    """Holds what it saw."""

    u = Input("1", "signal")
    y = Output("1", "the sample")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u}


def started(instance: Instance, **starts: float) -> Instance:
    instance.initialize(0.0, starts)
    instance.start()
    return instance


def slope(instance: Instance, name: str, value: float) -> int:
    return instance.derivative_writer([name], np.array([value]))()


@pytest.mark.parametrize("make", BACK_ENDS)
@pytest.mark.parametrize(
    ("method", "micro", "share"),
    [("euler", 0.5, 0.0), ("euler", 0.125, 0.75), ("heun", 0.5, 1.0), ("heun", 0.125, 1.0), ("rk4", 0.5, 1.0)],
)
def test_a_ramp_is_integrated_as_the_method_does(make: Any, method: str, micro: float, share: float) -> None:
    """x = u0 h + du h^2/2 by Heun and RK4; n Euler steps see (1 - 1/n) of the second term. All numbers are exact."""
    instance = started(make(integrator(method, micro), "a"), u=3.0, held=7.0)
    assert slope(instance, "u", 4.0) == 0
    assert instance.get(["u", "y"]) == [3.0, 37.0], "nothing moves before the step"
    step = instance.stepper()
    assert step(0.0, 0.5) == 0
    first = 1.0 + 3.0 * 0.5 + share * 4.0 * 0.5**2 / 2.0
    assert instance.get(["x", "u", "held", "y"]) == [first, 5.0, 7.0, 57.0], "the value that was reached stands"
    assert step(0.5, 0.5) == 0
    assert instance.get(["x", "u"]) == [first + 5.0 * 0.5, 5.0], "the slope was for one step"
    instance.close()


@pytest.mark.parametrize("make", BACK_ENDS)
def test_the_slope_of_one_input_leaves_the_others_alone(make: Any) -> None:
    """To the sign of a zero, and also where another slope has been there before."""
    instance = started(make(integrator("heun", 0.25), "a"), u=3.0, held=-0.0)
    step = instance.stepper()
    assert slope(instance, "u", 4.0) == 0
    assert step(0.0, 0.5) == 0
    assert np.copysign(1.0, instance.get(["held"])[0]) == -1.0
    assert slope(instance, "held", 2.0) == 0
    assert step(0.5, 0.5) == 0
    assert instance.get(["u", "held", "x"]) == [5.0, 1.0, 3.0 + 2.5]
    instance.close()


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_lag_under_a_ramp_follows_the_analytic_solution(make: Any) -> None:
    class Lag(Continuous, step=1e-3):
        u = Input("1", "in")
        y = State(0.0, "1", "out", output=True)

        def derivatives(self) -> dict[str, Any]:
            return {"y": (self.u - self.y) / 0.2}

    instance = started(make(Lag, "a"), u=1.0)
    step = instance.stepper()
    for k in range(4):
        instance.set({"u": 1.0 + 2.0 * 0.1 * k})
        assert slope(instance, "u", 2.0) == 0
        assert step(0.1 * k, 0.1) == 0
    exact = 1.0 + 2.0 * (0.4 - 0.2) + (0.0 - 1.0 + 2.0 * 0.2) * np.exp(-0.4 / 0.2)
    assert instance.get(["y"])[0] == pytest.approx(exact, rel=1e-9)
    instance.close()


@pytest.mark.parametrize("make", BACK_ENDS)
def test_without_states_the_value_reached_is_seen(make: Any) -> None:
    class Twice(Continuous):
        u = Input("1", "in", size=2)
        y = Output("1", "out")

        def outputs(self) -> dict[str, Any]:
            return {"y": 2.0 * self.u[1] + self.u[0]}

    instance = started(make(Twice, "a"), **{"u[1]": 5.0, "u[2]": 1.0})
    assert slope(instance, "u[2]", 3.0) == 0
    assert instance.stepper()(0.0, 2.0) == 0
    assert instance.get(["y"]) == [2.0 * 7.0 + 5.0]
    instance.close()


@pytest.mark.compiler
@pytest.mark.parametrize("method", ["euler", "heun", "rk4", "rosenbrock"])
@pytest.mark.parametrize("h", [1e-3, 2.5e-3, 1e-2])
def test_back_ends_agree(method: str, h: float) -> None:
    class Forced(Continuous, method=method, step=1e-3):
        """A stiff spring under two forces."""

        force = Input("N", "forces", size=2)
        x = State([0.1, 0.0], "1", "position and velocity", size=2, output=True)
        pull = Output("N", "of the spring and the forces")

        def derivatives(self) -> dict[str, Any]:
            return {"x": [self.x[1], self.force[0] * self.x[0] + self.force[1] - 30.0 * self.x[0] - 0.5 * self.x[1]]}

        def outputs(self) -> dict[str, Any]:
            return {"pull": self.force[0] + self.force[1] - 30.0 * self.x[0]}

    def rows(instance: Instance) -> np.ndarray:
        started(instance)
        names = ["force[1]", "force[2]"]
        values, rates = np.zeros(2), np.zeros(2)
        write, lean = instance.writer(names, values), instance.derivative_writer(names, rates)
        step = instance.stepper()
        table = []
        for k in range(200):
            values[:] = np.sin(7.0 * k * h), np.cos(5.0 * k * h)
            rates[:] = 7.0 * np.cos(7.0 * k * h), -5.0 * np.sin(5.0 * k * h)
            assert write() == 0
            assert k % 3 == 0 or lean() == 0
            assert step(k * h, h) == 0
            table.append(instance.get(["x[1]", "x[2]", "pull", *names]))
        instance.close()
        return np.array(table)

    a, b, c = (
        rows(i) for i in (InterpretedInstance(Forced, "a"), native_instance(Forced, "b"), open_fmu(build(Forced), "c"))
    )
    assert np.max(np.abs(a - b) / np.maximum(np.abs(a), 1e-3)) < 1e-12
    assert np.array_equal(b, c)
    assert np.ptp(a[:, 0]) > 0.01, "it must move for the comparison to mean anything"


@pytest.mark.parametrize("make", BACK_ENDS)
@pytest.mark.parametrize(
    ("block", "name", "message"),
    [
        (integrator("rk4", 0.1), "x", "Integrator: fmi2SetRealInputDerivatives: 'x' is no input"),
        (integrator("rk4", 0.1), "y", "'y' is no input"),
        (Clocked, "u", "Clocked: fmi2SetRealInputDerivatives: 'u' is read at samples only; set its value"),
    ],
)
def test_what_has_no_slope_is_refused(make: Any, block: type[Block], name: str, message: str) -> None:
    instance = started(make(block, "a"))
    assert slope(instance, name, 1.0) == 3
    assert message in instance.messages()[-1]
    instance.close()


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_whole_number_has_no_slope(make: Any) -> None:
    instance = started(make(integrator("rk4", 0.1), "a"))
    with pytest.raises(FmuError, match="part 'a': 'gear' is of type Integer; only Real variables have derivatives"):
        instance.derivative_writer(["u", "gear"], np.zeros(2))
    instance.close()


def call(instance: FmuInstance, reference: int, order: int, value: float) -> int:
    function = instance._slave.dll.fmi2SetRealInputDerivatives
    one = (ctypes.c_uint32 * 1)(reference), ctypes.c_size_t(1), (ctypes.c_int * 1)(order), (ctypes.c_double * 1)(value)
    return int(function(ctypes.c_void_p(instance.addresses().component), *one))


@pytest.mark.compiler
def test_illegal_calls_are_refused_with_a_message() -> None:
    instance = open_fmu(build(integrator("heun", 1.0)), "a")
    u, gear = (int(r) for r in instance.references(["u", "gear"]))
    assert call(instance, u, 1, 2.0) == 0, "legal already before initialization (FMI 2.0.4, section 4.2.4)"
    started(instance)
    for reference, order, message in (
        (u, 2, "order 2 of 'u'; only order 1 is taken"),
        (u, 0, "order 0 of 'u'"),
        (gear, 1, f"value reference {gear} is no variable of this type"),
        (99, 1, "value reference 99"),
    ):
        assert call(instance, reference, order, 8.0) == 3
        assert message in instance.messages()[-1]
    assert instance.stepper()(0.0, 1.0) == 0
    assert instance.get(["x"]) == [2.0], "from a slope of 2, which no refused call has changed"
    function = instance._slave.dll.fmi2SetRealInputDerivatives
    component = ctypes.c_void_p(instance.addresses().component)
    assert function(component, None, ctypes.c_size_t(0), None, None) == 0
    assert function(component, None, ctypes.c_size_t(1), None, None) == 3
    assert function(None, None, ctypes.c_size_t(0), None, None) == 3
    instance._slave.terminate()
    assert call(instance, u, 1, 2.0) == 3
    assert "fmi2SetRealInputDerivatives is not allowed after termination" in instance.messages()[-1]
    instance.close()


@pytest.mark.compiler
def test_a_pending_slope_is_part_of_the_state() -> None:
    block = integrator("rk4", 0.25)
    instance = started(open_fmu(build(block), "a"), u=1.0)
    step = instance.stepper()
    assert step(0.0, 1.0) == 0
    slope(instance, "u", 4.0)
    state = instance._slave.getFMUstate()
    blob = instance._slave.serializeFMUstate(state)
    for _ in range(2):
        assert step(1.0, 1.0) == 0
        assert instance.get(["x", "u"]) == [5.0, 5.0]
        instance._slave.setFMUstate(state)
    other = started(open_fmu(build(block), "b"))
    restored = other._slave.deSerializeFMUstate(blob)
    other._slave.setFMUstate(restored)
    assert other.stepper()(1.0, 1.0) == 0
    assert other.get(["x", "u"]) == [5.0, 5.0]
    for one, kept in ((instance, state), (other, restored)):
        one._slave.freeFMUstate(kept)
        one.close()


@pytest.mark.compiler
def test_reset_and_an_earlier_state_forget_the_slope() -> None:
    instance = started(open_fmu(build(integrator("rk4", 0.25)), "a"), u=1.0)
    before = instance._slave.getFMUstate()
    slope(instance, "u", 4.0)
    instance._slave.setFMUstate(before)
    assert instance.stepper()(0.0, 1.0) == 0
    assert instance.get(["x"]) == [2.0]
    instance._slave.freeFMUstate(before)
    slope(instance, "u", 4.0)
    instance._slave.reset()
    started(instance, u=1.0)
    slope(instance, "held", 4.0)
    assert instance.stepper()(0.0, 1.0) == 0
    assert instance.get(["x", "held"]) == [2.0, 4.0]
    instance.close()


@pytest.mark.compiler
def test_units_say_whether_they_take_slopes() -> None:
    class Constant(Continuous):
        mode = Input("1", "whole number", type=int)
        y = Output("1", "one")

        def outputs(self) -> dict[str, Any]:
            return {"y": self.mode}

    for block, takes in ((integrator("rk4", 0.1), True), (Clocked, False), (Constant, False)):
        validate(build(block))
        assert read_interface(build(block)).interpolates == block.interface().interpolates == takes
        md = fmpy.read_model_description(str(build(block)))
        assert md.coSimulation.canInterpolateInputs is takes


class Nine(Continuous, method="heun", step=1.0):
    """Nine rates: FMPy 0.3 sets the derivatives of nine inputs or of none."""

    u = Input("1/s", "rates", size=9)
    x = State([0.0] * 9, "1", "integrals", size=9, output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.u}


@pytest.mark.compiler
@pytest.mark.parametrize("slopes", [True, False])
def test_fmpy_runs_its_input_signals_through_them(slopes: bool) -> None:
    """Exact to rounding with input derivatives; held at the begin of each step without: the negative control.

    FMPy gives no slope in the first interval of its table, so the table begins before the simulation.
    """
    rates = np.arange(1.0, 10.0)
    times = np.array([-1.0, 3.0])
    columns = [("time", float), *[(f"u[{i + 1}]", float) for i in range(9)]]
    signals = np.array([(t, *(1.0 + rates * t)) for t in times], dtype=columns)
    result = fmpy.simulate_fmu(
        str(build(Nine)), stop_time=2.0, output_interval=0.25, input=signals, set_input_derivatives=slopes
    )
    found = np.array([result[f"x[{i + 1}]"][-1] for i in range(9)])
    exact = 2.0 + rates * 2.0**2 / 2.0
    assert found == pytest.approx(exact if slopes else exact - rates * 0.25 * 2.0 / 2.0, rel=1e-12)
