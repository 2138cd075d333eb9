"""Blocks with differential equations: method and micro-step, and what an FMU of them can do."""

from fractions import Fraction
from typing import Any

import pytest

from drawbar.blocks import Continuous, DefinitionError, Input, Output, State


def test_integration_is_inherited_and_overridden() -> None:
    class Plain(Continuous):
        pass

    class Fine(Plain, method="heun", step="1/3000"):
        pass

    class Finer(Fine, step=1e-4):
        pass

    assert (Plain.model().method, Plain.model().step) == ("rk4", Fraction(1, 1000))
    assert (Fine.model().method, Fine.model().step) == ("heun", Fraction(1, 3000))
    assert (Finer.model().method, Finer.model().step) == ("heun", Fraction(1, 10000))


class Lag(Continuous, method="heun"):
    """A first-order lag of 2 s."""

    u = Input("1", "input")
    x = State(0.0, "1", "state", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": (self.u - self.x) / 2.0}


class Square(Continuous):
    """An algebraic block."""

    u = Input("1", "input")
    y = Output("1", "output")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u * self.u}


def test_the_rate_is_that_of_the_equation(bench: Any) -> None:
    assert bench(Lag).ode(u=3.0, x=1.0) == {"x": 1.0}


def test_only_a_block_with_states_integrates(bench: Any) -> None:
    assert Lag.interface().integrates and not Square.interface().integrates
    assert not Lag.interface().sampled
    assert bench(Square).out(u=-3.0)["y"] == 9.0


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"method": "rk5"}, "Odd: method='rk5'; did you mean 'rk4'"),
        ({"step": -1e-3}, "Odd: step: -0.001 s is not positive"),
    ],
)
def test_a_wrong_method_or_step_is_refused(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        type(Continuous)("Odd", (Continuous,), {}, **keywords)


def test_an_abstract_base_may_lack_its_equations() -> None:
    class Base(Continuous, abstract=True):
        x = State(0.0, "1", "state")

    with pytest.raises(DefinitionError, match="Base is abstract"):
        Base.model()
