"""What the master costs: 8 first-order lags in a chain, Jacobi coupling with hold, one Euler micro-step a step.

Microseconds of CPU time per part and macro step, the least of several repeats:

- ``bare_c_us``: the same calls on the same binaries in a bare C loop, without status or NaN checks (the floor);
- ``drawbar_us``: the master in C with status and NaN checks, nothing recorded;
- ``fmpy_us``: FMPy's FMU2Slave driven from a Python loop (its list interface).

``ratio_to_bare`` and ``ratio_to_fmpy`` do not depend on the machine. ``ring_end`` is where a ring of 8 lags settles
that starts at (8, 0, ..., 0): under Jacobi coupling the sum of its states is conserved, so all must reach 1.0 but for
the last bits (a Gauss-Seidel order ends at 0.999875, zeros in place of the initial outputs at 0.999).

    python tests/benchmarks/master.py [--json] [--steps 100000]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bare import Unit, load, unit

from drawbar.blocks import Continuous, Input, Parameter, State
from drawbar.diagrams.diagram import Diagram
from drawbar.fmus.description import read_description
from drawbar.fmus.instance import FmuInstance
from drawbar.fmus.package import build
from drawbar.orchestrator.master import Master
from drawbar.orchestrator.plan import make_plan

N, STEP, RATE, REPEATS = 8, 1e-3, 100.0, 7


class EulerLag(Continuous, method="euler", step=STEP):
    """A lag y' = k (u - y), one explicit Euler micro-step to a millisecond."""

    u = Input("1", "signal to follow")
    k = Parameter(RATE, "1/s", "rate")
    y = State(0.0, "1", "delayed signal", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": self.k * (self.u - self.y)}


def instances(fmu: Path) -> dict[str, FmuInstance]:
    description = read_description(fmu)
    return {f"lag{i}": FmuInstance(description, f"lag{i}") for i in range(N)}


def start(parts: dict[str, FmuInstance], first: dict[str, float]) -> None:
    for i, instance in enumerate(parts.values()):
        instance.initialize(0.0, first if i == 0 else {})
    for instance in parts.values():
        instance.start()


def diagram(closed: bool) -> Diagram:
    made = Diagram("ring" if closed else "chain", step=STEP, stop=1.0)
    parts = [made.add(f"lag{i}", EulerLag) for i in range(N)]
    for a, b in zip(parts, parts[1:] + parts[:1] if closed else parts[1:], strict=False):
        made.connect(a.y, b.u)
    return made


def cost(run: Callable[[int], object], steps: int) -> float:
    """The least CPU time of several repeats, us per part and step."""
    best = float("inf")
    for _ in range(REPEATS):
        began = time.process_time()
        run(steps)
        best = min(best, (time.process_time() - began) / steps / N * 1e6)
    return best


def bare_c(fmu: Path, steps: int) -> tuple[float, float]:
    library, parts = load(), instances(fmu)
    start(parts, {"u": 1.0})
    units = (Unit * N)(*[unit(p, "u", "y") for p in parts.values()])
    values = np.zeros(N)
    best = cost(lambda n: library.chain(units, N, values.ctypes.data, 1.0, STEP, n), steps)
    return best, float(values[-1])


def drawbar(fmu: Path, steps: int, closed: bool = False) -> tuple[float, np.ndarray]:
    parts = instances(fmu)
    start(parts, {"y": 8.0} if closed else {"u": 1.0})
    master = Master(make_plan(diagram(closed)), parts, record=False)
    assert master.exchange() is None
    best = cost(lambda n: master.advance(master.tick + n), steps)
    assert master.tick == REPEATS * steps
    return best, master.values.copy()


def fmpy(fmu: Path, steps: int) -> float:
    parts = instances(fmu)
    start(parts, {"u": 1.0})
    slaves = [p._slave for p in parts.values()]
    u, y = (int(r) for r in next(iter(parts.values())).references(["u", "y"]))

    def run(n: int) -> None:
        values = [0.0] * N
        for k in range(n):
            for i in range(1, N):
                slaves[i].setReal([u], [values[i - 1]])
            for slave in slaves:
                slave.doStep(currentCommunicationPoint=k * STEP, communicationStepSize=STEP)
            for i, slave in enumerate(slaves):
                values[i] = slave.getReal([y])[0]

    return cost(run, max(200, steps // 200))


def measure(steps: int) -> dict[str, float]:
    fmu = build(EulerLag)
    floor, bare_end = bare_c(fmu, steps)
    ours, chain_values = drawbar(fmu, steps)
    assert chain_values[-1] == bare_end, "the two loops must do the same"
    peer = fmpy(fmu, steps)
    _, ring_values = drawbar(fmu, steps, closed=True)
    assert np.abs(ring_values - 1.0).max() < 1e-14, ring_values
    return {
        "bare_c_us": floor,
        "drawbar_us": ours,
        "fmpy_us": peer,
        "ratio_to_bare": ours / floor,
        "ratio_to_fmpy": peer / ours,
        "ring_end": float(ring_values[0]),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--steps", type=int, default=100_000)
    options = parser.parse_args()
    found = measure(options.steps)
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:14} {value:.4g}")
