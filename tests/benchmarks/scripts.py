"""What a call of a script costs in a diagram stepped by the master in C, inputs and outputs included.

Microseconds of the wall clock, the least of several runs:

- ``sampled_us``: the same law as a `Sampled` block, for comparison;
- ``script_us``, ``script_ten_us``: in-process, with one number and with arrays of ten;
- ``fmu_us``, ``fmu_ten_us``: the same scripts as exported FMUs.

All end in the same value; ``largest_difference`` is absolute.

    python tests/benchmarks/scripts.py [--json]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from doubles import PERIOD, Double, DoubleSampled, DoubleTen, Source

from drawbar.blocks import Block
from drawbar.diagrams.model.diagram import Diagram
from drawbar.fmus.export.package import build
from drawbar.orchestrator.simulate import simulate

REPEATS = 5


def measure(steps: int) -> dict[str, float]:
    found: dict[str, float] = {}
    ends: list[float] = []
    cases: dict[str, tuple[type[Block] | Path, str]] = {
        "sampled_us": (DoubleSampled, "one"),
        "script_us": (Double, "one"),
        "script_ten_us": (DoubleTen, "ten"),
        "fmu_us": (build(Double), "one"),
        "fmu_ten_us": (build(DoubleTen), "ten"),
    }
    for name, (what, signal) in cases.items():
        for _ in range(REPEATS):
            diagram = Diagram("cost", step=PERIOD, stop=steps * PERIOD)
            source, part = diagram.add("source", Source), diagram.add("part", what)
            diagram.connect(source[signal], part.u)
            with tempfile.TemporaryDirectory() as folder:
                run = simulate(diagram, out=Path(folder) / "run", engine="c")
                cost = run.timing["parts"]["part"]["us_per_step"]
                ends.append(float(run["part.y"].ravel()[-1]))
            found[name] = min(cost, found.get(name, cost))
    found["largest_difference"] = max(ends) - min(ends)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--steps", type=int, default=20_000)
    options = parser.parse_args()
    result = measure(options.steps)
    if options.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:18} {value:.3g}")
