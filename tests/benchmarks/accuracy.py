"""Error against macro step of each coupling algorithm, on the two-mass oscillator of two_mass.py.

The error is the larger of those of the two positions at the end, from the exact motion of the whole system. Cases:

- each algorithm of ours, sides as blocks of ours;
- ``..., foreign``: both sides are C FMUs of tests/foreign, which solve each step exactly; side 2, whose force feeds
  through, gives directional derivatives;
- ``..., foreign, plain``: it gives none, so nothing can be read afresh: first order, as `accuracy_notes` says;
- ``..., mixed``: side 1 is ours, side 2 foreign;
- ``..., quarter car``: the sides are ours, body and wheel of a car on a road that steps up.

`orders` are the slopes between the two smallest steps; `stated_orders` and `accuracy_notes` are what run.json says of
them.

    python tests/benchmarks/accuracy.py [--json] [--figure FILE.png]
"""

from __future__ import annotations

import argparse
import json
import math
import runpy
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from two_mass import OURS, QUARTER_CAR, SET_A, Numbers, Side, oscillator

from drawbar.diagrams.model.master_settings import ALGORITHMS
from drawbar.orchestrator.simulate import simulate

STEPS = [Fraction(1, n) for n in (64, 128, 256, 512)]
BUILDER = Path(__file__).parents[1] / "foreign" / "builder.py"


class Case(NamedTuple):
    algorithm: str
    sides: tuple[Side, Side] = OURS
    numbers: Numbers = SET_A


def cases(folder: Path) -> dict[str, Case]:
    build = runpy.run_path(str(BUILDER))["build"]
    made: dict[str, Case] = {name: Case(name) for name in ALGORITHMS}
    plain = [build(folder, "oscillator", name=f"plain{side}", side=side) for side in (1, 2)]
    derived = build(folder, "oscillator", name="derived2", side=2, providesDirectionalDerivative=True)
    sloped = [
        build(folder, "oscillator", name=f"sloped{side}", side=side, canInterpolateInputs=True) for side in (1, 2)
    ]
    made["second-order, foreign"] = Case("second-order", (plain[0], derived))
    made["second-order, foreign, plain"] = Case("second-order", (plain[0], plain[1]))
    made["second-order, mixed"] = Case("second-order", (OURS[0], derived))
    made["jacobi, foreign"] = Case("jacobi", (plain[0], plain[1]))
    made["interpolated, foreign"] = Case("interpolated", (sloped[0], sloped[1]))
    made |= {f"{name}, quarter car": Case(name, numbers=QUARTER_CAR) for name in ALGORITHMS}
    return made


def run(case: Case, step: Fraction, folder: Path) -> tuple[float, dict[str, Any]]:
    """The error in metres, and what run.json says."""
    diagram = oscillator(step, case.algorithm, case.sides, case.numbers)
    done = simulate(diagram, out=folder, record=["first.x", "second.x"])
    reached = np.array([done["first.x"][-1], done["second.x"][-1]])
    return float(np.abs(reached - case.numbers.exact()).max()), dict(done.info)


def order(rows: list[tuple[float, float]]) -> float:
    """The slope between the two smallest steps."""
    (h, e), (h_half, e_half) = rows[-2:]
    return math.log(e / e_half) / math.log(h / h_half)


def measure() -> dict[str, Any]:
    found: dict[str, list[tuple[float, float]]] = {}
    said: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for number, (name, case) in enumerate(cases(Path(folder)).items()):
            found[name] = []
            for step in STEPS:
                e, said[name] = run(case, step, Path(folder) / f"{number}-{step.denominator}")
                found[name].append((float(step), e))
    return {
        **found,
        "orders": {name: order(rows) for name, rows in found.items()},
        "stated_orders": {name: info["order"] for name, info in said.items()},
        "accuracy_notes": {name: info["accuracy_notes"] for name, info in said.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--figure", metavar="FILE.png", type=Path, help="draw it (needs Chromium or Chrome)")
    options = parser.parse_args()
    found = measure()
    if options.figure is not None:
        from accuracy_figure import draw  # Bokeh takes a while to import

        draw(found, options.figure)
    if options.json:
        print(json.dumps(found))
        return
    print(f"{'':30}", "  ".join(f"{f'1/{step.denominator}':>8}" for step in STEPS))
    for name, slope in found["orders"].items():
        print(f"{name:30}", "  ".join(f"{e:8.2e}" for _, e in found[name]), f"  order {slope:.2f}")
    for name, said in found["accuracy_notes"].items():
        print("".join(f"\n{name}: {text}" for text in said), end="\n" if said else "")


if __name__ == "__main__":
    main()
