"""Mistakes in ``derived()``, ``initial()``, ``residuals()`` and ``guards()`` are named when the block is traced."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks import (
    Continuous,
    DefinitionError,
    Derived,
    Input,
    Output,
    Parameter,
    Sampled,
    State,
    if_else,
    logic_and,
    mtimes,
)


def define(bases: type = Continuous, **methods: Any) -> type[Continuous]:
    """A block with parameters a and b, Derived c and d, an input, an exact and a solved state, an output."""

    class Base(bases, abstract=True):  # type: ignore[misc]
        a = Parameter(1.0, "1", "parameter")
        b = Parameter(2.0, "1", "parameter", tunable=True)
        c = Derived("1", "calculated")
        d = Derived("1", "calculated")
        speed = Input("1", "input")
        x = State(0.0, "1", "state")
        y = State(0.0, "1", "state", solve=True)
        out = Output("1", "output")

        def derived(self) -> dict[str, Any]:
            return {"c": self.a, "d": self.b}

        def derivatives(self) -> dict[str, Any]:
            return {"x": 0, "y": 0}

        def residuals(self) -> dict[str, Any]:
            return {"r": self.y - self.c}

        def outputs(self) -> dict[str, Any]:
            return {"out": self.x}

    return type("Case", (Base,), methods)


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({"derived": lambda s: {"c": 1}}, r"Case.derived\(\) does not return 'd'"),
    "misspelt": (
        {"derived": lambda s: {"c": 1, "D": 1}},
        r"derived\(\) sets 'D', which is not declared; there are: a, b",
    ),
    "extra": ({"derived": lambda s: {"c": 1, "d": 1, "x": 1}}, r"derived\(\) sets 'x', which is not its to set"),
    "input": (
        {"derived": lambda s: {"c": s.speed, "d": 1}},
        r"derived\(\).*: 'speed' cannot be read here: derived\(\) reads parameters and Derived, not inputs, states or",
    ),
    "state": ({"derived": lambda s: {"c": s.x, "d": 1}}, r"'x' cannot be read here"),
    "time": ({"derived": lambda s: {"c": s.time, "d": 1}}, r"'time' cannot be read here: derived\(\) reads parameters"),
    "result": ({"derived": lambda s: {"c": s.out, "d": 1}}, r"'out' is a result, equations cannot read it"),
    "near": ({"derived": lambda s: {"c": s.sped, "d": 1}}, r"no variable or method 'sped'; did you mean 'speed'\?"),
    "circle": (
        {"derived": lambda s: {"c": s.d + s.a, "d": 2 * s.c}},
        r"Case.derived\(\) calculates in a circle: c <- d <- c$",
    ),
    "itself": ({"derived": lambda s: {"c": s.c, "d": 1}}, r"calculates in a circle: c <- c$"),
    "shape": ({"derived": lambda s: {"c": [1, 2], "d": 1}}, r"derived\(\) gives 'c' shape \(2, 1\), but its decl"),
    "assigned": ({"derived": lambda s: setattr(s, "c", 1)}, r"'c' cannot be assigned; return it in a dict"),
    "initial misspelt": ({"initial": lambda s: {"xx": 1}}, r"initial\(\) sets 'xx', which is not declared"),
    "initial of an output": (
        {"initial": lambda s: {"out": 1}},
        r"initial\(\) sets 'out', which is not its to set; there are: x, y",
    ),
    "initial of a solved one": (
        {"initial": lambda s: {"y": 1}},
        r"initial\(\) gives 'y', which is declared with solve=True: residuals\(\) determines it; remove one",
    ),
    "initial from a solved one": (
        {"initial": lambda s: {"x": s.y}},
        r"initial\(\).*: 'y' cannot be read here: residuals\(\) determines it after initial\(\)",
    ),
    "initial from itself": ({"initial": lambda s: {"x": s.x + 1}}, r"initial\(\) calculates in a circle: x <- x"),
    "no residuals": (
        {"residuals": None},
        r"Case.y is declared with solve=True, but there is no residuals\(\) to solve",
    ),
    "too many": (
        {"residuals": lambda s: {"r": s.y, "force": s.y}},
        r"residuals\(\) returns 2 residuals \(r, force\) for 1 unknowns \(y, declared with solve=True\); there must be",
    ),
    "none": ({"residuals": lambda s: {}}, r"returns 0 residuals \(none\) for 1 unknowns"),
    "residual without unknowns": ({"residuals": lambda s: {"r": s.x}}, r"no residual depends on 'y', so none can det"),
    "residual is no expression": ({"residuals": lambda s: {"r": "y"}}, r"residuals\(\) gives 'r' a str, not an expr"),
    "residual without name": ({"residuals": lambda s: {" ": s.y}}, r"names a residual ' ': give it a name of some wor"),
    "no dict": ({"residuals": lambda s: s.y}, r"residuals\(\) returns a SX; return a dict by variable name"),
    "constant": (
        {"guards": lambda s: {"g": True}},
        r"guards\(\): 'g' is the constant True; compare something, as in s",
    ),
    "numpy constant": ({"guards": lambda s: {"g": np.float64(1) > 2}}, r"guards\(\): 'g' is the constant False"),
    "constant expression": ({"guards": lambda s: {"g": s.x**2 >= 0}}, r"'g' is constant, always true"),
    "constant part": ({"guards": lambda s: {"g": logic_and(s.x > 0, 1)}}, r"'g' is a number, not a condition|constant"),
    "number": ({"guards": lambda s: {"g": s.x - 1}}, r"guards\(\): 'g' is a number, not a condition; compare someth"),
    "choice": ({"guards": lambda s: {"g": if_else(s.x > 0, s.a > 0, 1)}}, r"'g' is a number, not a condition"),
    "text": ({"guards": lambda s: {"g": "x > 0"}}, r"guards\(\): 'g' is a str; compare something"),
    "name": ({"guards": lambda s: {3: s.x > 0}}, r"guards\(\) has the text 3: give it a name of some words"),
    "lines": ({"guards": lambda s: {"a\nb": s.x > 0}}, r"has the text 'a\\nb': it holds a character that cannot"),
    "long": ({"guards": lambda s: {"g": (s.x > 0, "x" * 101)}}, r"101 characters; keep to 100"),
    "chain": ({"guards": lambda s: {"g": 0 < s.x < 1}}, r"Python's `if`, `and`, `or`, min\(\) and max\(\) cannot"),
    "guard": (
        {"guard": lambda s: {"g": s.x > 0}},
        r"Case.guard\(\): Drawbar calls no such method; did you mean guards",
    ),
    "initials": ({"inital": lambda s: {"x": 1}}, r"did you mean initial\(\)\?"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_named(case: str) -> None:
    methods, message = MISTAKES[case]
    with pytest.raises(DefinitionError, match=message):
        define(**methods).model()


def test_without_a_mistake_the_block_is_defined() -> None:
    block = define(
        guards=lambda s: {"g": s.x >= 0, "h": (s.c < s.d, "do this")}, initial=lambda s: {"x": s.speed + s.d}
    )
    model = block.model()
    assert [(p.name, p.causality, p.variability) for p in model.p] == [
        ("a", "parameter", "fixed"),
        ("b", "parameter", "tunable"),
        ("c", "calculatedParameter", "fixed"),
        ("d", "calculatedParameter", "tunable"),
    ]
    assert [(p.name, p.initial, p.start) for p in model.x] == [("x", "calculated", ()), ("y", "approx", (0.0,))]
    assert model.interface.initial_feedthrough == {
        "x": ("speed", "b"),
        "y": ("a",),
        "out": ("speed", "b"),
        "c": ("a",),
        "d": ("b",),
    }


def test_residuals_without_an_unknown_are_refused() -> None:
    with pytest.raises(DefinitionError, match=r"residuals\(\): no State is declared with solve=True"):

        class Fixed(Continuous):
            x = State(0.0, "1", "state")

            def derivatives(self) -> dict[str, Any]:
                return {"x": 0}

            def residuals(self) -> dict[str, Any]:
                return {"r": self.x}

        Fixed.model()


def test_unknowns_that_the_residuals_cannot_determine_are_refused() -> None:
    class Three(Continuous, abstract=True):
        x = State([0.0, 0.0, 0.0], "1", "states", size=3, solve=True)

        def derivatives(self) -> dict[str, Any]:
            return {"x": [0, 0, 0]}

    with pytest.raises(
        DefinitionError, match=r"r\[1\], r\[2\], r\[3\] cannot determine x\[1\], x\[2\], x\[3\]: some of"
    ):

        class Twice(Three):
            def residuals(self) -> dict[str, Any]:
                return {"r": [self.x[0], self.x[0] - 1, self.x[1] + self.x[2]]}

        Twice.model()

    with pytest.raises(
        DefinitionError, match=r"'r\[2\]' depends on none of x\[1\], x\[2\], x\[3\], so it determines nothing"
    ):

        class Idle(Three):
            def residuals(self) -> dict[str, Any]:
                return {"r": [self.x[0] + self.x[1] + self.x[2], self.time, self.x[1]]}

        Idle.model()


def test_sampled_states_are_not_solved_for_and_whole_numbers_neither() -> None:
    with pytest.raises(DefinitionError, match=r"Held.z: a sampled state is not solved for; initial\(\) may give it"):

        class Held(Sampled, period=0.1):
            z = State(0.0, "1", "state", solve=True)

    with pytest.raises(DefinitionError, match="only real numbers are solved for; leave out solve"):
        State(0, "1", "count", type=int, solve=True)
    with pytest.raises(DefinitionError, match=r"a Derived has no start value; derived\(\) gives it"):
        Derived("m", "radius", start=1.0)


def test_arrays_are_derived_and_checked_by_element() -> None:
    class Arrays(Continuous):
        """Matrices in row-major order."""

        scale = Parameter([1.0, 2.0], "1", "scales", size=2)
        first = Derived("1", "matrix", size=(2, 2))
        second = Derived("1", "row sums, of which each element reads another", size=2)
        out = Output("1", "product", size=2)

        def derived(self) -> dict[str, Any]:
            return {
                "second": [self.first[0, 0] + self.first[0, 1], self.second[0] + self.first[1, 1]],
                "first": [[self.scale[0], 3.0], [self.scale[1], 4.0]],
            }

        def outputs(self) -> dict[str, Any]:
            return {"out": mtimes(self.first, self.second)}

    from drawbar.fmus.backends.interpreted import InterpretedInstance

    instance = InterpretedInstance(Arrays, "a")
    instance.initialize(0.0, {"scale[2]": 5.0})
    assert instance.get(["first[1,2]", "first[2,1]", "second[1]", "second[2]"]) == [3.0, 5.0, 4.0, 8.0]
    assert instance.get(["out[1]", "out[2]"]) == [28.0, 52.0]
    assert Arrays.interface().initial_feedthrough["second[2]"] == ("scale[1]",)


def test_the_bench_of_block_tests_fills_in_what_is_derived(bench: Any) -> None:
    class Disk(Continuous):
        mass = Parameter(2.0, "kg", "mass")
        radius = Parameter(3.0, "m", "radius")
        inertia = Derived("kg.m2", "moment of inertia")
        out = Output("kg.m2", "the same")

        def derived(self) -> dict[str, Any]:
            return {"inertia": 0.5 * self.mass * self.radius**2}

        def outputs(self) -> dict[str, Any]:
            return {"out": self.inertia}

    assert bench(Disk).out() == {"out": 9.0}
    assert bench(Disk, mass=4.0).out() == {"out": 18.0}
