"""Every mistake that can be made when a block is defined, and what its author reads."""

import math
import re
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks import (
    Bus,
    Continuous,
    DefinitionError,
    Input,
    Member,
    Output,
    Parameter,
    Sampled,
    State,
    if_else,
    sin,
)


def block(base: type = Continuous, keywords: dict[str, Any] | None = None, **body: Any) -> Callable[[], Any]:
    """What defines a class named Body with one input `u`, when called."""
    return lambda: type(base)("Body", (base,), {"u": Input("1", "signal"), **body}, **(keywords or {}))


def gives(**values: Any) -> Callable[[Any], dict[str, Any]]:
    return lambda self: values


def integrator(**body: Any) -> dict[str, Any]:
    return {"height": State(0.0, "m", "height"), "derivatives": lambda self: {"height": self.u}, **body}


def branch(self: Any) -> dict[str, Any]:
    return {"y": 1.0 if self.u > 0 else 0.0}


class Hub(Bus):
    speed = Member("m/s", "speed of the hub")
    force = Member("N", "force on the hub", back=True)


y = Output("1", "result")

CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "unit forgotten": (
        lambda: Input(3.0, "mass"),  # type: ignore[arg-type]
        "Input(3.0, 'mass'): give a unit and a meaning, in this order, both as text; the unit of a plain number is",
    ),
    "unit unknown": (block(road=Input("metre", "road")), "Body.road: unit 'metre': 'metre' is unknown"),
    "unit misspelt": (block(road=Input("barr", "p")), "Body.road: unit 'barr': 'barr' is unknown; did you mean 'bar'?"),
    "unit with two strokes": (
        block(road=Input("m/s/s", "a")),
        "Body.road: unit 'm/s/s' is not understood; write it as in 'N.s/m' or 'm/s2', and '1' for none",
    ),
    "unit with a stray sign": (block(road=Input("m s", "a")), "Body.road: unit 'm s': 'm s' is not understood"),
    "name of an importer": (block(der=Input("m", "a")), "Body.der: 'der' cannot be a name in every importing tool"),
    "name with underscore": (block(_x=Input("m", "a")), "Body._x: '_x' cannot be a name in every importing tool"),
    "name too long": (block(**{"a" * 56: Input("m", "a")}), f"Body.{'a' * 56}: 56 characters; names end at 55"),
    "size zero": (block(a=Input("m", "a", size=0)), "Body.a: size=(0,); give one or two positive whole numbers"),
    "size no whole number": (block(a=Input("m", "a", size=1.5)), "Body.a: size=(1.5,); give one or two"),  # type: ignore[arg-type]
    "size a truth value": (block(a=Input("m", "a", size=True)), "Body.a: size=(True,); give one or two"),
    "size a text": (block(a=Input("m", "a", size="3")), "Body.a: size=('3',); give one or two"),
    "size too large": (
        block(a=Input("m", "a", size=10**9)),
        "Body.a: size=(1000000000,) are 1000000000 scalars; at most 100000 are taken",
    ),
    "size too large by rows and columns": (
        block(a=Parameter(0.0, "m", "a", size=(1000, 101))),
        "Body.a: size=(1000, 101) are 101000 scalars; at most 100000 are taken",
    ),
    "three dimensions": (block(a=Input("m", "a", size=(1, 2, 3))), "Body.a: size=(1, 2, 3); give one or two"),
    "start of another shape": (
        block(a=Parameter([1.0, 2.0], "m", "a", size=3)),
        "Body.a: start has shape (2,), the variable (3,)",
    ),
    "start outside": (block(a=Parameter(-1.0, "m", "a", min=0.0)), "Body.a = -1 is too small; it must be at least 0 m"),
    "start not finite": (block(a=Parameter(math.nan, "m", "a")), "Body.a = nan: not a finite number"),
    "start of an integer beyond 32 bits": (
        block(a=Parameter(3e9, "1", "a", type=int)),
        "Body.a = 3000000000 is beyond the 32-bit integers of FMI 2.0",
    ),
    "start of an integer not whole": (
        block(a=Parameter(1.5, "1", "a", type=int)),
        "Body.a = 1.5, but it is of type Integer",
    ),
    "start of a Boolean a number": (
        block(a=Parameter(2.0, "1", "a", type=bool)),
        "Body.a = 2, but it is of type Boolean",
    ),
    "limit of an integer not whole": (
        block(a=Parameter(1, "1", "a", type=int, min=0.5)),
        "Body.a: min = 0.5, but it is of type Integer",
    ),
    "limit of an integer beyond 32 bits": (
        block(a=Parameter(1, "1", "a", type=int, max=1e12)),
        "Body.a: max = 1000000000000 is beyond the 32-bit integers",
    ),
    "case": (block(U=Input("1", "a")), "Body: 'U' and 'u' differ only in case; rename one"),
    "assigned": (
        block(y=y, outputs=lambda self: setattr(self, "y", self.u)),
        "'y' cannot be assigned; return it in a dict: {'y': ...}",
    ),
    "undeclared result": (
        block(**integrator(derivatives=gives(heigth=1.0))),
        "Body.derivatives() sets 'heigth', which is not declared; did you mean 'height'?",
    ),
    "result of another method": (
        block(**integrator(y=y, derivatives=gives(height=1.0, y=2.0), outputs=gives(y=1.0))),
        "Body.derivatives() sets 'y', which is not its to set",
    ),
    "result missing": (
        block(**integrator(derivatives=gives())),
        "Body.derivatives() does not return 'height'; it is empty",
    ),
    "one of two missing": (
        block(y=y, y2=Output("1", "b"), outputs=gives(y=1.0)),
        "Body.outputs() does not return 'y2'",
    ),
    "no outputs()": (block(y=y), "Body has no outputs() but declares 'y', which it must return"),
    "no derivatives()": (block(x=State(0.0, "1", "x")), "Body has no derivatives() but declares 'x'"),
    "no update()": (
        block(Sampled, {"period": 0.1}, x=State(0.0, "1", "x")),
        "Body has no update() but declares 'x', which it must return",
    ),
    "returns no dict": (
        block(y=y, outputs=lambda self: self.u),
        "Body.outputs() returns a SX; return a dict by variable",
    ),
    "no expression": (block(y=y, outputs=gives(y="one")), "Body.outputs() gives 'y' a str, not an expression"),
    "wrong shape": (
        block(y=Output("m", "p", size=3), outputs=gives(y=[1.0, 2.0])),
        "Body.outputs() gives 'y' shape (2, 1), but its declaration says (3, 1)",
    ),
    "name misspelt": (
        block(y=y, mass=Parameter(1.0, "kg", "m"), outputs=lambda self: {"y": self.mas}),
        "Body has no variable or method 'mas'; did you mean 'mass'?",
    ),
    "reads a result": (
        block(y=y, z=Output("1", "z"), outputs=lambda self: {"y": self.z, "z": self.u}),
        "'z' is a result, equations cannot read it; put its expression in a method and call that",
    ),
    "if on a symbol": (
        block(y=y, outputs=branch),
        "Python's `if`, `and`, `or`, min() and max() cannot look into an equation; use if_else(condition, a, b)",
    ),
    "shapes do not fit": (
        block(y=y, a=Input("1", "a", size=2), b=Input("1", "b", size=3), outputs=lambda self: {"y": self.a + self.b}),
        "Body.outputs() (test_block.py:",
    ),
    "Python's own error": (block(y=y, outputs=lambda self: {"y": 1 / 0}), "ZeroDivisionError: division by zero"),
    "foreign symbol": (block(y=y, outputs=gives(y=ca.SX.sym("alien"))), "Body.outputs(): "),
    "method of integration": (block(keywords={"method": "rk5"}), "Body: method='rk5'; did you mean 'rk4'?"),
    "step zero": (block(keywords={"step": 0.0}), "Body: step: 0.0 s is not positive"),
    "period forgotten": (block(Sampled), "Body: say how often it acts: class Body(Sampled, period=0.01)"),
    "period negative": (block(Sampled, {"period": -0.1}), "Body: period: -0.1 s is not positive"),
    "period irrational": (
        block(Sampled, {"period": math.pi}),
        "Body: period: 3.141592653589793 s is no simple fraction of a second; write it as a string such as '1/30'",
    ),
    "period infinite": (block(Sampled, {"period": math.inf}), "Body: period: inf is no number of seconds"),
    "period over zero": (block(Sampled, {"period": "1/0"}), "Body: period: '1/0' is no number of seconds"),
    "period a word": (block(Sampled, {"period": "fast"}), "Body: period: 'fast' is no number of seconds"),
    "sampled state as output": (
        block(Sampled, {"period": 0.1}, x=State(0.0, "1", "x", output=True), update=gives(x=1.0)),
        "Body.x: a sampled state is no output; return it from outputs()",
    ),
    "bus without members": (lambda: type("Empty", (Bus,), {}).source("hub"), "bus Empty has no Member"),
    "bus member misspelt": (
        block(y=y, hub=Hub.sink("wheel"), outputs=lambda self: {"y": self.hub.spead, "hub.force": 0.0}),
        "Body.hub has no member 'spead'; did you mean 'speed'?",
    ),
    "bus member not returned": (
        block(hub=Hub.sink("wheel"), outputs=gives()),
        "Body.outputs() does not return 'hub.force'",
    ),
    "function of Python's math": (
        block(y=y, outputs=lambda self: {"y": math.sqrt(self.u)}),
        "float() and the functions of Python's math module need a number, not a symbol, and so do arrays of numbers; "
        "use sin, sqrt, exp, vertcat",
    ),
    "array of numbers": (
        block(y=y, outputs=lambda self: {"y": np.array([self.u, 1.0], float)[0]}),
        "need a number, not a symbol, and so do arrays of numbers",
    ),
    "function of numpy": (
        block(y=y, outputs=lambda self: {"y": np.where(self.u > 0, 1.0, 0.0)}),
        "numpy.where() needs numbers, not a symbol; use if_else from drawbar.blocks",
    ),
    "three dimensions of a result": (
        block(y=y, outputs=gives(y=np.ones((1, 1, 1)))),
        "Body.outputs() gives 'y': an array of shape (1, 1, 1) has too many dimensions",
    ),
    "arguments of a function": (
        block(y=y, outputs=lambda self: {"y": sin(self.u, 1.0)}),
        "Wrong number or type of arguments for overloaded function 'sin'.",
    ),
    "number of a symbol": (block(y=y, outputs=lambda self: {"y": float(self.u)}), "need a number, not a symbol"),
    "class name that is no C name": (
        lambda: type(Continuous)("Größe", (Continuous,), {}),
        "class Größe: a block's name becomes a C name",
    ),
    "word of Drawbar": (block(scene=Input("1", "s")), "Body.scene: blocks have this word already"),
    "word of sampled blocks": (
        block(Sampled, {"period": 1}, period=Input("s", "p")),
        "Body.period: blocks have this word already",
    ),
    "abstract": (
        lambda: block(keywords={"abstract": True})().model(),
        "Body is abstract; use a block derived from it",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    make, text = CASES[case]
    with pytest.raises(DefinitionError, match=re.escape(text)) as caught:
        make().model()
    assert "\n" not in str(caught.value)


def test_the_line_of_the_mistake_is_named() -> None:
    with pytest.raises(DefinitionError) as caught:
        block(y=y, outputs=branch)().model()
    assert f"(test_block.py:{branch.__code__.co_firstlineno + 1})" in str(caught.value)


def test_the_same_block_written_rightly_is_accepted() -> None:
    right = block(y=y, outputs=lambda self: {"y": if_else(self.u > 0, 1.0, 0.0)})()
    assert [p.name for p in right.interface().ports] == ["u", "y"]


def test_numbers_may_still_be_computed_with_python() -> None:
    """Negative control: math on numbers is fine, and nothing of CasADi stays changed after a mistake."""
    before = ca.SX.__float__
    with pytest.raises(DefinitionError):
        block(y=y, outputs=lambda self: {"y": math.sin(self.u)})().model()
    assert ca.SX.__float__ is before
    right = block(y=y, outputs=lambda self: {"y": math.sqrt(float(ca.SX(4.0))) * self.u})()
    assert float(right.model().out(0, [], [], [3.0], [])) == 6.0


@pytest.mark.parametrize(("size", "shape"), [(np.int64(3), (3,)), ([2, 3], (2, 3)), (100_000, (100_000,))])
def test_sizes_that_are_whole_numbers_are_taken(size: Any, shape: tuple[int, ...]) -> None:
    """Negative control, at the limit too."""
    port = block(a=Input("m", "a", size=size))().interface().port("a")
    assert port.shape == shape
    assert all(type(n) is int for n in port.shape)
