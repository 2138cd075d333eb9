"""The HMMWV by the explicit and the implicit method: error and cost against speed and relaxation length of the tires.

Four seconds on a level road: the wheel swings, a bump passes under one wheel, drive torque comes, then the brakes. The
error is the largest distance of the sensor point from where it is with RK4 in steps of 0.05 ms, in mm; the cost is CPU
time per simulated second, ms, the least of some runs. ``unbounded`` is RK4 that does not look at
``stability_bounds()``.

``jacobian`` is what a step of the implicit method makes of the equations: entries of the Jacobian and of its factors,
operations, nanoseconds for both together and for one solution by them.

    python tests/benchmarks/integration.py [--json]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import casadi as ca
import numpy as np
from compiled import SHIPPED, Compiled
from numpy.typing import NDArray

from drawbar.blocks import Block
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.fmus.backends.instance import Instance
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.rosenbrock import kernels

SPEEDS, LENGTHS = (0.3, 1.0, 5.0, 20.0), (2.0, 0.25, 0.05)
HELD, REPEATS = 0.02, 3  # s, between changes of the inputs
FINE = 5e-5  # s
COLUMNS = {
    "rk4_2.5ms": ("rk4", 2.5e-3),
    "rosenbrock_2.5ms": ("rosenbrock", 2.5e-3),
    "rosenbrock_4ms": ("rosenbrock", 4e-3),
}
Make = Callable[[type[Block], str], Instance]


class Explicit(HmmwvVehicle, method="rk4", step=1.0):
    """In micro-steps as long as the communication steps."""


class Implicit(HmmwvVehicle, method="rosenbrock", step=1.0):
    """The same."""


class Unbounded(Explicit):
    """As if nobody knew how fast it can move."""

    def stability_bounds(self) -> dict[str, Any]:
        """Nothing."""
        return {}


def inputs(t: float) -> dict[str, float]:
    """What is set at t, s."""
    found = {"steering_wheel": 1.5 * np.sin(np.pi * t), "ground_fl.point[3]": 0.03 if 0.5 <= t < 0.8 else 0.0}
    found |= {f"drive[{i}]": 300.0 if 1.0 <= t < 2.0 else 0.0 for i in range(1, 5)}
    return found | {f"brake[{i}]": 1500.0 if t >= 3.0 else 0.0 for i in range(1, 5)}


def run(instance: Instance, h: float, speed: float, length: float, seconds: float) -> tuple[NDArray[np.float64], float]:
    """Positions at each change of the inputs, and CPU time per simulated second in ms."""
    instance.initialize(0.0, {"speed": speed, "relaxation[1]": length, "relaxation[2]": length})
    instance.start()
    step, rows, spent = instance.stepper(), [], 0.0
    for k in range(round(seconds / HELD)):
        instance.set(inputs(k * HELD))
        began = time.process_time()
        for i in range(round(HELD / h)):
            if step(k * HELD + i * h, h):
                raise SystemExit(instance.messages()[-1])
        spent += time.process_time() - began
        rows.append(instance.get([f"position[{i}]" for i in (1, 2, 3)]))
    instance.close()
    return np.array(rows), spent / seconds * 1e3


def table(make: Make, speeds: Sequence[float], lengths: Sequence[float], seconds: float) -> list[dict[str, float]]:
    """One row for each speed and relaxation length."""
    blocks, rows = {"rk4": Explicit, "rosenbrock": Implicit}, []
    for speed, length in product(speeds, lengths):
        case = (speed, length, seconds)
        exact = run(make(Explicit, "car"), FINE, *case)[0]
        row = {"speed": speed, "relaxation": length}
        for name, (method, h) in COLUMNS.items():
            found = [run(make(blocks[method], "car"), h, *case) for _ in range(REPEATS)]
            row[f"{name}_error_mm"] = 1e3 * float(np.linalg.norm(found[0][0] - exact, axis=1).max())
            row[f"{name}_cpu_ms"] = min(spent for _, spent in found)
        lost = run(InterpretedInstance(Unbounded, "car"), 2.5e-3, *case)[0]
        row["unbounded_2.5ms_error_mm"] = 1e3 * float(np.linalg.norm(lost - exact, axis=1).max())
        rows.append(row)
    return rows


def jacobian() -> dict[str, float]:
    """What a step of the implicit method makes of the equations."""
    model = Implicit.model()
    made = kernels(model)
    assert made is not None
    assert model.ode is not None
    instance = InterpretedInstance(Implicit, "car")
    instance.initialize(0.0, {"speed": 10.0})
    instance.start()
    given = [[0.0], instance._x, instance._z, instance._u, instance._p, [4.0 / 2.5e-3]]
    factor = Compiled(made.factor, given, SHIPPED)
    solve = Compiled(made.solve, [factor.run()[0], np.ones(len(instance._x))], SHIPPED)
    arguments = model.ode.sx_in()
    return {
        "states": len(instance._x),
        "nonzeros": ca.jacobian(model.ode(*arguments), arguments[1]).nnz(),
        "factors": made.n_factors,
        "operations_rates": model.ode.n_instructions(),
        "operations_factor": made.factor.n_instructions(),
        "factor_ns": factor.ns(),
        "solve_ns": solve.ns(),
    }


def show(found: dict[str, Any]) -> None:
    """As text."""
    print("speed  sigma  " + "".join(f"{c:>26}" for c in (*COLUMNS, "unbounded_2.5ms")))
    for row in found["rows"]:
        cells = [f"{row[f'{c}_error_mm']:14.3g} mm {row[f'{c}_cpu_ms']:6.1f} ms" for c in COLUMNS]
        print(f"{row['speed']:5g}  {row['relaxation']:5g}  {''.join(cells)}{row['unbounded_2.5ms_error_mm']:23.3g} mm")
    for name, value in found["jacobian"].items():
        print(f"{name:18} {value:.6g}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--speeds", type=float, nargs="+", default=SPEEDS, help="m/s")
    parser.add_argument("--lengths", type=float, nargs="+", default=LENGTHS, help="m, relaxation lengths")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--interpreted", action="store_true", help="without compiling the vehicle")
    options = parser.parse_args()
    make: Make = InterpretedInstance if options.interpreted else native_instance
    rows = table(make, options.speeds, options.lengths, options.seconds)
    result = {"rows": rows, "jacobian": jacobian()}
    if options.json:
        print(json.dumps(result))
    else:
        show(result)
