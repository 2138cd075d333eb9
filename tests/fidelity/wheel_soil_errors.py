"""Errors of the closed wheel-soil formula against its own integrals, beside those of the 2011 paper's figure 6.

A smooth wheel (b 75 mm, r 80 mm) on sandy loam at an entry angle of 30 degrees, slip 0.1 to 0.8 by 0.1, slip angle 0 to
36 degrees by 4. ``Tx`` and ``Ty`` are the absolute errors of F_x/F_z and F_y/F_z, ``My`` the relative error of the
moment about the axle, each as mean and standard deviation in percent; `published` is what the paper prints.

    python tests/fidelity/wheel_soil_errors.py [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from reference_solutions import linear, quadrature

from drawbar.blocks.terrain.soil.soil_stress import Shear, SoilStress
from drawbar.blocks.terrain.soil.tbf import TBF

PUBLISHED = {
    "linear": {"Tx": [1.51, 0.30], "Ty": [0.60, 0.51], "My": [13.19, 2.39]},
    "quadratic": {"Tx": [0.11, 0.04], "Ty": [0.04, 0.03], "My": [1.35, 0.13]},
}
SLIPS, ANGLES = np.arange(1, 9) / 10.0, np.radians(np.arange(0, 37, 4))
Law = Callable[[TBF, SoilStress, Any, Shear], Any]
REFERENCE = json.loads(Path(__file__).with_name("tbf_reference.json").read_text("utf-8"))


def over_grid(law: Law, wheel: TBF, soil: SoilStress, entry: float) -> Any:
    """The six components at each point of the grid, a row each."""
    s, t = ca.SX.sym("s"), ca.SX.sym("t")
    found = law(wheel, soil, ca.SX(entry), Shear(s, t))
    six = ca.Function("six", [s, t], [ca.vertcat(*vars(found).values())])
    points = np.array([(slip, -(1.0 - slip) * np.tan(angle)) for slip in SLIPS for angle in ANGLES])
    return np.asarray(six.map(len(points))(points[:, :1].T, points[:, 1:].T)).T


def errors(law: Law, wheel: TBF, soil: SoilStress, entry: float) -> dict[str, list[float]]:
    """Mean and standard deviation over the grid, in percent."""
    reference, found = (over_grid(each, wheel, soil, entry) for each in (quadrature, law))

    def shown(error: Any) -> list[float]:
        return [float(100.0 * np.abs(error).mean()), float(100.0 * np.abs(error).std(ddof=1))]

    return {
        "Tx": shown(found[:, 0] / found[:, 2] - reference[:, 0] / reference[:, 2]),
        "Ty": shown(found[:, 1] / found[:, 2] - reference[:, 1] / reference[:, 2]),
        "Fz": shown(found[:, 2] / reference[:, 2] - 1.0),
        "My": shown(found[:, 4] / reference[:, 4] - 1.0),
    }


def measure() -> dict[str, Any]:
    """All that is printed."""
    wheel, soil, entry = (
        TBF(**REFERENCE["wheels"]["S"]),
        SoilStress(**REFERENCE["soils"]["sandy_loam"]),
        float(np.radians(30.0)),
    )
    laws: dict[str, Law] = {"linear": linear, "quadratic": TBF.contact_forces}
    return {name: errors(law, wheel, soil, entry) for name, law in laws.items()} | {"published": PUBLISHED}


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    found = measure()
    if parser.parse_args().json:
        json.dump(found, sys.stdout, indent=2)
        print()
        return
    for name in ("linear", "quadratic"):
        for key, (mean, deviation) in found[name].items():
            printed = PUBLISHED[name].get(key)
            beside = f"   published {printed[0]:.2f} +- {printed[1]:.2f}" if printed else ""
            print(f"{name:10} {key}  {mean:6.2f} +- {deviation:.2f} %{beside}")


if __name__ == "__main__":
    main()
