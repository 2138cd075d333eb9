"""Start values from residuals: found to rounding, the same in all back ends, and explained where there are none."""

import math
import re
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import (
    Continuous,
    DefinitionError,
    FmuError,
    Input,
    Output,
    Parameter,
    State,
    cos,
    exp,
    fabs,
    fmax,
    fmin,
    mtimes,
    sqrt,
)
from drawbar.fmus.backends import newton
from drawbar.fmus.backends.instance import open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build

BACK_ENDS = [
    InterpretedInstance,
    pytest.param(native_instance, marks=pytest.mark.compiler),
    pytest.param(lambda block, name: open_fmu(build(block), name), marks=pytest.mark.compiler),
]


class Choice(Continuous):
    """x^2 = a, with two solutions, of which the start value chooses one."""

    a = Input("1", "square", start=4.0)
    x = State(1.0, "1", "a root", solve=True, output=True)
    bounded = State(0.5, "1", "a root that is not negative", solve=True, min=0.0, max=100.0, output=True)
    free = Output("1", "what does not follow from the roots")
    twice = Output("1", "twice the root")

    def residuals(self) -> dict[str, Any]:
        return {"square": self.x**2 - self.a, "other square": 1e-12 * (self.bounded**2 - fabs(self.a))}

    def derivatives(self) -> dict[str, Any]:
        return {"x": 0.0, "bounded": 0.0}

    def outputs(self) -> dict[str, Any]:
        return {"free": 3.0, "twice": 2.0 * self.x}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_the_start_value_chooses_among_solutions(make: Any) -> None:
    for guess in (1e-6, 1.0, 50.0, -1e-3, -7.0):
        choice = make(Choice, "root")
        choice.initialize(0.0, {"x": guess})
        choice.start()
        assert choice.get(["x", "bounded"]) == [math.copysign(2.0, guess), 2.0]
        choice.close()


class Between(Continuous):
    """cos x = 0 between 0 and 3.1, where full Newton steps from either end lead to a root outside."""

    x = State(1.0, "rad", "a quarter turn", solve=True, output=True, min=0.0, max=3.1)

    def residuals(self) -> dict[str, Any]:
        return {"cosine": cos(self.x)}

    def derivatives(self) -> dict[str, Any]:
        return {"x": 0.0}


@pytest.mark.parametrize("make", BACK_ENDS)
@pytest.mark.parametrize("guess", [0.24, 2.9])
def test_an_unknown_stays_between_its_limits_on_the_way(make: Any, guess: float) -> None:
    between = make(Between, "angle")
    between.initialize(0.0, {"x": guess})
    between.start()
    assert between.get(["x"]) == pytest.approx([math.pi / 2], rel=1e-15)
    between.close()


def test_what_has_no_solution_says_which_residual_is_left_alike_in_all_back_ends(start_failure: Any) -> None:
    said = start_failure(InterpretedInstance, Choice, {"a": -1.0, "x": 0.7})
    assert re.fullmatch(
        r"part 'root': fmi2ExitInitializationMode failed: Choice 'root': no start value found for 'x': "
        r"no step leads nearer to one at x = \S+, iteration \d+; the largest residual is 'square' = 1\S*; "
        r"give a start value nearer to the solution, or check parameters and inputs",
        said,
    )


class Linkage(Continuous):
    """Two bars of length b over a gap a: its half is b cos(x)."""

    a = Parameter(1.0, "m", "gap")
    b = Parameter(1.0, "m", "length")
    c = Parameter([1.0, 1.0, 1.0, 1.0, 1.0], "1", "of no effect", size=5)
    x = State(0.5, "rad", "angle", solve=True)

    def residuals(self) -> Any:
        return {"gap": 2.0 * self.b * cos(self.x) - self.a * self.c[0]}

    def guards(self) -> Any:
        return {
            "it bends upwards": self.x > -10.0,
            "the bars are long enough": (self.x**2 + 2.0 * self.b - self.a > 0.0, "shorten a or lengthen b"),
        }

    def derivatives(self) -> Any:
        return {"x": 0.0 * self.x}


@pytest.mark.compiler
def test_a_guard_that_does_not_hold_where_no_start_is_found_is_named_with_its_advice(start_failure: Any) -> None:
    broken = "the largest residual is 'gap' = -0.5; there guard 'the bars are long enough' failed at t = 0 s: "
    advice = "the value -0.5 must be above 0; shorten a or lengthen b; not as the block declares them are a"
    for make in (InterpretedInstance, native_instance):
        said = start_failure(make, Linkage, {"a": 2.5, "x": 0.0})
        assert said.endswith(broken + advice), said
        # a guard that holds is no cause, and of many parameters some are named
        said = start_failure(make, Linkage, {"x": 0.0, "b": 4.0} | {f"c[{i}]": 2.0 for i in range(1, 6)})
        assert said.endswith(
            "or check parameters and inputs; not as the block declares them are b, c[1], c[2], c[3], c[4], c[5]"
        ), said
        said = start_failure(make, Linkage, {"a": 0.5, "x": 0.0, "b": 4.0} | {f"c[{i}]": 2.0 for i in range(1, 6)})
        assert said.endswith("are a, b, c[1], c[2], c[3], c[4] and 1 more"), said


@pytest.mark.compiler
@pytest.mark.parametrize("starts", [{"a": -1.0, "x": 0.7}, {"a": 4.0, "x": 0.0}, {"a": float("nan")}, {"a": 1e300}])
def test_back_ends_fail_with_the_same_words(starts: dict[str, float], start_failure: Any) -> None:
    said = {start_failure(make, Choice, starts) for make in (InterpretedInstance, native_instance)}
    assert len(said) == 1, said


@pytest.mark.parametrize("make", BACK_ENDS)
def test_where_the_jacobian_is_singular_the_unknown_is_named(make: Any, start_failure: Any) -> None:
    assert (
        "the residuals do not determine it at x = 0, iteration 0; the largest residual is 'square' = -4"
        in start_failure(make, Choice, {"x": 0.0})
    )
    message = start_failure(make, Choice, {"a": float("nan")})
    assert "the residuals have no value at x = 1, iteration 0; the largest residual is 'square' = nan" in message


@pytest.mark.parametrize("make", BACK_ENDS)
def test_only_what_follows_from_the_solution_waits_for_it(make: Any) -> None:
    """An output that others need first can be read while the inputs that the solution needs are not yet there."""
    choice = make(Choice, "root")
    choice.initialize(0.0, {"a": -5.0})
    assert choice.get(["free"]) == [3.0]
    for name in ("x", "twice"):
        with pytest.raises(FmuError, match="no start value found for 'x'"):
            choice.get([name])
    assert choice.reader(["twice"], np.zeros(1))() == 3
    choice.set({"a": 9.0})
    assert choice.get(["x", "twice", "bounded"]) == [3.0, 6.0, 3.0]
    choice.start()
    choice.close()


@pytest.mark.compiler
@pytest.mark.parametrize("n", [1, 3, 8, 20])
def test_equilibria_of_many_unknowns_are_exact_and_equal_whatever_the_units_of_the_residuals(n: int) -> None:
    """A network of stiffening springs, each residual in a unit of its own, from 1e-6 to 1e6."""
    random = np.random.default_rng(n)
    matrix = random.normal(size=(n, n)) + n * np.eye(n)
    loads, scales = 10.0 * random.normal(size=n), 10.0 ** random.integers(-6, 7, size=n)

    class Network(Continuous):
        load = Input("1", "load on all")
        x = State(np.zeros(n), "1", "unknowns", size=n, solve=True)
        y = Output("1", "solution", size=n)

        def residuals(self) -> dict[str, Any]:
            forces = mtimes(matrix, self.x) + self.x**3 + exp(self.x) - loads - self.load
            return {"force": forces * scales}

        def derivatives(self) -> dict[str, Any]:
            return {"x": np.zeros(n)}

        def outputs(self) -> dict[str, Any]:
            return {"y": self.x}

    found = []
    for make in (InterpretedInstance, native_instance):
        network = make(Network, "a")
        network.initialize(0.0, {"load": 1.0})
        network.start()
        found.append(np.array(network.get([f"y[{i + 1}]" for i in range(n)])))
        network.close()
    x = found[0]
    assert np.abs(matrix @ x + x**3 + np.exp(x) - loads - 1.0).max() < 1e-13
    assert np.abs(x - found[1]).max() < 1e-14
    assert np.abs(x).max() > 0.1


class Beam(Continuous):
    """A beam on three supports of heights h at -1, 0 and 1 m, that push and hardly pull; a load of 0.1 N at -0.8 m."""

    h = Input("m", "heights", size=3, start=[-0.9, 0.8, 0.2])
    z = State(0.6, "m", "height", solve=True, output=True)
    theta = State(-0.4, "rad", "tilt", solve=True, output=True)

    def residuals(self) -> dict[str, Any]:
        pressed = [self.h[i] - self.z - (i - 1.0) * self.theta for i in range(3)]
        forces = [fmax(0.0, d) + 1e-3 * fmin(0.0, d) for d in pressed]
        return {"force": sum(forces) - 0.1, "moment": forces[2] - forces[0] + 0.08}

    def derivatives(self) -> dict[str, Any]:
        return {"z": 0.0, "theta": 0.0}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_where_damped_steps_end_at_a_corner_limited_ones_find_the_solution(make: Any) -> None:
    """It stands on two of its supports, and hangs over the third."""
    beam = make(Beam, "beam")
    beam.initialize(0.0, {})
    beam.start()
    z, theta = beam.get(["z", "theta"])
    beam.close()
    pressed = np.array([-0.9, 0.8, 0.2]) - z - np.array([-1.0, 0.0, 1.0]) * theta
    assert (pressed[:2] > 0.0).all() and pressed[2] < 0.0
    forces = np.maximum(pressed, 0.0) + 1e-3 * np.minimum(pressed, 0.0)
    assert [forces.sum(), forces[2] - forces[0]] == pytest.approx([0.1, -0.08], abs=1e-12)


def test_damped_steps_alone_do_not_find_it(monkeypatch: pytest.MonkeyPatch, start_failure: Any) -> None:
    monkeypatch.setattr(newton, "SEARCHES", 0)
    assert "no step leads nearer to one" in start_failure(InterpretedInstance, Beam, {})


class Rooted(Continuous):
    """x of ``x^3 = c x``, which has three solutions: where it is looked for decides."""

    c = Parameter(4.0, "1", "square of the solutions that are not zero", min=0.1)
    side = Parameter(1.0, "1", "on which side it is looked for")
    x = State(0.1, "1", "solution", solve=True, output=True)

    def guess(self) -> dict[str, Any]:
        return {"x": 3.0 * sqrt(self.side)}

    def residuals(self) -> dict[str, Any]:
        return {"cubic": self.x**3 - self.c * self.x}

    def derivatives(self) -> dict[str, Any]:
        return {"x": 0.0 * self.x}


def rooted(kind: str, **starts: float) -> float:
    instance = InterpretedInstance(Rooted, "a") if kind == "interpreted" else native_instance(Rooted, "a")
    instance.initialize(0.0, starts)
    instance.start()
    found = instance.get(["x"])[0]
    instance.close()
    return found


@pytest.mark.parametrize("kind", ["interpreted", pytest.param("native", marks=pytest.mark.compiler)])
def test_a_block_says_where_its_solution_is_looked_for(kind: str) -> None:
    assert rooted(kind) == pytest.approx(2.0), "from 3; from the declared 0.1 it would be 0"
    assert rooted(kind, x=-5.0) == pytest.approx(-2.0), "a start value that is set wins"
    assert rooted(kind, side=-1.0) == pytest.approx(0.0, abs=1e-9), "a guess that is no number counts for nothing"


class Guarded(Continuous):
    """``x^2 + 1 = 0``, which has no solution; where it is looked for breaks a guard, or not."""

    side = Parameter(1.0, "1", "where it is looked for, in thirds of what the guard forbids")
    x = State(1.0, "1", "solution", solve=True)

    def guess(self) -> dict[str, Any]:
        return {"x": -3.0 * self.side}

    def residuals(self) -> dict[str, Any]:
        return {"square": self.x**2 + 1.0}

    def guards(self) -> dict[str, Any]:
        return {"right": (self.x > -2.5, "look further to the right")}

    def derivatives(self) -> dict[str, Any]:
        return {"x": 0.0 * self.x}


@pytest.mark.parametrize("make", [InterpretedInstance, pytest.param(native_instance, marks=pytest.mark.compiler)])
@pytest.mark.parametrize(
    ("starts", "told"),
    [
        ({}, "where the search begins guard 'right' failed at t = 0 s: the value -3 must be above -2.5; look further"),
        ({"x": -4.0}, "where the search begins guard 'right' failed at t = 0 s: the value -4 must be above -2.5"),
        ({"x": -2.0}, "= 1; give a start value nearer"),
        ({"side": -1.0}, "= 1; give a start value nearer"),
    ],
)
def test_a_guard_is_judged_where_the_search_begins(make: Any, starts: dict[str, float], told: str) -> None:
    instance = make(Guarded, "a")
    instance.initialize(0.0, starts)
    with pytest.raises(FmuError) as caught:
        instance.start()
    instance.close()
    assert told in str(caught.value)


def test_a_guess_reads_no_unknown_and_names_no_other() -> None:
    with pytest.raises(DefinitionError, match=r"guess\(\) says where residuals\(\) begins to determine it"):
        type("Circular", (Rooted,), {"guess": lambda self: {"x": self.x}}).model()
    with pytest.raises(DefinitionError, match=r"guess\(\).*'z'.*x"):
        type("Other", (Rooted,), {"guess": lambda self: {"z": 1.0}}).model()
