"""Error against macro step of each coupling algorithm, on the two-mass oscillator in force/displacement coupling.

    m1 x1'' = -k1 x1 - c1 x1' + F              first:  input F, outputs x1, v1
    m2 x2'' = -k3 x2 - c3 x2' - F              second: inputs x1, v1, output F (feeds through)
    F = k2 (x2 - x1) + c2 (x2' - x1')

Set A (the numbers of OMSimulator's DualMassOscillator test): m1 = m2 = 1 kg, k1 = k2 = 10, k3 = 20 N/m, c1 = 0.2,
c2 = 0.5, c3 = 0.3 N s/m, x2(0) = 0.5 m, the rest 0. The reference is exp(M t) z(0) of the whole system. The error is
the larger of those of x1 and x2 at t = 5 s; each side integrates with RK4 micro-steps of 1/4096 s, so that what is
left is the coupling.

    python tests/benchmarks/accuracy.py [--json] [--figure FILE.png]
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import expm

from drawbar.blocks import Continuous, Input, Output, State
from drawbar.diagrams.diagram import Diagram
from drawbar.orchestrator.simulate import simulate

M1, M2, K1, K2, K3, C1, C2, C3 = 1.0, 1.0, 10.0, 10.0, 20.0, 0.2, 0.5, 0.3
START = np.array([0.0, 0.0, 0.5, 0.0])  # x1, v1, x2, v2
T = 5.0
STEPS = [Fraction(1, n) for n in (64, 128, 256, 512)]
MICRO = Fraction(1, 4096)


class First(Continuous, step=MICRO):
    """The mass that is pushed by the coupling force."""

    F = Input("N", "coupling force")
    x1 = State(0.0, "m", "position", output=True)
    v1 = State(0.0, "m/s", "velocity", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x1": self.v1, "v1": (-K1 * self.x1 - C1 * self.v1 + self.F) / M1}


class Second(Continuous, step=MICRO):
    """The mass that carries the coupling spring and damper."""

    x1 = Input("m", "position of the other mass")
    v1 = Input("m/s", "velocity of the other mass")
    x2 = State(0.5, "m", "position", output=True)
    v2 = State(0.0, "m/s", "velocity")
    F = Output("N", "coupling force on the other mass")

    def force(self) -> Any:
        return K2 * (self.x2 - self.x1) + C2 * (self.v2 - self.v1)

    def derivatives(self) -> dict[str, Any]:
        return {"x2": self.v2, "v2": (-K3 * self.x2 - C3 * self.v2 - self.force()) / M2}

    def outputs(self) -> dict[str, Any]:
        return {"F": self.force()}


def exact(t: float) -> np.ndarray:
    """x1 and x2 of the whole system."""
    matrix = np.array(
        [
            [0.0, 1.0, 0.0, 0.0],
            [-(K1 + K2) / M1, -(C1 + C2) / M1, K2 / M1, C2 / M1],
            [0.0, 0.0, 0.0, 1.0],
            [K2 / M2, C2 / M2, -(K3 + K2) / M2, -(C3 + C2) / M2],
        ]
    )
    return (expm(matrix * t) @ START)[[0, 2]]


def oscillator(step: Fraction, algorithm: str, fmus: tuple[Path, Path] | None = None) -> Diagram:
    """The two masses, as blocks of ours or as FMUs of others."""
    made = Diagram("two_mass", step=step, stop=T, algorithm=algorithm)
    first = made.add("first", First if fmus is None else fmus[0])
    second = made.add("second", Second if fmus is None else fmus[1])
    for end in ("x1", "v1"):
        made.connect(first[end], second[end])
    made.connect(second.F, first.F)
    return made


def error(diagram: Diagram, folder: Path) -> float:
    run = simulate(diagram, out=folder, record=["first.x1", "second.x2"])
    return float(np.abs(np.array([run["first.x1"][-1], run["second.x2"][-1]]) - exact(T)).max())


def order(rows: list[tuple[float, float]]) -> float:
    """The slope between the two smallest steps."""
    (h, e), (h_half, e_half) = rows[-2:]
    return math.log(e / e_half) / math.log(h / h_half)


ALGORITHMS = ("second-order", "jacobi", "gauss-seidel", "interpolated")


def measure() -> dict[str, Any]:
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ALGORITHMS:
            found[name] = [
                (float(step), error(oscillator(step, name), Path(folder) / f"{name}-{step.denominator}"))
                for step in STEPS
            ]
    return {**found, "orders": {name: order(rows) for name, rows in found.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure()
    if options.json:
        print(json.dumps(found))
        return
    for name in ALGORITHMS:
        print(f"{name:14}", "  ".join(f"{e:.2e}" for _, e in found[name]), f"  order {found['orders'][name]:.2f}")


if __name__ == "__main__":
    main()
