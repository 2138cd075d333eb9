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
        """A forced nonlinear oscillator with a vector output and direct feedthrough."""

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


BACK_ENDS = [
    InterpretedInstance,
    pytest.param(native_instance, marks=pytest.mark.compiler),
    pytest.param(lambda block, name: open_fmu(build(block), name), marks=pytest.mark.compiler),
]


@pytest.mark.parametrize("make", BACK_ENDS)
def test_what_is_fixed_stays_fixed_while_running(make: Any) -> None:
    instance = make(oscillator("rk4"), "a")
    instance.initialize(0.0, {"mass": 2.0})
    instance.start()
    for name in ("mass", "x[1]"):
        with pytest.raises(FmuError, match="cannot be set after initialization"):
            instance.set({name: 3.0})
    instance.close()
