"""Camber, toe and wheel force of the HMMWV over travel, and its ride frequencies.

The curves are those of `HmmwvRig`, from droop to bump as far as the dampers go. None are published for this vehicle, so
beside them stands what `loops.py` finds from the same hardpoints in another way. The slope c of the wheel force at the
static load and the mass m that a wheel carries give the ride frequency, ``sqrt(c/m)/(2 pi)``, without the tire; the
reference data state it for the springs alone, at the ride height of the preset `hmmwv_chrono`, where the rear
touches its droop stops. At the ride height of the default data `loops.py` gives the rate of the springs.

    python tests/fidelity/suspension.py [--json] [--figure FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from loops import Loop

from drawbar.blocks.data import read
from drawbar.blocks.vehicle.hmmwv.hmmwv_rig import LOADS, HmmwvRig
from drawbar.diagrams.parameters.parameter_set import read_set
from drawbar.diagrams.parameters.presets import find_set

HMMWV = read("vehicles/hmmwv.json")
AXLES = {"front": 0, "rear": 2}  # the left wheels
TRAVEL = {"front": (-0.3044, 0.419), "rear": (-0.3405, 0.3849)}  # rad of the lower arms, where the dampers end
UNSPRUNG = {"front": 112.2, "rear": 121.3}  # kg that move with a wheel, by the reference
REFERENCE_HZ = {"front": 1.20, "rear": 1.94}
G = 9.80665
POINTS = 141


class Rig:
    """The equations of the rig, evaluated for angles of its arms."""

    def __init__(self, **changes: float) -> None:
        self.model = HmmwvRig.model()
        self.p = np.concatenate([np.broadcast_to(changes.get(p.name, p.start), p.size) for p in self.model.p])

    def outputs(self, arm: float, rate: float = 0.0) -> dict[str, Any]:
        x = np.concatenate([np.full(4, arm), np.full(4, rate)])
        flat = np.asarray(self.model.out(0.0, x, [], np.array(LOADS), self.p)).ravel()
        found, at = {}, 0
        for port in self.model.y:
            found[port.name] = flat[at : at + port.size].reshape(port.shape or ())
            at += port.size
        return found

    def force(self, arm: float) -> np.ndarray:
        """The pushes that hold the arms there, N: accelerations are linear in them."""
        x = np.concatenate([np.full(4, arm), np.zeros(4)])
        none, one = (
            np.asarray(self.model.ode(0.0, x, [], np.full(4, push), self.p)).ravel()[4:] for push in (0.0, 1.0)
        )
        return -none / (one - none)


def curves(axle: str, **changes: float) -> dict[str, np.ndarray]:
    """Travel in m, camber and toe in degrees and force in N of the left wheel of an axle."""
    rig, i = Rig(**changes), AXLES[axle]
    arms = np.linspace(*TRAVEL[axle], POINTS)
    seen = [rig.outputs(arm) for arm in arms]
    return {
        "arm": arms,
        "travel": np.array([s["travel"][i] for s in seen]),
        "camber": np.degrees([s["camber"][i] for s in seen]),
        "toe": np.degrees([s["toe"][i] for s in seen]),
        "force": np.array([rig.force(arm)[i] for arm in arms]),
    }


def at_rest(axle: str, found: dict[str, np.ndarray]) -> dict[str, float]:
    """At the static load: travel, slopes of camber and toe in deg/m, wheel rate in N/m, ride frequency in Hz."""
    load = LOADS[AXLES[axle]]
    travel = float(np.interp(load, found["force"], found["travel"]))
    slope = {
        name: float(np.interp(travel, found["travel"], np.gradient(found[name], found["travel"], edge_order=2)))
        for name in ("camber", "toe", "force")
    }
    mass = load / G - UNSPRUNG[axle]
    return {
        "travel": travel,
        "camber": slope["camber"],
        "bump_steer": slope["toe"],
        "wheel_rate": slope["force"],
        "ride_hz": float(np.sqrt(slope["force"] / mass) / (2.0 * np.pi)),
    }


def measure() -> dict[str, Any]:
    """Both axles: curves, the same from the loops solved otherwise, and what holds at rest by default and by preset."""
    preset = {
        p.name: float(p.value) for p in read_set(find_set("hmmwv_chrono")).parameters.values() if "[" not in p.name
    }
    result: dict[str, Any] = {}
    for axle in AXLES:
        default, loop = curves(axle), Loop(HMMWV[axle]["points_m"])
        spring = HMMWV[axle]["spring"]
        places = np.linspace(0, POINTS - 1, 15).round().astype(int)
        points = [loop.at(float(default["arm"][k])) for k in places]
        judged = {name: np.array([p[name] for p in points]) for name in ("travel", "camber", "toe")}
        free = {f"{axle}_stop_bump": 0.0, f"{axle}_stop_rebound": 1.0}
        result[axle] = {
            "curves": {name: values.tolist() for name, values in default.items()},
            "chrono_force": curves(axle, **preset)["force"].tolist(),
            "points": {name: values.tolist() for name, values in judged.items()},
            "largest_difference": {
                name: float(np.abs(values - default[name][places]).max()) for name, values in judged.items()
            },
            "springs_alone": at_rest(axle, curves(axle, **free)),
            "default": at_rest(axle, default),
            "chrono_springs_alone": at_rest(axle, curves(axle, **preset, **free)),
            "chrono": at_rest(axle, curves(axle, **preset)),
            "rate_by_loops": loop.wheel_rate(
                spring["rate_N_per_m"], spring["free_length_m"], at_rest(axle, default)["travel"]
            ),
            "reference_hz": REFERENCE_HZ[axle],
        }
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw the curves; needs Chromium or Chrome")
    options = parser.parse_args()
    found = measure()
    if options.figure:
        from suspension_figure import draw

        draw(found, options.figure)
    if options.json:
        print(json.dumps(found))
    else:
        for axle in AXLES:
            print(axle, "wheel rate by the loops:", round(found[axle]["rate_by_loops"]))
            print(axle, "largest difference from the loops solved otherwise:", found[axle]["largest_difference"])
            for name in ("springs_alone", "default", "chrono_springs_alone", "chrono"):
                print(f"  {name:14}", {key: round(value, 4) for key, value in found[axle][name].items()})
