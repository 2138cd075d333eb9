"""An explicit method parts its micro-steps where a block says that it moves faster than they are stable for."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks import (
    Continuous,
    DefinitionError,
    Input,
    Parameter,
    Sampled,
    State,
    sin,
)
from drawbar.blocks.authoring.block import Block
from drawbar.fmus.backends.instance import Instance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build

BACK_ENDS = [
    pytest.param(InterpretedInstance, id="interpreted"),
    pytest.param(native_instance, id="native", marks=pytest.mark.compiler),
    pytest.param(lambda block, name: open_fmu(build(block), name), id="fmu", marks=pytest.mark.compiler),
]


def lag(method: str, *, bounded: bool = True) -> type[Block]:
    class Lag(Continuous, method=method, step=0.1):
        """x' = rate (u^3 - x); the rate may depend on the input."""

        u = Input("1", "signal", start=1.0)
        rate = Parameter(5.0, "1/s", "rate at an input of one")
        count = State(0.0, "s", "time", output=True)
        x = State(0.0, "1", "state", output=True)

        def fast(self) -> Any:
            return self.rate * self.u * self.u

        def derivatives(self) -> dict[str, Any]:
            return {"count": 1.0, "x": self.fast() * (self.u * self.u * self.u - self.x)}

    class Bounded(Lag):
        """With its bound."""

        def stability_bounds(self) -> dict[str, Any]:
            return {"of time": 0.0, "lag": self.fast()}

    return Bounded if bounded else Lag


def started(instance: Instance, **starts: float) -> Instance:
    instance.initialize(0.0, starts)
    instance.start()
    return instance


def after(block: type[Block], steps: int, **starts: float) -> float:
    instance = started(InterpretedInstance(block, "a"), **starts)
    step = instance.stepper()
    for k in range(steps):
        assert step(0.1 * k, 0.1) == 0, instance.messages()
    return float(instance.get(["x"])[0])


@pytest.mark.parametrize(("method", "most"), [("euler", 200.0), ("heun", 380.0), ("rk4", 520.0)])
def test_it_stays_stable_up_to_twenty_parts(method: str, most: float) -> None:
    for rate in np.linspace(1.0, most, 40):
        assert abs(after(lag(method), 200, rate=float(rate)) - 1.0) < 0.01
    assert abs(after(lag(method, bounded=False), 20, rate=most / 4)) > 10.0, "without its bound it is lost"


def test_within_the_limit_nothing_changes() -> None:
    both = [after(lag("rk4", bounded=b), 10, rate=25.9) for b in (True, False)]
    assert both[0] == both[1]
    assert after(lag("rk4"), 10, rate=26.1) != after(lag("rk4", bounded=False), 10, rate=26.1)


@pytest.mark.parametrize("make", BACK_ENDS)
@pytest.mark.parametrize(
    ("u", "rate", "advice"),
    [
        (
            3.0,
            "585",
            ": rk4 needs 23 parts of a step of 0.1 s to stay stable, and takes 20 at most; take a shorter step, or "
            "method='rosenbrock', as in class Mine(Bounded, method='rosenbrock')",
        ),
        (np.inf, "inf", "; check parameters and inputs"),
        (np.nan, "nan", "; check parameters and inputs"),
    ],
)
def test_beyond_it_refuses_and_says_what_to_do(make: Any, u: float, rate: str, advice: str) -> None:
    instance = started(make(lag("rk4"), "part"), u=u, rate=65.0)
    assert instance.stepper()(1.0, 0.2) == 3
    assert instance.messages()[-1].endswith(f"Bounded 'part': the rate of 'lag' is {rate} 1/s at t = 1 s{advice}")
    instance.close()


@pytest.mark.compiler
@pytest.mark.parametrize("method", ["euler", "heun", "rk4", "rosenbrock"])
def test_back_ends_part_alike_under_inputs_that_move(method: str) -> None:
    def rows(instance: Instance) -> np.ndarray:
        started(instance, rate=20.0)
        values, rates, table = np.zeros(1), np.zeros(1), []
        write, lean, step = instance.writer(["u"], values), instance.derivative_writer(["u"], rates), instance.stepper()
        for k in range(30):
            values[0], rates[0] = (k % 9) / 4.0, 2.0
            assert write() == 0
            assert k % 3 == 0 or lean() == 0
            assert step(0.25 * k, 0.25) == 0
            table.append(instance.get(["x", "count"]))
        instance.close()
        return np.array(table)

    one, *others = [rows(make(lag(method), "a")) for make in (p.values[0] for p in BACK_ENDS)]
    for other in others:
        np.testing.assert_array_equal(one, other)
    assert one[:, 1] == pytest.approx(0.25 * np.arange(1, 31), abs=1e-12), "parts add up to the step"


def test_a_bound_is_of_what_is_integrated() -> None:
    class Held(Sampled, abstract=True, period=0.1):
        """Holds."""

        x = State(0.0, "1", "state")

        def update(self) -> dict[str, Any]:
            return {"x": self.x}

        def stability_bounds(self) -> dict[str, Any]:
            return {"it": 1.0}

    class Kept(Held, period=0.1):
        """Holds."""

    with pytest.raises(
        DefinitionError, match=r"Kept\.stability_bounds\(\): there is nothing to integrate, so nothing to bound"
    ):
        Kept.model()


@pytest.mark.parametrize(("given", "message"), [({"": 1.0}, "give it a name"), ({"it": "fast"}, "not an expression")])
def test_a_bound_has_a_name_and_a_value(given: dict[str, Any], message: str) -> None:
    class Fast(Continuous):
        """Fast."""

        x = State(0.0, "1", "state")

        def derivatives(self) -> dict[str, Any]:
            return {"x": -self.x}

        def stability_bounds(self) -> dict[str, Any]:
            return given

    with pytest.raises(DefinitionError, match=message):
        Fast.model()


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
