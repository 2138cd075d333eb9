"""One wheel on soil: entry angle from its load, then forces and moments, beside the model by quadrature.

``tbf_ns`` is the closed formula with its estimate of the entry angle, ``quadrature_ns`` the same by quadrature with 24
angles a side and 30 halvings of the entry angle; both compiled with the flags of every FMU, least of many windows.
`paper_us` is what the 2011 paper reports, on a laptop of 1.6 GHz. ``forces_ns`` is the formula at a known entry angle.

    python tests/benchmarks/wheel_soil.py [--json]
"""

from __future__ import annotations

import argparse
import json
import runpy
import sys
from pathlib import Path
from typing import Any

import casadi as ca
from compiled import SHIPPED, Compiled

from drawbar.blocks.terrain.soil.soil_stress import Shear, SoilStress
from drawbar.blocks.terrain.soil.tbf import TBF, entry_angle

FIDELITY = Path(__file__).parents[1] / "fidelity"
REFERENCE_SOLUTIONS = runpy.run_path(str(FIDELITY / "reference_solutions.py"))
REFERENCE = json.loads((FIDELITY / "tbf_reference.json").read_text("utf-8"))
LOAD, SLIP, SIDE = 104.4713, 0.3, -0.7 * 0.17632698  # N; at 30 degrees, as in the paper's figure 6
SOIL_NAMES = ("n", "k_c", "k_phi", "c", "phi", "K")
PAPER_US = 277.0


def wheel_and_soil(kind: Any) -> tuple[list[Any], TBF, SoilStress]:
    """Symbols for all that an FMU would be given, so that nothing of the law is folded at compile time."""
    p = [kind.sym(name) for name in ("b", "r", "h_b", "mu", *SOIL_NAMES)]
    return p, TBF(*p[:4]), SoilStress(*p[4:])


def measure() -> dict[str, float]:
    """Nanoseconds, and how far the two are apart."""
    soil_numbers = REFERENCE["soils"]["sandy_loam"]
    numbers = [*REFERENCE["wheels"]["S"].values(), *(soil_numbers[name] for name in SOIL_NAMES)]
    given = [[LOAD, SLIP, SIDE], numbers]

    def function(name: str, kind: Any, law: Any) -> Compiled:
        u = [kind.sym(n) for n in ("load", "s", "t")]
        p, wheel, soil = wheel_and_soil(kind)
        out = law(wheel, soil, Shear(u[1], u[2]), u[0])
        options = {"cse": True} if kind is ca.SX else {}
        return Compiled(ca.Function(name, [ca.vertcat(*u), ca.vertcat(*p)], [out], options), given, SHIPPED)

    def closed(wheel: TBF, soil: SoilStress, shear: Shear, load: Any) -> Any:
        theta = entry_angle(wheel, soil, shear, load)
        return ca.vertcat(theta, *vars(wheel.contact_forces(soil, theta, shear)).values())

    def forces(wheel: TBF, soil: SoilStress, shear: Shear, load: Any) -> Any:
        return ca.vertcat(*vars(wheel.contact_forces(soil, load / (2.0 * LOAD), shear)).values())

    def by_quadrature(_: TBF, __: SoilStress, shear: Shear, load: Any) -> Any:
        # of numbers, as the folded constants are to its favour
        wheel, soil = TBF(*numbers[:4]), SoilStress(*numbers[4:])
        theta = REFERENCE_SOLUTIONS["by_bisection"](wheel, soil, shear, load)
        at, s, t = (ca.SX.sym(n) for n in ("at", "s", "t"))
        found = REFERENCE_SOLUTIONS["quadrature"](wheel, soil, at, Shear(s, t))
        six = ca.Function("six", [at, s, t], [ca.vertcat(*vars(found).values())], {"cse": True})
        return ca.vertcat(theta, six(theta, shear.s, shear.t))

    tbf, known = function("tbf", ca.SX, closed), function("forces", ca.SX, forces)
    quadrature = function("quadrature", ca.MX, by_quadrature)
    (a,), (b,) = tbf.run(), quadrature.run()
    return {
        "tbf_ns": tbf.ns(),
        "forces_ns": known.ns(),
        "quadrature_ns": quadrature.ns(2, 40),
        "paper_us": PAPER_US,
        "entry_angle_tbf": float(a[0]),
        "entry_angle_quadrature": float(b[0]),
    }


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    found = measure()
    if parser.parse_args().json:
        json.dump(found, sys.stdout, indent=2)
        print()
        return
    for name in ("tbf_ns", "forces_ns", "quadrature_ns"):
        print(f"{name:14} {found[name]:10.0f}")
    print(f"{'paper':14} {1e3 * PAPER_US:10.0f}")


if __name__ == "__main__":
    main()
