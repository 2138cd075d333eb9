"""The preset `paper2015` of the HMMWV: one factor on all spring rates, from the roll that the 2015 paper shows.

The public data roll half as much as the vehicle of the paper (figure 10, ADAMS: 4.1 degrees at 0.50 g). The rates of
front and rear springs are multiplied by one factor such that peak roll over peak lateral acceleration of the diagram
`double_lane_change` is the paper's, driven at the speed where that peak is 0.50 g. The length of a spring at rest is
kept by its free length, ``L + (L0 - L)/factor``, so that the car stands as high as before, and the damping ratio by
dampers times ``sqrt(factor)``. Nothing else is fitted: wheel loads and roll rate are predictions.

``load_transfer`` says what springs can not change: how much load goes from side to side, per weight and g, from the
swings of the wheel loads. In a steady turn it is the height of the centre of mass over the track.

    python tests/fidelity/paper2015.py [--json] [--write]     --write: the parameter sets in blocks/data/vehicles
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import root

from drawbar.blocks.data import read as facts
from drawbar.diagrams import ParameterSet, write_set
from drawbar.diagrams.library import find
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.simulate import simulate

SSD = find("double_lane_change")
HMMWV = facts("vehicles/hmmwv.json")
FOLDER = Path(__file__).parents[2] / "blocks" / "data" / "vehicles"
AXLES = ("front", "rear")
G = 9.80665
PEAK, ROLL = 0.50, 4.1  # g and degrees: ADAMS, 2015 paper, figure 10
SWINGS = {"adams": (1.0, 1.0, 1.5, 1.5), "roams": (1.1, 1.1, 1.6, 1.6)}  # of wheel loads over static, as there
ACCELERATION = {"adams": 0.50, "roams": 0.60}
UNITS = {"spring_rate": "N/m", "spring_free": "m", "damping_compression": "N.s/m", "damping_rebound": "N.s/m"}


@dataclass(frozen=True)
class Drive:
    """What is looked at of a double lane change: a row for each time or wheel."""

    acceleration: np.ndarray  # to the left, g
    roll: np.ndarray  # degrees
    loads: np.ndarray  # of the wheels, N
    springs: np.ndarray  # their lengths, m

    @property
    def peak(self) -> float:
        """The largest lateral acceleration to either side, g."""
        return float(np.abs(self.acceleration).max())

    @property
    def gradient(self) -> float:
        """Largest roll over largest lateral acceleration, deg/g."""
        return float(np.abs(self.roll).max()) / self.peak


def drive(changes: dict[str, float]) -> Drive:
    """The double lane change with other start values, by ``part.variable``."""
    diagram = read(SSD)
    for name, value in changes.items():
        part, _, variable = name.partition(".")
        diagram.parts[part].set(variable, value)
    with tempfile.TemporaryDirectory() as folder:
        run = simulate(diagram, out=Path(folder) / "run", record=["vehicle.*"])
        loads = np.array([run[f"vehicle.wheel_load[{i}]"] for i in range(1, 5)])
        springs = np.array([run[f"vehicle.spring_length[{i}]"] for i in range(1, 5)])
        return Drive(run["vehicle.a[2]"] / G, np.degrees(run["vehicle.roll"]), loads, springs)


def public() -> dict[str, float]:
    """Springs and dampers of the public data."""
    found: dict[str, float] = {}
    for axle in AXLES:
        spring, damper = HMMWV[axle]["spring"], HMMWV[axle]["damper"]
        found |= {f"{axle}_spring_rate": spring["rate_N_per_m"], f"{axle}_spring_free": spring["free_length_m"]}
        for way in ("compression", "rebound"):
            found[f"{axle}_damping_{way}"] = damper[f"midstroke_{way}_Ns_per_m"]
    return found


def parameters(factor: float, length: dict[str, float]) -> dict[str, float]:
    """Springs and dampers of the vehicle, from the factor and the lengths of the springs at rest, m."""
    found = {}
    for name, value in public().items():
        axle, _, what = name.partition("_")
        if what == "spring_rate":
            found[name] = round(factor * value, 1)
        elif what == "spring_free":
            found[name] = round(length[axle] + (value - length[axle]) / factor, 6)
        else:
            found[name] = round(math.sqrt(factor) * value, 2)
    return found


def fit() -> dict[str, Any]:
    """Factor and speed from scratch, and what comes of them."""
    plain = drive({})
    rest = {axle: float(plain.springs[i : i + 2, 0].mean()) for axle, i in zip(AXLES, (0, 2), strict=True)}
    drives: dict[tuple[float, float], Drive] = {}

    def driven(factor: float, speed: float) -> Drive:
        if (factor, speed) not in drives:
            springs = {f"vehicle.{name}": value for name, value in parameters(factor, rest).items()}
            drives[factor, speed] = drive({**springs, "vehicle.speed": speed, "speed.target": speed})
        return drives[factor, speed]

    def missed(x: np.ndarray) -> list[float]:
        found = driven(1.0 / float(x[0]), float(x[1]))
        return [found.peak / PEAK - 1.0, found.gradient / (ROLL / PEAK) - 1.0]

    # by the softness, of which roll is a linear function nearly
    start = [1.0, read(SSD).parts["vehicle"].starts["speed"]]
    solution = root(missed, start, options={"eps": 1e-3, "xtol": 1e-4})
    if not solution.success:
        raise SystemExit(f"no factor found: {solution.message}")
    factor, speed = 1.0 / float(solution.x[0]), float(solution.x[1])
    found = driven(factor, speed)
    static = plain.loads[:, 0]
    return {
        "factor": factor,
        "speed": speed,
        "drives": len(drives) + 1,
        "peak_g": found.peak,
        "roll_gradient": {"adams": ROLL / PEAK, "public": plain.gradient, "paper2015": found.gradient},
        "rest": rest,
        "parameters": parameters(factor, rest),
        "load_transfer": {
            # with our static loads: only their shares count
            **{column: transfer(swings, static, ACCELERATION[column]) for column, swings in SWINGS.items()},
            "public": transfer(swings_of(plain), static, plain.peak),
            "paper2015": transfer(swings_of(found), static, found.peak),
        },
    }


def swings_of(drive: Drive) -> np.ndarray:
    """The swings of the wheel loads over their static loads."""
    return np.ptp(drive.loads, axis=1) / drive.loads[:, 0]


def transfer(swings: Any, static: np.ndarray, peak: float) -> dict[str, float]:
    """Load that goes from side to side per weight and g, and the share of the front axle in it."""
    moved = np.asarray(swings) * static / 2.0  # of each wheel, to either side
    return {"per_g": float(moved.sum() / 2.0 / static.sum() / peak), "front": float(moved[:2].sum() / moved.sum())}


def sets(found: dict[str, Any]) -> list[ParameterSet]:
    """Both presets as parameter sets: what the block has by itself, and what was found."""
    made = []
    for name, values, said in (
        ("hmmwv_public", public(), "springs and dampers of hmmwv.json, as HmmwvVehicle has them"),
        (
            "hmmwv_paper2015",
            found["parameters"],
            f"spring rates times {found['factor']:.4f}, static height and damping ratio kept: identified from the roll "
            "in figure 10 of the 2015 paper (ADAMS) by tests/fidelity/paper2015.py",
        ),
    ):
        preset = ParameterSet(name)
        preset.root.attributes["description"] = said
        for parameter, value in values.items():
            preset.set(parameter, value, UNITS[parameter.split("_", 1)[1]])
        made.append(preset)
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    result = fit()
    if options.write:
        for preset in sets(result):
            write_set(preset, FOLDER / f"{preset.name}.ssv")
    if options.json:
        print(json.dumps(result))
    else:
        for key, value in result.items():
            print(f"{key:24} {value}")
