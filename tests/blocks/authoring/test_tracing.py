"""What a traced block says about itself: order of values, arrays, buses, dependencies."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Bus, Continuous, Input, Local, Member, Output, Parameter, Sampled, State, mtimes
from drawbar.blocks.core.interface import Port


class Matrices(Continuous):
    """Arrays of both ranks.

    A second paragraph.
    """

    A = Parameter([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "1", "matrix", size=(2, 3))
    w = Input("1", "vector", size=3)
    x = State([7.0, 8.0], "1", "state", size=2)
    product = Output("1", "A w", size=2)
    outer = Output("1", "x w'", size=(2, 3))
    listed = Output("1", "rows", size=(2, 2))

    def derivatives(self) -> dict[str, Any]:
        return {"x": -self.x}

    def outputs(self) -> dict[str, Any]:
        rows = [[self.w[0], self.w[1]], [self.w[2], self.A[1, 0]]]
        return {"product": mtimes(self.A, self.w), "outer": mtimes(self.x, self.w.T), "listed": rows}


class Hub(Bus):
    velocity = Member("m/s", "velocity", size=3)
    force = Member("N", "force", size=3, back=True)


class BrakedHub(Hub):
    torque = Member("N.m", "brake torque")


class Body(Continuous):
    hub = Hub.source("front hub")

    def outputs(self) -> dict[str, Any]:
        return {"hub.velocity": 2.0 * self.hub.force}


class Wheel(Continuous):
    hub = Hub.sink("hub")

    def outputs(self) -> dict[str, Any]:
        return {"hub.force": -self.hub.velocity}


class Mixed(Continuous):
    """One output of each kind of dependency."""

    a = Input("1", "a")
    b = Input("1", "b", size=2)
    k = Parameter(2.0, "1", "k", tunable=True)
    s = State(1.0, "1", "s", output=True)
    through = Output("1", "of an input")
    cancelled = Output("1", "of nothing, though a is written")
    second = Output("1", "of one element")
    remembered = Output("1", "of the state", size=2)
    shown = Local("1", "intermediate")

    def derivatives(self) -> dict[str, Any]:
        return {"s": self.a - self.s}

    def outputs(self) -> dict[str, Any]:
        return {
            "through": self.k * self.a,
            "cancelled": self.a - self.a,
            "second": self.b[1] + self.s,
            "remembered": [self.s, self.s * self.a],
            "shown": self.a,
        }


def test_values_are_in_row_major_order(bench: Any) -> None:
    w = np.array([1.0, 10.0, 100.0])
    out = bench(Matrices).out(w=w, x=[7.0, 8.0])
    assert out["product"] == pytest.approx([321.0, 654.0])
    assert out["outer"] == pytest.approx(np.outer([7.0, 8.0], w).ravel())
    assert out["listed"] == pytest.approx([1.0, 10.0, 100.0, 4.0])


def test_names_are_structured_and_one_based() -> None:
    port = Matrices.interface().port("A")
    assert port is not None
    assert port.scalar_names() == ["A[1,1]", "A[1,2]", "A[1,3]", "A[2,1]", "A[2,2]", "A[2,3]"]
    assert port.start == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0) and port.size == 6
    assert Port("J", "local", "continuous").scalar_names() == ["J"]


def test_value_array_is_p_u_x_z_y() -> None:
    model = Matrices.model()
    assert model.sizes() == (6, 3, 2, 0, 12)
    assert model.start() == pytest.approx([1, 2, 3, 4, 5, 6, 0, 0, 0, 7, 8] + [0] * 12)
    assert [p.name for p in model.ports] == ["A", "w", "x", "product", "outer", "listed"]


def test_the_first_line_of_the_docstring_describes_the_block() -> None:
    assert Matrices.interface().description == "Arrays of both ranks."
    assert Body.interface().description == ""


def test_dependencies_at_communication_points() -> None:
    feedthrough = Mixed.interface().feedthrough
    assert feedthrough["through"] == ("a",)
    assert feedthrough["cancelled"] == ()
    assert feedthrough["second"] == ("b[2]",)
    assert feedthrough["remembered[1]"] == () and feedthrough["remembered[2]"] == ("a",)
    assert feedthrough["s"] == ()
    assert "shown" not in feedthrough  # a local is on no wire


def test_dependencies_during_initialization() -> None:
    initial = Mixed.interface().initial_feedthrough
    assert initial["through"] == ("a", "k")
    assert initial["second"] == ("b[2]", "s")
    assert initial["remembered[2]"] == ("a", "s")


def test_kinds_of_variable() -> None:
    kinds = {p.name: (p.causality, p.variability, p.initial) for p in Mixed.interface().ports}
    assert kinds["a"] == ("input", "continuous", None)
    assert kinds["k"] == ("parameter", "tunable", "exact")
    assert kinds["s"] == ("output", "continuous", "exact")
    assert kinds["through"] == ("output", "continuous", "calculated")
    assert kinds["shown"] == ("local", "continuous", "calculated")


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


def test_two_ends_of_a_bus(bench: Any) -> None:
    assert {p.name: p.causality for p in Body.interface().ports} == {"hub.velocity": "output", "hub.force": "input"}
    assert {p.name: p.causality for p in Wheel.interface().ports} == {"hub.velocity": "input", "hub.force": "output"}
    port = Body.interface().port("hub.force")
    assert port is not None and port.scalar_names() == ["hub.force[1]", "hub.force[2]", "hub.force[3]"]
    assert port.description == "front hub: force"
    assert bench(Body).out(**{"hub.force": [1.0, 2.0, 3.0]})["hub.velocity"] == pytest.approx([2.0, 4.0, 6.0])
    assert Body.interface().feedthrough["hub.velocity[2]"] == ("hub.force[2]",)


def test_bus_members_are_inherited() -> None:
    assert list(BrakedHub.members()) == ["velocity", "force", "torque"]


def test_a_block_is_derived_from_another(bench: Any) -> None:
    class Doubled(Mixed):
        k = Parameter(4.0, "1", "k")

    assert bench(Doubled).out(a=1.0)["through"] == 4.0
    assert bench(Mixed).out(a=1.0)["through"] == 2.0


def test_words_on_the_class_are_declarations() -> None:
    assert isinstance(Mixed.k, Parameter) and Mixed.k.unit == "1"


def test_a_block_shows_nothing_on_a_map_unless_it_says_so() -> None:
    assert Mixed.scene({}) == []
