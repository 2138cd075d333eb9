"""Calculated parameters and start values: the three back ends find the same, and a closed form agrees."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import (
    Continuous,
    Derived,
    FmuError,
    Input,
    Output,
    Parameter,
    Sampled,
    State,
    sin,
    sqrt,
)
from drawbar.fmus.backends.instance import Instance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_interface

G = 9.80665
BACK_ENDS = [
    InterpretedInstance,
    pytest.param(native_instance, marks=pytest.mark.compiler),
    pytest.param(lambda block, name: open_fmu(build(block), name), marks=pytest.mark.compiler),
]


class QuarterCar(Continuous):
    """A quarter car on a progressive spring and a tire, begun in equilibrium; heights from the unloaded ones."""

    load = Input("N", "load on the body, downwards")
    road = Input("m", "height of the road")
    body_mass = Parameter(380.0, "kg", "sprung mass", min=1.0)
    wheel_mass = Parameter(45.0, "kg", "unsprung mass", min=1.0)
    frequency = Parameter(1.1, "Hz", "natural frequency of the body on the linear part of the spring", tunable=True)
    progression = Parameter(5e5, "N/m3", "cubic part of the spring", min=0.0)
    tire = Parameter(190e3, "N/m", "rate of the tire", min=1.0)
    damping = Parameter(1800.0, "N.s/m", "rate of the damper", min=0.0)
    stiffness = Derived("N/m", "linear part of the spring")
    total_mass = Derived("kg", "both masses")
    critical = Derived("1", "damping over the critical one")
    body = State(0.0, "m", "height of the body", solve=True, output=True)
    wheel = State(0.0, "m", "height of the wheel", solve=True)
    body_speed = State(0.0, "m/s", "speed of the body")
    wheel_speed = State(0.0, "m/s", "speed of the wheel")
    strut = Output("N", "force of spring and damper on the body")
    other = Output("m", "what does not follow from the equilibrium")

    def derived(self) -> dict[str, Any]:
        return {
            "critical": self.damping / (2.0 * sqrt(self.stiffness * self.body_mass)),  # before what it reads
            "stiffness": self.body_mass * (2.0 * math.pi * self.frequency) ** 2,
            "total_mass": self.body_mass + self.wheel_mass,
        }

    def forces(self) -> tuple[Any, Any]:
        x = self.wheel - self.body
        strut = self.stiffness * x + self.progression * x**3 + self.damping * (self.wheel_speed - self.body_speed)
        tire = self.tire * (self.road - self.wheel)
        return strut - self.load - self.body_mass * G, tire - strut - self.wheel_mass * G

    def residuals(self) -> dict[str, Any]:
        body, wheel = self.forces()
        return {"force on the body": body, "acceleration of the wheel": wheel / self.wheel_mass}

    def derivatives(self) -> dict[str, Any]:
        body, wheel = self.forces()
        return {
            "body": self.body_speed,
            "wheel": self.wheel_speed,
            "body_speed": body / self.body_mass,
            "wheel_speed": wheel / self.wheel_mass,
        }

    def outputs(self) -> dict[str, Any]:
        return {"strut": self.forces()[0] + self.load + self.body_mass * G, "other": 2.0 * self.road}


def compression(force: float, k: float, k3: float) -> float:
    """Cardano's root of k x + k3 x^3 = force, in the form without cancellation."""
    p, q = k / k3, force / k3
    return 2.0 * math.sqrt(p / 3.0) * math.sinh(math.asinh(1.5 * q / p * math.sqrt(3.0 / p)) / 3.0)


def closed_form(load: float, road: float, frequency: float = 1.1) -> tuple[float, float]:
    wheel = road - (load + (380.0 + 45.0) * G) / 190e3
    return wheel - compression(load + 380.0 * G, 380.0 * (2.0 * math.pi * frequency) ** 2, 5e5), wheel


@pytest.mark.parametrize("make", BACK_ENDS)
@pytest.mark.parametrize(("load", "road"), [(0.0, 0.0), (2500.0, 0.05), (-9000.0, -0.3), (4e5, 0.0)])
def test_a_quarter_car_begins_in_the_equilibrium_of_the_closed_form(make: Any, load: float, road: float) -> None:
    car = make(QuarterCar, "corner")
    car.initialize(0.0, {"load": load, "road": road})
    car.start()
    body, wheel = closed_form(load, road)
    assert car.get(["body", "wheel"]) == pytest.approx([body, wheel], rel=1e-13)
    assert car.get(["strut"])[0] == pytest.approx(load + 380.0 * G, rel=1e-12)
    step = car.stepper()
    for k in range(20):
        assert step(k * 0.05, 0.05) == 0
    assert car.get(["body", "wheel"]) == pytest.approx([body, wheel], rel=1e-12), "at rest it stays"
    car.close()


@pytest.mark.parametrize("make", BACK_ENDS)
def test_calculated_parameters_follow_from_the_others(make: Any) -> None:
    car = make(QuarterCar, "corner")
    car.initialize(0.0, {"body_mass": 400.0})
    k = 400.0 * (2.0 * math.pi * 1.1) ** 2
    expected = [k, 445.0, 1800.0 / (2.0 * math.sqrt(k * 400.0))]
    assert car.get(["stiffness", "total_mass", "critical"]) == pytest.approx(expected, rel=1e-14)
    car.start()
    assert car.get(["stiffness", "total_mass"]) == pytest.approx(expected[:2], rel=1e-14)
    for name in ("stiffness", "total_mass", "body_mass", "body"):
        with pytest.raises(FmuError, match=f"'{name}' cannot be set after initialization"):
            car.set({name: 1.0})
    car.close()


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_tunable_parameter_changes_what_follows_from_it_while_running(make: Any) -> None:
    car = make(QuarterCar, "corner")
    car.initialize(0.0, {})
    car.start()
    values = np.array([1.5])
    car.writer(["frequency"], values)()
    assert car.get(["stiffness"])[0] == pytest.approx(380.0 * (2.0 * math.pi * 1.5) ** 2, rel=1e-14)
    values[0] = 2.0
    car.writer(["frequency"], values)()
    step = car.stepper()
    for k in range(500):
        assert step(k * 0.05, 0.05) == 0
    assert car.get(["body"])[0] == pytest.approx(closed_form(0.0, 0.0, 2.0)[0], rel=1e-9), (
        "it settles on the new spring"
    )
    car.close()


@pytest.mark.compiler
def test_back_ends_agree_from_the_start() -> None:
    rows = []
    for make in (InterpretedInstance, native_instance, lambda block, name: open_fmu(build(block), name)):
        car = make(QuarterCar, "corner")
        car.initialize(0.0, {"load": 1234.5})
        car.set({"road": 0.07})
        values = np.zeros(2)
        write, step = car.writer(["load", "road"], values), car.stepper()
        seen = [car.get(["body", "wheel", "strut", "critical"])]
        car.start()
        for k in range(100):
            values[:] = 1234.5 + 300.0 * k, 0.05 * np.sin(0.1 * k)
            assert write() == 0
            assert step(k * 0.01, 0.01) == 0
            seen.append(car.get(["body", "wheel", "strut", "critical"]))
        rows.append(np.array(seen))
        car.close()
    assert np.max(np.abs(rows[0] - rows[1]) / np.maximum(np.abs(rows[0]), 1e-3)) < 1e-12
    assert np.array_equal(rows[1], rows[2])
    assert np.ptp(rows[0][:, 0]) > 0.01


@pytest.mark.parametrize("make", BACK_ENDS)
def test_what_is_read_in_initialization_belongs_to_the_inputs_set_before(make: Any) -> None:
    car = make(QuarterCar, "corner")
    car.initialize(0.0, {})
    for load in (500.0, 3000.0, 500.0):
        car.set({"load": load})
        assert car.get(["body"])[0] == pytest.approx(closed_form(load, 0.0)[0], rel=1e-13)
    car.set({"road": 0.2})
    assert car.get(["other"]) == [0.4]
    assert car.get(["body"])[0] == pytest.approx(closed_form(500.0, 0.2)[0], rel=1e-12)
    car.close()


@pytest.mark.compiler
def test_reset_and_state_take_calculated_values_along() -> None:
    car = open_fmu(build(QuarterCar), "corner")
    car.initialize(0.0, {"load": 700.0, "body_mass": 500.0})
    car.start()
    car._slave.reset()
    car.initialize(0.0, {"body_mass": 380.0})
    car.start()
    assert car.get(["body", "total_mass"]) == pytest.approx([closed_form(0.0, 0.0)[0], 425.0], rel=1e-13)
    car._slave.reset()
    car.initialize(0.0, {"body": -0.4})
    state = car._slave.getFMUstate()
    other = open_fmu(build(QuarterCar), "other")
    other.initialize(0.0, {"body_mass": 1.0})
    other._slave.setFMUstate(other._slave.deSerializeFMUstate(car._slave.serializeFMUstate(state)))
    other.start()
    assert other.get(["body", "total_mass"]) == pytest.approx([closed_form(0.0, 0.0)[0], 425.0], rel=1e-13)
    car._slave.freeFMUstate(state)
    car.close()
    other.close()


class Pendulum(Continuous):
    """A pendulum that begins at rest where a torque holds it, and a bob whose place is given explicitly."""

    torque = Input("N.m", "torque at the hinge")
    mass = Parameter(2.0, "kg", "mass", min=0.01)
    length = Parameter(0.5, "m", "length", min=0.01)
    offset = Parameter(0.1, "m", "place of the hinge")
    moment = Derived("N.m", "largest moment of the weight")
    angle = State(0.1, "rad", "angle from below", solve=True, output=True, min=-math.pi / 2, max=math.pi / 2)
    rate = State(0.0, "rad/s", "turning speed")
    travel = State(99.0, "m", "way of the bob", output=True)
    doubles = State([9.0, 9.0], "m", "twice and four times that way", size=2)

    def derived(self) -> dict[str, Any]:
        return {"moment": self.mass * G * self.length}

    def initial(self) -> dict[str, Any]:
        return {"doubles": [2.0 * self.travel, 2.0 * self.doubles[0]], "travel": self.offset + 0.01 * self.torque}

    def residuals(self) -> dict[str, Any]:
        return {"turning acceleration": self.derivatives()["rate"]}

    def derivatives(self) -> dict[str, Any]:
        swing = (self.torque - self.moment * sin(self.angle)) / (self.mass * self.length**2)
        return {"angle": self.rate, "rate": swing, "travel": self.rate, "doubles": [0.0, 0.0]}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_pendulum_hangs_where_its_torque_holds_it(make: Any) -> None:
    pendulum = make(Pendulum, "a")
    pendulum.initialize(0.0, {"travel": 5.0})  # ignored, as it is calculated
    pendulum.set({"torque": 4.0})
    expected = [math.asin(4.0 / (2.0 * G * 0.5)), 0.14, 0.28, 0.56]
    assert pendulum.get(["angle", "travel", "doubles[1]", "doubles[2]"]) == pytest.approx(expected, rel=1e-14)
    pendulum.start()
    assert pendulum.get(["angle", "travel", "doubles[1]", "doubles[2]"]) == pytest.approx(expected, rel=1e-14)
    assert pendulum.stepper()(0.0, 1.0) == 0
    assert pendulum.get(["angle"])[0] == pytest.approx(expected[0], rel=1e-12)
    pendulum.close()


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_pendulum_that_nothing_can_hold_says_so(make: Any, start_failure: Any) -> None:
    assert "the largest residual is 'turning acceleration' = " in start_failure(make, Pendulum, {"torque": 10.0}, "a")


class Filter(Sampled, period=0.1):
    """A filter that begins settled on its input."""

    u = Input("1", "signal")
    cutoff = Parameter(2.0, "1", "how much of the past is left", tunable=True, min=1.0)
    weight = Derived("1", "part of the difference that a sample takes")
    last = State(0.0, "1", "last value")
    y = Output("1", "filtered signal")

    def derived(self) -> dict[str, Any]:
        return {"weight": 1.0 / self.cutoff}

    def initial(self) -> dict[str, Any]:
        return {"last": self.u}

    def smoothed(self) -> Any:
        return self.last + self.weight * (self.u - self.last)

    def outputs(self) -> dict[str, Any]:
        return {"y": self.smoothed()}

    def update(self) -> dict[str, Any]:
        return {"last": self.smoothed()}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_sampled_block_begins_from_its_inputs_and_follows_a_tunable_parameter(make: Any) -> None:
    block = make(Filter, "a")
    block.initialize(0.0, {"u": 8.0})
    block.start()
    step = block.stepper()
    assert block.get(["y"]) == [8.0]
    block.set({"u": 0.0})
    step(0.0, 0.1)
    assert block.get(["y"]) == [8.0], "the sample at 0 has run"
    step(0.1, 0.1)
    assert block.get(["y"]) == [4.0]
    block.set({"cutoff": 4.0})
    assert block.get(["weight"]) == [0.25]
    step(0.2, 0.1)
    assert block.get(["y"]) == [3.0]
    block.close()


class Roots(Continuous):
    """A calculated parameter and a start value that need not be numbers."""

    a = Parameter(1.0, "1", "below the root", tunable=True)
    b = Parameter(1.0, "1", "below another root")
    root = Derived("1", "root of a")
    x = State(0.0, "1", "state", output=True)

    def derived(self) -> dict[str, Any]:
        return {"root": sqrt(self.a)}

    def initial(self) -> dict[str, Any]:
        return {"x": sqrt(self.b)}

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.root}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_what_is_calculated_and_no_number_is_named(make: Any, start_failure: Any) -> None:
    assert start_failure(make, Roots, {"a": -1.0}).endswith(
        "Roots 'root': 'root' is nan; check the parameters that it is calculated from"
    )
    assert start_failure(make, Roots, {"b": -1.0}).endswith("Roots 'root': 'x' is nan at t = 0 s")
    running: Instance = make(Roots, "a")
    running.initialize(0.0, {})
    running.start()
    running.set({"a": -1.0})
    assert running.stepper()(0.0, 0.1) == 3
    assert running.messages()[-1] == "Roots 'a': 'root' is nan; check the parameters that it is calculated from"
    running.close()


@pytest.mark.compiler
def test_the_description_says_what_is_calculated_and_from_what(tmp_path: Path) -> None:
    import fmpy

    fmu = build(QuarterCar, tmp_path)
    description = fmpy.read_model_description(str(fmu))
    found = {v.name: (v.causality, v.variability, v.initial, v.start) for v in description.modelVariables}
    assert found["stiffness"] == ("calculatedParameter", "tunable", "calculated", None)
    assert found["total_mass"] == ("calculatedParameter", "fixed", "calculated", None)
    assert found["body"] == ("output", "continuous", "approx", "0.0")
    assert found["wheel"] == ("local", "continuous", "approx", "0.0")
    unknowns = {u.variable.name: {d.name for d in u.dependencies} for u in description.initialUnknowns}
    equilibrium = {"load", "road", "body_mass", "wheel_mass", "frequency", "progression", "tire"}
    speeds = {"body_speed", "wheel_speed", "damping"}
    assert unknowns == {
        "stiffness": {"body_mass", "frequency"},
        "total_mass": {"body_mass", "wheel_mass"},
        "critical": {"damping", "body_mass", "frequency"},
        "body": equilibrium | speeds,
        "wheel": equilibrium | speeds,
        "strut": equilibrium | speeds,
        "other": {"road"},
        "der(body)": {"body_speed"},
        "der(wheel)": {"wheel_speed"},
        "der(body_speed)": equilibrium | speeds,
        "der(wheel_speed)": equilibrium | speeds,
    }
    running = {u.variable.name: {d.name for d in u.dependencies} for u in description.outputs}
    assert running["strut"] == {"load", "body", "wheel", "body_speed", "wheel_speed"}
    read, own = (interface.initial_feedthrough for interface in (read_interface(fmu), QuarterCar.interface()))
    assert {name: set(known) for name, known in read.items()} == {name: set(known) for name, known in own.items()}


def test_unknowns_that_are_solved_apart_depend_on_their_own_inputs_only() -> None:
    class Two(Continuous):
        u = Input("1", "first", size=2)
        p = Parameter(1.0, "1", "parameter")
        a = State(0.0, "1", "one", solve=True, output=True)
        b = State(0.0, "1", "other", solve=True, output=True)
        c = State(0.0, "1", "third, with the first", solve=True, output=True)

        def residuals(self) -> dict[str, Any]:
            return {"r": [self.a + self.c - self.u[0], self.b - self.u[1], self.a - self.c * self.p]}

        def derivatives(self) -> dict[str, Any]:
            return {"a": 0, "b": 0, "c": 0}

    assert Two.interface().initial_feedthrough == {"a": ("u[1]", "p"), "b": ("u[2]",), "c": ("u[1]", "p")}
    assert Two.model().initialization is not None
    assert Two.model().initialization.residuals == ("r[1]", "r[2]", "r[3]")
