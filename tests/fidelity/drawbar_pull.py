"""Drawbar pull of a HMMWV wheel on three soils, rigid and soft: what the bench of the library measures.

The rigid wheel is `BekkerWheel` and by its closed formula `ClosedFormWheel`, with the same place of the largest
pressure; the soft tire is `SoftTire`. At a slip of 20 percent the reference has 641, 789 and 112 N rigid (dry sand,
sandy loam, clayey soil of Wong), 1679, 2136 and 1325 N soft, at 6348 N.

    python tests/fidelity/drawbar_pull.py --json
    python tests/fidelity/drawbar_pull.py --figure docs/drawbar_pull.png
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from drawbar.blocks.tires.bekker_wheel import BekkerWheel
from drawbar.blocks.tires.closed_form_wheel import ClosedFormWheel
from drawbar.blocks.tires.soft_tire import SoftTire
from drawbar.diagrams.library import find
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.simulate import simulate

LOAD = 6348.0
SOILS = {"dry sand": 1, "sandy loam": 2, "clayey soil": 3}
WHEELS: dict[str, tuple[Any, dict[str, float]]] = {
    "rigid": (BekkerWheel, {}),
    "closed form": (ClosedFormWheel, {"a_0": 0.4, "a_1": 0.15}),
    "soft": (SoftTire, {}),
}


def sweep(wheel: Any, soil: int, **values: float) -> dict[str, list[float]]:
    """Pull in N, sinkage in m and efficiency over slip, from the end of settling on."""
    diagram = read(find("drawbar_pull"))
    diagram.use("wheel", wheel)
    diagram.parts["ground"].starts["soil"] = soil
    diagram.parts["bench"].starts["load"] = LOAD
    diagram.parts["wheel"].starts |= {"rated_load": LOAD, **values}
    with tempfile.TemporaryDirectory() as folder:
        run = simulate(diagram, out=Path(folder) / "run")
        rows = slice(np.searchsorted(run.time("bench.slip"), 3.0), None, 50)
        return {name: run[f"bench.{name}"][rows].tolist() for name in ("slip", "pull", "sinkage", "efficiency")}


def measure() -> dict[str, Any]:
    """All wheels on all soils."""
    return {
        soil: {name: sweep(wheel, number, **values) for name, (wheel, values) in WHEELS.items()}
        for soil, number in SOILS.items()
    }


def at_slip(curve: dict[str, list[float]], slip: float) -> float:
    """The pull at a slip, N."""
    return float(np.interp(slip, curve["slip"], curve["pull"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw the pulls; needs Chromium or Chrome")
    options = parser.parse_args()
    found = measure()
    if options.figure:
        from drawbar_pull_figure import draw

        draw(found, options.figure)
    if options.json:
        print(json.dumps(found))
    else:
        for soil, curves in found.items():
            print(
                f"{soil:12}", {name: round(at_slip(curve, 0.2)) for name, curve in curves.items()}, "N at 20 % of slip"
            )
