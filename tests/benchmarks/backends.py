"""One RK4 micro-step (1 ms) of the planar HMMWV on each back end, each in its own loop.

Microseconds of CPU time, the least of several repeats:

- ``interpreted_us``: CasADi's virtual machine stepped from Python;
- ``native_us``: the compiled block in-process, 1000 micro-steps to a call;
- ``fmu_us``: the FMU with set, doStep and get at each micro-step, called from C.

The three end in the same state; ``largest_difference`` is relative.

    python tests/benchmarks/backends.py [--json]
"""

from __future__ import annotations

import argparse
import ctypes as ct
import json
import time
from collections.abc import Callable

import numpy as np
from bare import bare_fmu, load

from drawbar.blocks.vehicle.bodies.single_track import SingleTrack
from drawbar.fmus.backends.instance import FmuInstance, Instance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build

STEP, STEPS, REPEATS = 1e-3, 1000, 7
INPUTS = {"steer": 0.02, "acceleration": 0.1}
START = {"u": 15.0}


def outputs(instance: Instance) -> list[str]:
    return [name for port in instance.interface.of("output") for name in port.scalar_names()]


def started(instance: Instance) -> Instance:
    instance.initialize(0.0, {**START, **INPUTS})
    instance.start()
    return instance


def least(run: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        began = time.process_time()
        run()
        best = min(best, (time.process_time() - began) / STEPS * 1e6)
    return best


def interpreted() -> tuple[float, list[float]]:
    instance = started(InterpretedInstance(SingleTrack, "vehicle"))
    step = instance.stepper()

    def run() -> None:
        for k in range(STEPS):
            step(k * STEP, STEP)

    return least(run), instance.get(outputs(instance))


def native() -> tuple[float, list[float]]:
    instance = started(native_instance(SingleTrack, "vehicle"))
    step = instance.stepper()
    return least(lambda: step(0.0, STEPS * STEP)), instance.get(outputs(instance))


def fmu() -> tuple[float, list[float]]:
    instance = open_fmu(build(SingleTrack), "vehicle")
    assert isinstance(started(instance), FmuInstance)
    names = outputs(instance)
    inputs, references = instance.references(list(INPUTS)), instance.references(names)
    given, taken = np.array(list(INPUTS.values())), np.zeros(len(names))
    library, one = load(), bare_fmu(instance, "steer", "u")
    best = least(
        lambda: library.alone(
            ct.byref(one),
            *(inputs.ctypes.data, len(inputs), given.ctypes.data),
            *(references.ctypes.data, len(references), taken.ctypes.data),
            STEP,
            STEPS,
        )
    )
    return best, instance.get(names)


def measure() -> dict[str, float]:
    found, ends = {}, []
    for name, run in (("interpreted_us", interpreted), ("native_us", native), ("fmu_us", fmu)):
        found[name], end = run()
        ends.append(np.array(end))
    scale = np.maximum(np.abs(ends[0]), 1.0)
    found["largest_difference"] = float(max(np.max(np.abs(end - ends[0]) / scale) for end in ends))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measure()
    if options.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:18} {value:.4g}")
