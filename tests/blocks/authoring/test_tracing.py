"""What is traced: kinds of variable, inheritance."""

from typing import Any

from drawbar.blocks import Parameter


def test_kinds_of_variable(mixed: Any) -> None:
    kinds = {p.name: (p.causality, p.variability, p.initial) for p in mixed.interface().ports}
    assert kinds["a"] == ("input", "continuous", None)
    assert kinds["k"] == ("parameter", "tunable", "exact")
    assert kinds["s"] == ("output", "continuous", "exact")
    assert kinds["through"] == ("output", "continuous", "calculated")
    assert kinds["shown"] == ("local", "continuous", "calculated")


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
