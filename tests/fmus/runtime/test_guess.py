"""Where a solution is looked for, as a block says."""

from typing import Any

import pytest

from drawbar.blocks import Continuous, DefinitionError, FmuError, Parameter, State, sqrt
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance


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
        type("Circular", (Rooted,), {"guess": lambda self: {"x": self.x}})
    with pytest.raises(DefinitionError, match=r"guess\(\).*'z'.*x"):
        type("Other", (Rooted,), {"guess": lambda self: {"z": 1.0}})
