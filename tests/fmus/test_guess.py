"""Where a solution is looked for, as a block says."""

from typing import Any

import pytest

from drawbar.blocks import Continuous, DefinitionError, Parameter, State, sqrt
from drawbar.fmus.interpreted import InterpretedInstance
from drawbar.fmus.native import native_instance


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


def test_a_guess_reads_no_unknown_and_names_no_other() -> None:
    with pytest.raises(DefinitionError, match=r"guess\(\) says where residuals\(\) begins to determine it"):
        type("Circular", (Rooted,), {"guess": lambda self: {"x": self.x}})
    with pytest.raises(DefinitionError, match=r"guess\(\).*'z'.*x"):
        type("Other", (Rooted,), {"guess": lambda self: {"z": 1.0}})
