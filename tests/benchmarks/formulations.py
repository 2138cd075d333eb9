"""One evaluation of the HMMWV's equations of motion in three formulations, by linear solver.

The model has 36 bodies (the *detailed* one; the car as produced, without bodies of struts and idler, is told apart as
``production``). Each formulation gets its own state, the same joint forces and wrenches on hubs and chassis, and gives
all its accelerations. ``HmmwvVehicle`` is the derivative of that block, tires and all. Nanoseconds of one call, the
least of many windows; every generated C file is compiled with the flags that are printed, those of FMUs with
``-march=native``, and as kernels of FMUs are: GCC takes functions of more than 20 000 operations with ``-Og``, as all
of TA and FA in straight lines, which it makes faster so. ``baseline_ns`` is with the flags of FMUs alone. Five to ten
minutes, nearly all of them to compile.

- CE, embedded: ``lanes``: the recursion as blocks are compiled, what is alike in the four corners in the lanes of a
  vector; ``recursion``: the same in CasADi's scalar code; ``projected``: the projected mass matrix with LDL'. With the
  flags of FMUs ``baseline_ns`` is the scalar recursion, ``lanes_baseline_ns`` that in lanes, which takes AVX if the
  processor has it, and ``lanes_any_ns`` that on a processor without.
- TA, tree: ``sparse``: LDL' of the whole in an order chosen once, as straight-line code; ``schur``: of
  ``J M^-1 J'``; ``superlu``: scipy's sparse LU, called from Python, ordering and all; ``dense``: LAPACK's dgesv on the
  whole (generated assembly within the time of these two).
- FA, absolute: as TA. ``schur`` takes minutes to compile, is measured with ``--all`` only, and named in ``left_out``.

The papers give 1 : 4.1 : 120 for CE, TA and FA, each with the solver of its program; ``ratio_to_CE`` has each of ours.

Outside floor: Pinocchio's articulated-body algorithm on the tree of TA, loops cut open and no constraint solved, in C++
with ``-march=native``; null without the packages of ``drawbar[bench]`` or a C++ compiler.

    python tests/benchmarks/formulations.py [--json] [--all] [--only TA FA HmmwvVehicle]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
import pinocchio_aba
from car_formulations import Car
from compiled import ANY, EXTRA, NATIVE, SHIPPED, Compiled
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu
from straight_line import solve_by_schur, solve_whole

from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.blocks.vehicle.multibody.augmented import Equations
from drawbar.blocks.vehicle.multibody.mechanism import Sizes
from drawbar.fmus.export import kernel_files

SAMPLES = 3  # states whose numbers accept the pivots of a static order
PRODUCTION = ("dof", "ns", "baseline_ns", "lanes_baseline_ns", "lanes_any_ns", "operations", "solvers")
NAMES = ("CE", "TA", "FA")
PARTS = (*NAMES, "HmmwvVehicle")
AGREE = 1e-8  # relative, what all solvers of all formulations must do


class Formulation:
    """The equations of TA or FA, their solvers, and their state."""

    def __init__(self, name: str, inputs: list[ca.SX], equations: Equations, states: list[list[Any]]) -> None:
        self.name, self.inputs, self.equations, self.values = name, inputs, equations, states[0]
        parts = ca.Function("parts", inputs, [ca.densify(equations.M), ca.densify(equations.J)])
        self.samples = [tuple(v.full() for v in parts(*state)) for state in states]
        self.shown: dict[str, Any] = {}
        self.accelerations: dict[str, Any] = {}

    def straight(self, solver: str, solve: Any) -> None:
        """Measure a solver in straight-line code."""
        e = self.equations
        out = solve(e.M, e.J, e.f, e.h, self.samples)
        function = ca.Function(f"{self.name}_{solver}", self.inputs, [out], {"cse": True})
        compiled = Compiled(function, self.values)
        self.accelerations[solver] = compiled.run()[0]
        self.shown[solver] = compiled.ns()
        self.shown[solver, "baseline"] = Compiled(function, self.values, SHIPPED).ns()
        self.shown[solver, "operations"] = function.n_instructions()

    def whole(self) -> None:
        """Measure solvers of the whole matrix in libraries, from the same generated assembly."""
        K, right = self.equations.kkt()
        K = ca.sparsify(K)
        function = ca.Function(f"{self.name}_whole", self.inputs, [K, ca.densify(right)], {"cse": True})
        compiled = Compiled(function, self.values)
        self._superlu(K, compiled)
        self._dense(K, compiled)

    def _dense(self, K: ca.SX, compiled: Compiled) -> None:
        """LAPACK's LU, which leaves the solution in place of the right side."""
        many = (20, 100) if K.shape[0] < 100 else (2, 20)
        self.shown["dense"] = compiled.solved_ns(K.sparsity(), *many)
        self.accelerations["dense"] = compiled.results[1][: self.equations.M.shape[0]].copy()

    def _superlu(self, K: ca.SX, compiled: Compiled) -> None:
        """Scipy's sparse LU, from values to solution."""
        data, vector = compiled.run()
        columns, rows = K.sparsity().colind(), K.sparsity().row()
        best = np.inf
        for _ in range(50):
            began = time.perf_counter()
            found = splu(csc_matrix((data, rows, columns), shape=K.shape)).solve(vector)
            best = min(best, time.perf_counter() - began)
        self.shown["superlu"] = compiled.ns() + best * 1e9
        self.accelerations["superlu"] = found[: self.equations.M.shape[0]]


def embedded(car: Car, state: list[Any]) -> tuple[dict[str, Any], Any]:
    """CE as the contract shows it, and its accelerations."""
    found: dict[str, Any] = {}
    solvers: dict[str, float] = {}
    for name, function in (("recursion", car.embedded()), ("projected", car.projected())):
        compiled = Compiled(function, state)
        accelerations = compiled.run()[0]
        if found:
            check(accelerations, found["accelerations"], "CE projected")
        else:
            found = {"accelerations": accelerations, "operations": function.n_instructions()}
            found["baseline_ns"] = Compiled(function, state, SHIPPED).ns()
        solvers[name] = compiled.ns()
    measured = vectorized(car.embedded(), state)
    check(measured.pop("accelerations"), found["accelerations"], "CE in lanes")
    solvers["lanes"] = measured.pop("ns")
    found |= measured
    return {**entry(car.m.sizes().embedded, solvers), **found}, found["accelerations"]


def vectorized(function: ca.Function, values: list[Any]) -> dict[str, Any]:
    """The exporter's lanes with all flags."""
    compiled = Compiled(function, values, NATIVE, lanes=True)
    baseline, everywhere = (Compiled(function, values, flags, lanes=True).ns() for flags in (SHIPPED, ANY))
    return {
        "accelerations": compiled.run()[0],
        "ns": compiled.ns(),
        "lanes_baseline_ns": baseline,
        "lanes_any_ns": everywhere,
    }


def vehicle() -> dict[str, float]:
    """The derivative of the vehicle block where it starts, on the level."""
    model = HmmwvVehicle.model()
    assert model.ode is not None
    start, at = model.start(), np.cumsum([0, *model.sizes()])
    p, u, x = (start[at[i] : at[i + 1]] for i in range(3))
    for values, ports, end in ((u, model.u, "normal[3]"), (x, model.x, "q_w")):
        values[[name.endswith(end) for port in ports for name in port.scalar_names()]] = 1.0
    values = [np.zeros(1), x, np.zeros(0), u, p]
    measured = vectorized(model.ode, values)
    baseline = Compiled(model.ode, values, SHIPPED)
    if measured.pop("accelerations").tobytes() != baseline.run()[0].tobytes():
        raise SystemExit("the derivatives of HmmwvVehicle in lanes are not those of the scalar code")
    scalar = {"scalar_ns": Compiled(model.ode, values).ns(), "baseline_ns": baseline.ns()}
    return {"operations": model.ode.n_instructions(), **scalar, **measured}


def entry(size: tuple[int, int], solvers: dict[str, float]) -> dict[str, Any]:
    dof, constraints = size
    best = min(solvers.values())
    return {"dof": dof, "constraints": constraints, "size": dof + constraints, "ns": best, "solvers": solvers}


def check(mine: Any, wanted: Any, what: str) -> None:
    """All solvers must give the same accelerations of the chassis, or times mean nothing."""
    difference = np.abs(mine[:6] - wanted[:6]).max() / np.abs(wanted[:6]).max()
    if not difference < AGREE:
        raise SystemExit(f"{what}: the chassis' accelerations differ by {difference:.1e} from those of the recursion")


def measure(everything: bool = False, names: Sequence[str] = PARTS) -> dict[str, Any]:
    car = Car()
    states = [car.states(seed) for seed in range(1, 1 + SAMPLES)]
    sizes: Sizes = car.m.sizes()
    ce, wanted = embedded(car, states[0][0])
    del ce["accelerations"]
    found: dict[str, Any] = {"CE": ce}
    for name, (inputs, equations), at, size in (
        ("TA", car.tree(), 1, sizes.tree),
        ("FA", car.absolute(), 2, sizes.absolute),
    ):
        if name not in names:
            continue
        f = Formulation(name, inputs, equations, [s[at] for s in states])
        f.straight("sparse", solve_whole)
        if name == "TA" or everything:
            f.straight("schur", solve_by_schur)
        f.whole()
        for solver, accelerations in f.accelerations.items():
            check(accelerations, wanted, f"{name} {solver}")
        solvers = {k: v for k, v in f.shown.items() if isinstance(k, str)}
        found[name] = {**entry(size, solvers), "left_out": [] if "schur" in solvers else ["schur"]}
        best = min((k for k in solvers if (k, "baseline") in f.shown), key=lambda k: solvers[k])
        found[name]["baseline_ns"] = f.shown[best, "baseline"]
        found[name]["operations"] = f.shown[best, "operations"]
    for part in list(found.values()):
        # to the recursion, which is the same kind of code
        part["ratio_to_CE"] = {k: v / found["CE"]["solvers"]["recursion"] for k, v in part["solvers"].items()}
    conventions = pinocchio_aba.ns(car.m)
    floor = None if conventions is None else min(conventions.values())
    found["pinocchio_aba_ns"], found["pinocchio_aba"] = floor, conventions
    found["pinocchio_aba_ratio_to_CE"] = (
        None if floor is None else {solver: floor / ns for solver, ns in found["CE"]["solvers"].items()}
    )
    production = Car(detailed=False)
    ce, _ = embedded(production, production.states(1)[0])
    found["production"] = {key: ce[key] for key in PRODUCTION}
    if "HmmwvVehicle" in names:
        found["HmmwvVehicle"] = vehicle()
    found["flags"], found["baseline_flags"] = " ".join(NATIVE), " ".join(SHIPPED)
    return found


def show(found: dict[str, Any]) -> None:
    print("flags", found["flags"])
    for name in (n for n in NAMES if n in found):
        part = found[name]
        print(f"{name}: {part['dof']} + {part['constraints']} = {part['size']} unknowns")
        for solver, ns in part["solvers"].items():
            print(f"  {solver:12} {ns:12.0f} ns {part['ratio_to_CE'][solver]:8.2f}")
        print(f"  {'baseline':12} {part['baseline_ns']:12.0f} ns, flags of FMUs")
    for ns in ("lanes_baseline_ns", "lanes_any_ns"):
        print(f"CE {ns:23} {found['CE'][ns]:9.0f} ns")
    produced = found["production"]
    print("CE, as produced", {k: round(v) for k, v in produced["solvers"].items()}, "ns")
    for what in (w for w in ("production", "HmmwvVehicle") if w in found):
        print(what, {k: round(v) for k, v in found[what].items() if k.endswith("ns")})
    floor, ratios = found["pinocchio_aba_ns"], found["pinocchio_aba_ratio_to_CE"]
    if floor is not None:
        print(f"Pinocchio ABA   {floor:9.0f} ns", {k: round(v, 2) for k, v in ratios.items()})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--all", action="store_true", help="measure the Schur complement of FA too")
    parser.add_argument(
        "--only", nargs="+", default=PARTS, choices=PARTS, help="what to measure beside CE, which is always"
    )
    parser.add_argument(
        "--quick", action="store_true", help="do not optimize: shows that all solvers agree, and the times mean nothing"
    )
    options = parser.parse_args()
    if options.quick:
        EXTRA.append("-O0")
        kernel_files.LONG_KERNEL = sys.maxsize  # else long ones have a level of their own
    result = measure(options.all, options.only)
    if result["pinocchio_aba_ns"] is None:
        print("Pinocchio was not measured: it takes a C++ compiler and pip install -e '.[bench]'", file=sys.stderr)
    if options.json:
        print(json.dumps(result))
    else:
        show(result)
