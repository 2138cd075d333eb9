"""What is traced: kinds of variable, samples, inheritance."""

from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, State


def test_kinds_of_variable(mixed: Any) -> None:
    kinds = {p.name: (p.causality, p.variability, p.initial) for p in mixed.interface().ports}
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


def test_a_block_is_derived_from_another(bench: Any, mixed: Any) -> None:
    class Doubled(mixed):
        k = Parameter(4.0, "1", "k")

    assert bench(Doubled).out(a=1.0)["through"] == 4.0
    assert bench(mixed).out(a=1.0)["through"] == 2.0


def test_words_on_the_class_are_declarations(mixed: Any) -> None:
    assert isinstance(mixed.k, Parameter) and mixed.k.unit == "1"


def test_a_block_shows_nothing_on_a_map_unless_it_says_so(mixed: Any) -> None:
    assert mixed.scene({}) == []


def test_the_first_line_of_the_docstring_describes_the_block(mixed: Any) -> None:
    class Documented(mixed):
        """A block with a text.

        A second paragraph.
        """

    class Undocumented(mixed):
        pass

    assert Documented.interface().description == "A block with a text."
    assert Undocumented.interface().description == ""
