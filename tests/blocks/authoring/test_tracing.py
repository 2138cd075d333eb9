"""What is traced: kinds of variable, samples, inheritance."""

from typing import Any

from drawbar.blocks import Continuous, Input, Local, Output, Parameter, Sampled, State


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


def test_a_block_is_derived_from_another(bench: Any) -> None:
    class Doubled(Mixed):
        k = Parameter(4.0, "1", "k")

    assert bench(Doubled).out(a=1.0)["through"] == 4.0
    assert bench(Mixed).out(a=1.0)["through"] == 2.0


def test_words_on_the_class_are_declarations() -> None:
    assert isinstance(Mixed.k, Parameter) and Mixed.k.unit == "1"


def test_a_block_shows_nothing_on_a_map_unless_it_says_so() -> None:
    assert Mixed.scene({}) == []


def test_the_first_line_of_the_docstring_describes_the_block() -> None:
    class Documented(Mixed):
        """A block with a text.

        A second paragraph.
        """

    class Undocumented(Mixed):
        pass

    assert Documented.interface().description == "A block with a text."
    assert Undocumented.interface().description == ""
