"""What cutting the HMMWV at its hubs costs: body and four wheels as FMUs beside the vehicle as one, by macro step.

Both drive 3 s with the Pitman arm swinging by 0.12 rad at 0.5 Hz and 150 N.m more at each wheel from 1 s on, at 0.3, 1,
5 and 20 m/s. The reference is `HmmwvVehicle` at 0.25 ms. For each speed and way of coupling:

- ``position_mm`` by macro step in ms: the largest distance between both paths, null where a part stopped;
- ``force`` by macro step: the largest difference of a wheel's force along or across, over its load at rest;
- ``clean_ms``: the largest macro step at which, as at all smaller ones, that is below 10 %: above, forces chatter.

``vehicle`` is `HmmwvVehicle` itself at these macro steps, which the ground alone shares. All need a C compiler.

    python tests/fidelity/modular.py [--json] [--speeds 1 20] [--steps 1 2 5]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from drawbar.blocks import RunError
from drawbar.blocks.data.default_vehicle import VEHICLE as DATA
from drawbar.blocks.signals.sine import Sine
from drawbar.blocks.signals.step import Step
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.vehicle.hmmwv.hmmwv_body import HmmwvBody
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.part import Part
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

WHEELS = ("fl", "fr", "rl", "rr")
SPEEDS = (0.3, 1.0, 5.0, 20.0)  # m/s
STEPS = (0.5, 1.0, 2.0, 4.0, 5.0, 10.0, 12.5, 20.0, 25.0)  # ms, of which 1 s is a multiple
REFERENCE_STEP = 0.25  # ms
STOP, SWING, TORQUE = 3.0, 0.12, 150.0  # s, rad, N.m
CLEAN = 0.1
# the algorithm of the body, and that of the wheels
WAYS = {
    "default": ("second-order", "interpolated"),
    "gauss-seidel": ("gauss-seidel", "gauss-seidel"),
    "interpolated": ("gauss-seidel", "interpolated"),
    "second-order": ("second-order", "second-order"),
    "jacobi": ("jacobi", "jacobi"),
}


def maneuver(name: str, step: float) -> Diagram:
    """Steering and torque; `step` in ms."""
    diagram = Diagram(name, step=f"{step / 1000:g}", stop=STOP)
    diagram.add("steering", Sine, amplitude=SWING * DATA["steering"]["column_ratio"], frequency=0.5)
    diagram.add("torque", Step, height=TORQUE, at=1.0)
    return diagram


def drives(diagram: Diagram, car: Part) -> None:
    """Connect steering and torque."""
    steering, torque = diagram.parts["steering"], diagram.parts["torque"]
    diagram.connect(steering.y, car.steering_wheel, suppress_unit_conversion=True)
    for i in range(1, 5):
        diagram.connect(torque.y, car[f"drive[{i}]"], suppress_unit_conversion=True)


def whole(speed: float, step: float) -> Diagram:
    """The vehicle as one FMU."""
    diagram = maneuver("whole", step)
    drives(diagram, diagram.add("vehicle", HmmwvVehicle, speed=speed))
    return diagram


def parts(speed: float, step: float, way: str) -> Diagram:
    """Body and wheels."""
    diagram = maneuver("parts", step)
    body = diagram.add("body", HmmwvBody, speed=speed)
    body.algorithm = WAYS[way][0]
    drives(diagram, body)
    for w in WHEELS:
        wheel = diagram.add(f"wheel_{w}", FialaTire)
        wheel.algorithm = WAYS[way][1]
        diagram.connect(getattr(body, f"hub_{w}"), wheel.hub)
        # a torque that jumps comes when it comes, not along a line
        held = WAYS[way][0] if WAYS[way][1] == "interpolated" else None
        diagram.connect(diagram.parts["torque"].y, wheel.drive, suppress_unit_conversion=True, algorithm=held)
    return diagram


Traces = tuple[Any, Any, Any]


def driven(diagram: Diagram) -> Traces | None:
    """What a run shows, or nothing where a part gave up."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return traces(simulate(diagram, out=Path(folder) / "run", record=("*.position", "*force_?", "*load")))
        except RunError:
            return None


def traces(run: Run) -> Traces:
    """Places, forces along and across by wheel, and loads."""
    car = "vehicle" if "vehicle.position" in run.signals else "body"
    place = np.array([run[f"{car}.position[{i}]"] for i in (1, 2)])
    if car == "vehicle":
        forces = [run[f"vehicle.force_{a}[{i}]"] for i in range(1, 5) for a in "xy"]
        loads = [run[f"vehicle.wheel_load[{i}]"] for i in range(1, 5)]
    else:
        forces = [run[f"wheel_{w}.force_{a}"] for w in WHEELS for a in "xy"]
        loads = [run[f"wheel_{w}.load"] for w in WHEELS]
    return place, np.array(forces), np.array(loads)


def compared(run: Traces, reference: Traces, step: float) -> tuple[float, float]:
    """The largest distance in mm, and the largest difference of a force over the load at rest."""
    every = round(step / REFERENCE_STEP)
    (place, forces, _), (true_place, true_forces, loads) = run, reference
    off = np.hypot(*(place - true_place[:, ::every])).max()
    rest = np.repeat(loads[:, :1], 2, axis=0)
    return float(1e3 * off), float((np.abs(forces - true_forces[:, ::every]) / rest).max())


def measure(speeds: Sequence[float] = SPEEDS, steps: Sequence[float] = STEPS) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for speed in speeds:
        reference = driven(whole(speed, REFERENCE_STEP))
        assert reference is not None
        row: dict[str, Any] = {}
        for way in ("vehicle", *WAYS):
            errors: dict[str, tuple[float, float] | None] = {}
            for step in steps:
                run = driven(whole(speed, step) if way == "vehicle" else parts(speed, step, way))
                errors[f"{step:g}"] = None if run is None else compared(run, reference, step)
            clean = 0.0
            for step in sorted(steps):
                pair = errors[f"{step:g}"]
                if pair is None or pair[1] > CLEAN:
                    break
                clean = step
            row[way] = {
                "position_mm": {k: None if e is None else e[0] for k, e in errors.items()},
                "force": {k: None if e is None else e[1] for k, e in errors.items()},
                "clean_ms": clean,
            }
        found[f"{speed:g}"] = row
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--speeds", nargs="+", type=float, default=SPEEDS, metavar="M/S")
    parser.add_argument("--steps", nargs="+", type=float, default=STEPS, metavar="MS")
    options = parser.parse_args()
    result = measure(options.speeds, options.steps)
    if options.json:
        print(json.dumps(result))
    else:
        for speed, row in result.items():
            print(f"{speed} m/s")
            print(f"  {'position, mm':14}" + "".join(f"{s:>9g}" for s in options.steps) + "  clean up to, ms")
            for way, one in row.items():
                cells = ["-" if v is None else f"{v:.3g}" for v in one["position_mm"].values()]
                print(f"  {way:14}" + "".join(f"{c:>9}" for c in cells) + f"  {one['clean_ms']:g}")
