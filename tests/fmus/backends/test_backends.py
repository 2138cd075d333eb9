"""The three back ends run the same block to the same numbers."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks import (
    Continuous,
    FmuError,
    Input,
    Local,
    Output,
    Parameter,
    Sampled,
    State,
    fmod,
    if_else,
    mtimes,
    sin,
    tanh,
)
from drawbar.blocks.authoring.block import Block
from drawbar.fmus.backends.instance import Instance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build

TOLERANCE = 1e-12  # relative, on smooth blocks


def oscillator(method: str) -> type[Block]:
    class Oscillator(Continuous, method=method, step=1e-3):
        """A forced nonlinear oscillator with a vector output and feed-through."""

        force = Input("N", "force")
        mass = Parameter(2.0, "kg", "mass", min=0.1)
        rates = Parameter([[30.0, 0.5], [0.1, 2.0]], "1", "stiffness and damping, scaled", size=(2, 2))
        x = State([0.1, 0.0], "1", "position and velocity", size=2, output=True)
        pull = Output("N", "forces", size=2)
        energy = Local("J", "energy, roughly")

        def pulls(self) -> Any:
            return mtimes(self.rates, self.x) * tanh(1.0 + self.x[0])

        def derivatives(self) -> dict[str, Any]:
            f = self.pulls()
            return {"x": [self.x[1], (self.force - f[0] - f[1] + sin(3.0 * self.time)) / self.mass]}

        def outputs(self) -> dict[str, Any]:
            return {"pull": self.pulls() + self.force, "energy": 0.5 * self.mass * self.x[1] ** 2}

    return Oscillator


class Counter(Sampled, period=1 / 30):
    """Counts its samples and holds what it saw."""

    u = Input("1", "signal to sample")
    count = State(0.0, "1", "samples before this one")
    total = State(0.0, "1", "sum of what it saw")
    seen = Output("1", "the sample")
    number = Output("1", "how many", type=int)
    odd = Output("1", "an odd sample", type=bool)

    def outputs(self) -> dict[str, Any]:
        return {"seen": self.u + self.total, "number": self.count, "odd": fmod(self.count, 2)}

    def update(self) -> dict[str, Any]:
        return {"count": self.count + 1, "total": if_else(self.u > 0, self.total + self.u, self.total)}


def trajectory(instance: Instance, inputs: list[str], steps: int, h: float, starts: dict[str, float]) -> np.ndarray:
    """Outputs at each communication point under a sine on the first input."""
    try:
        instance.initialize(0.0, starts)
        instance.start()
        names = [n for port in instance.interface.of("output") for n in port.scalar_names()]
        values = np.zeros(len(inputs))
        write, step = instance.writer(inputs, values), instance.stepper()
        rows = [instance.get(names)]
        for k in range(steps):
            values[0] = np.sin(0.7 * k * h)
            assert write() == 0
            assert step(k * h, h) == 0
            rows.append(instance.get(names))
        return np.array(rows)
    finally:
        instance.close()


def three(block: type[Block]) -> list[Instance]:
    return [InterpretedInstance(block, "a"), native_instance(block, "b"), open_fmu(build(block), "c")]


@pytest.mark.compiler
@pytest.mark.parametrize("method", ["euler", "heun", "rk4", "rosenbrock"])
@pytest.mark.parametrize("h", [1e-3, 2.5e-3, 1e-2])
def test_continuous_back_ends_agree(method: str, h: float) -> None:
    starts = {"mass": 3.0, "x[1]": 0.2}
    a, b, c = (trajectory(i, ["force"], 200, h, starts) for i in three(oscillator(method)))
    scale = np.maximum(np.abs(a), 1e-3)
    assert np.max(np.abs(a - b) / scale) < TOLERANCE
    assert np.array_equal(b, c), "native and FMU are the same library"
    assert np.ptp(a[:, 0]) > 0.01, "the trajectory must move for the comparison to mean anything"


@pytest.mark.compiler
@pytest.mark.parametrize("h", [1 / 300, 1 / 30, 0.07, 0.01])
def test_sampled_back_ends_agree_exactly(h: float) -> None:
    a, b, c = (trajectory(i, ["u"], 300, h, {"u": 0.5}) for i in three(Counter))
    assert np.array_equal(a[:, 1:], b[:, 1:]), "counts and flags"
    assert np.array_equal(b, c)
    np.testing.assert_allclose(a, b, rtol=TOLERANCE)


@pytest.mark.compiler
def test_back_ends_differ_when_the_block_differs() -> None:
    """Negative control: the comparison can fail."""
    a = trajectory(InterpretedInstance(oscillator("euler"), "a"), ["force"], 50, 1e-2, {})
    b = trajectory(native_instance(oscillator("heun"), "b"), ["force"], 50, 1e-2, {})
    assert np.max(np.abs(a - b)) > 1e-6


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("heun", 2), ("rk4", 4)])
def test_order_of_integration(method: str, order: int) -> None:
    """x' = -x + sin 3t has the solution C exp(-t) + (sin 3t - 3 cos 3t)/10; halving the micro-step shows the order."""

    def error(step: float) -> float:
        class Relaxation(Continuous, method=method, step=step):
            x = State(1.0, "1", "state", output=True)

            def derivatives(self) -> dict[str, Any]:
                return {"x": (-self.x + sin(3.0 * self.time))}

        instance = InterpretedInstance(Relaxation, "a")
        instance.initialize(0.0, {})
        instance.start()
        instance.stepper()(0.0, 2.0)
        exact = 1.3 * np.exp(-2.0) + (np.sin(6.0) - 3.0 * np.cos(6.0)) / 10.0
        return abs(instance.get(["x"])[0] - exact)

    measured = np.log2(error(0.05) / error(0.025))
    assert measured == pytest.approx(order, abs=0.15)


class Halves(Continuous):
    """Whole numbers and truth values that equations do not keep whole."""

    k = Input("1", "whole number", type=int)
    b = Input("1", "flag", type=bool)
    scale = Parameter(1.0, "1", "scale", tunable=True)
    y = Output("1", "half of k", type=int)
    z = Output("1", "flag times scale", type=bool)
    seen = Output("1", "k + 10 b as the equations see them")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.scale * self.k / 2.0, "z": self.b * self.scale, "seen": self.k + 10.0 * self.b}


BACK_ENDS = [
    InterpretedInstance,
    pytest.param(native_instance, marks=pytest.mark.compiler),
    pytest.param(lambda block, name: open_fmu(build(block), name), marks=pytest.mark.compiler),
]


@pytest.mark.parametrize("make", BACK_ENDS)
def test_whole_numbers_are_rounded_alike(make: Any) -> None:
    """Halves upwards; any number but zero is true."""
    instance = make(Halves, "a")
    instance.initialize(0.0, {"k": 3, "b": True, "scale": 2.5})
    instance.start()
    assert instance.get(["y", "z", "seen"]) == [4.0, 1.0, 13.0]
    instance.set({"k": 1.5})
    assert instance.get(["y", "seen"]) == [3.0, 12.0]
    instance.set({"k": -0.5, "scale": -1.0})
    assert instance.get(["y", "z", "seen"]) == [0.0, 1.0, 10.0]
    values = np.array([-3.0, 2.0])
    instance.writer(["k", "b"], values)()
    out = np.zeros(2)
    assert instance.reader(["y", "z"], out)() == 0
    assert out.tolist() == [2.0, 1.0]
    for nothing in (float("nan"), float("inf"), 1e12):
        instance.set({"scale": nothing})
        assert instance.reader(["y", "z"], out)() == 3
        assert "not a whole number in range" in instance.messages()[-1]
    instance.close()


class Hidden(Continuous, method="euler", step=1e-2):
    """A state that no output shows becomes NaN after t = 0.5 s."""

    hidden = State(1.0, "1", "state")
    y = Output("1", "one")

    def derivatives(self) -> dict[str, Any]:
        return {"hidden": (0.505 - self.time) ** 0.5}

    def outputs(self) -> dict[str, Any]:
        return {"y": 1.0}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_hidden_state_that_is_not_finite_fails_the_step(make: Any) -> None:
    instance = make(Hidden, "a")
    instance.initialize(0.0, {})
    instance.start()
    step = instance.stepper()
    status = [step(k * 0.01, 0.01) for k in range(60)]
    assert status[:50] == [0] * 50
    assert status[52] == 3
    assert instance.messages()[0] == (
        "Hidden 'a': 'hidden' is nan at t = 0.52 s; check parameters and inputs, or take a shorter step or another "
        "method"
    )
    instance.close()


class Guarded(Hidden):
    """The same, with a guard that what is no number does not pass."""

    def guards(self) -> dict[str, Any]:
        return {"it is small": (self.hidden < 1e9, "this advice is not for what has no value")}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_state_that_is_not_finite_is_named_before_the_guard_that_it_breaks(make: Any) -> None:
    instance = make(Guarded, "a")
    instance.initialize(0.0, {})
    instance.start()
    step = instance.stepper()
    assert [step(k * 0.01, 0.01) for k in range(53)][-1] == 3
    (said, *_) = instance.messages()
    assert said.startswith("Guarded 'a': 'hidden' is nan at t = 0.5") and "guard" not in said
    instance.close()


@pytest.mark.parametrize("make", BACK_ENDS)
def test_what_is_fixed_stays_fixed_while_running(make: Any) -> None:
    instance = make(oscillator("rk4"), "a")
    instance.initialize(0.0, {"mass": 2.0})
    instance.start()
    for name in ("mass", "x[1]"):
        with pytest.raises(FmuError, match="cannot be set after initialization"):
            instance.set({name: 3.0})
    instance.close()
