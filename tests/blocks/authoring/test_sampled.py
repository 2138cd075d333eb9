"""Blocks that are evaluated at exact periods: their outputs hold, and a sample reads the states before it."""

from fractions import Fraction
from typing import Any

import pytest

from drawbar.blocks import DefinitionError, Input, Output, Sampled, State


def test_sampled_outputs_are_discrete_and_hold() -> None:
    class Held(Sampled, period=0.1):
        u = Input("1", "u")
        n = State(0, "1", "samples so far", type=int)
        y = Output("1", "y")

        def outputs(self) -> dict[str, Any]:
            return {"y": self.u + self.n}

        def update(self) -> dict[str, Any]:
            return {"n": self.n + 1}

    kinds = {p.name: (p.variability, p.type) for p in Held.interface().ports}
    assert kinds == {"u": ("continuous", "Real"), "n": ("discrete", "Integer"), "y": ("discrete", "Real")}
    assert Held.interface().feedthrough["y"] == ()
    assert Held.interface().initial_feedthrough["y"] == ("u", "n")
    assert Held.model().x == () and [p.name for p in Held.model().z] == ["n"]


class Accumulator(Sampled, period="1/4"):
    """The sum of the inputs times the period."""

    u = Input("1", "input")
    total = State(0.0, "s", "integral")
    y = Output("s", "integral before this sample")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.total}

    def update(self) -> dict[str, Any]:
        return {"total": self.total + self.period * self.u}


def test_outputs_are_of_the_states_before_the_update(bench: Any) -> None:
    b = bench(Accumulator)
    assert b.update(u=2.0, total=1.0) == {"total": 1.5}
    assert b.out(u=2.0, total=1.0) == {"y": 1.0}


def test_it_is_sampled_and_does_not_integrate() -> None:
    interface = Accumulator.interface()
    assert interface.sampled and not interface.integrates and interface.period == Fraction(1, 4)


def test_a_block_without_a_period_is_refused() -> None:
    with pytest.raises(DefinitionError, match="Odd: say how often it acts"):
        type(Sampled)("Odd", (Sampled,), {})
