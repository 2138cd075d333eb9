"""The double lane change of the HMMWV beside the published ADAMS and ROAMS figures, with nothing fitted.

A row for each response of ``report.json``, a column for the diagram and for each of its cases, one of which is the
preset `hmmwv_chrono`. Loads are peak-to-peak over static. ``load_transfer`` is the load that goes from side to side,
per weight and g, and the share of the front axle in it, by the same figures.

    python tests/fidelity/lane_changes.py [--json]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from drawbar.diagrams.library import find
from drawbar.diagrams.parameters.parameter_set import read_set
from drawbar.diagrams.parameters.presets import find_set
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.reports.responses import evaluate
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

SSD = find("double_lane_change")
REPORT: dict[str, Any] = json.loads((SSD.parent / "report.json").read_text("utf-8"))
LOADS = [f"wheel_load_{w}" for w in ("fl", "fr", "rl", "rr")]


def drive(case: dict[str, Any], folder: Path) -> Run:
    """The run of the diagram, or of a case of its report."""
    diagram = read(SSD)
    values = dict(case.get("set", {}))
    for given in case.get("params", []):
        part, _, preset = given.partition("=")
        values |= {f"{part}.{p.name}": p.value for p in read_set(find_set(preset)).parameters.values()}
    for name, value in values.items():
        part, _, variable = name.partition(".")
        diagram.parts[part].set(variable, value)
    return simulate(diagram, out=folder, record=["vehicle.*", "course.*"])


def figures(run: Run) -> dict[str, list[float]]:
    """Maximum and minimum of each response, of loads the peak-to-peak value, and the least clearance of a cone, m."""
    found = {name: [float(r["max"]), float(r["min"])] for name, r in evaluate(run, REPORT).items()}
    found |= {name: [found[name][0] - found[name][1]] for name in LOADS}
    return {**found, "clearance": [float(run["course.clearance"].min())]}


def published(column: str) -> dict[str, list[float]]:
    """The published figures in the same form."""
    found = {name: list(entry["published"][column]) for name, entry in REPORT["responses"].items()}
    return found | {name: [found[name][0] - found[name][1]] for name in LOADS}


def transfer(of: dict[str, list[float]], static: np.ndarray) -> dict[str, float]:
    """Load that goes from side to side per weight and g, and the share of the front axle in it."""
    moved = np.array([of[name][0] for name in LOADS]) * static / 2.0  # of each wheel, to either side
    peak = np.abs(of["lateral_acceleration"]).max()
    return {"per_g": float(moved.sum() / 2.0 / static.sum() / peak), "front": float(moved[:2].sum() / moved.sum())}


def measure() -> dict[str, Any]:
    """All columns, and the load transfer of each."""
    columns: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for i, case in enumerate([{"name": "0.50 g"}, *REPORT["cases"]]):
            run = drive(case, Path(folder) / str(i))
            columns[case["name"]] = figures(run)
            if i == 0:
                static = np.array([run[f"vehicle.wheel_load[{k}]"][0] for k in range(1, 5)])
    columns |= {column: published(column) for column in ("adams", "roams")}
    return {"columns": columns, "load_transfer": {name: transfer(of, static) for name, of in columns.items()}}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    result = measure()
    if parser.parse_args().json:
        print(json.dumps(result))
    else:
        for name in [*REPORT["responses"], "clearance"]:
            cells = (f"{column} {np.round(of[name], 3)}" for column, of in result["columns"].items() if name in of)
            print(f"{name:22}", "  ".join(cells))
        print(f"{'load_transfer':22}", result["load_transfer"])
