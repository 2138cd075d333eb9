"""The order of the error where the two sides of the two-mass oscillator step at different rates.

Foreign FMUs that solve each step exactly, one with a fixed step four times the macro step; the reference is the matrix
exponential of the whole (set A of tests/benchmarks/two_mass.py).
"""

import math
import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.simulate import simulate

BUILD = runpy.run_path(str(Path(__file__).parents[2] / "foreign" / "builder.py"))["build"]
WHOLE = np.array([[0, 1, 0, 0], [-20, -0.7, 10, 0.5], [0, 0, 0, 1], [10, 0.5, -30, -0.8]])
STARTS = ({"k": 10.0, "c": 0.2}, {"k": 20.0, "c": 0.3, "k2": 10.0, "c2": 0.5, "x": 0.5})
STOP, RATIO = 5.0, 4


def error(folder: Path, n: int, slow: int, algorithm: str) -> tuple[float, int]:
    """The error of the positions at the end, and the order that the run states."""
    folder.mkdir()
    fixed = {"canHandleVariableCommunicationStepSize": False, "stepSize": RATIO / n}
    sides = [
        BUILD(
            folder,
            "oscillator",
            name=f"side{side}",
            side=side,
            starts=STARTS[side - 1],
            providesDirectionalDerivative=True,
            **(fixed if side == slow else {}),
        )
        for side in (1, 2)
    ]
    d = Diagram("rates", step=Fraction(1, n), stop=STOP, algorithm=algorithm)
    first, second = d.add("first", sides[0]), d.add("second", sides[1])
    d.connect(first.x, second.x1)
    d.connect(first.v, second.v1)
    d.connect(second.F, first.F)
    run = simulate(d, out=folder / "run")
    exact = (expm(WHOLE * STOP) @ [0.0, 0.0, 0.5, 0.0])[[0, 2]]
    end = np.array([run["first.x"][-1], run["second.x"][-1]])
    return float(np.abs(end - exact).max()), run.info["order"]


@pytest.mark.compiler
@pytest.mark.parametrize("slow", [1, 2])
@pytest.mark.parametrize(("algorithm", "order"), [("second-order", 2), ("interpolated", 2), ("jacobi", 1)])
def test_two_rates_have_the_order_of_one(slow: int, algorithm: str, order: int, tmp_path: Path) -> None:
    (coarse, stated), (fine, _) = (error(tmp_path / str(n), n, slow, algorithm) for n in (256, 512))
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.1)
    assert stated == order
