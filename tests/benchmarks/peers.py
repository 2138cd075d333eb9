"""What the masters of others cost on the same FMU: ecos and libcosim as pip installs them.

Each runs in a process of its own, which starts this file with a job in JSON, so that what it prints, its threads and
its crashes stay there. It is measured as it comes and held to one core, and the better of the two counts: the threads
of both cost more than they bring where a step is as short as here. The cost is the user time of all threads by
getrusage, the least of several repeats; what they spend in the kernel is not held against them.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Protocol

REPEATS, RING_STEPS = 3, 5000
PACKAGES = {"ecos": "ecospy", "libcosim": "libcosimpy"}
STEPS_IN_A = {"ecos": 1, "libcosim": 5}  # libcosim spends most of its time in the kernel; fewer steps tell as much
TIMEOUT = 300.0


class Peer(Protocol):
    """A chain of lags, or a ring, that is ready to step."""

    def step(self, n: int) -> None: ...
    def last(self) -> float: ...


class Ecos:
    """ecos steps all parts, then transfers (Jacobi)."""

    def __init__(self, job: dict[str, Any], start: tuple[str, float], closed: bool, record: Path | None) -> None:
        _load_threads()
        from ecospy import EcosSimulation, EcosSimulationStructure

        n = job["parts"]
        structure = EcosSimulationStructure()
        for i in range(n):
            structure.add_model(f"lag{i}", job["fmu"])
        for i in range(n if closed else n - 1):
            structure.make_real_connection(f"lag{i}::y", f"lag{(i + 1) % n}::u")
        structure.add_parameter_set("start", {f"lag0::{start[0]}": start[1]})
        self._simulation = EcosSimulation(structure=structure, step_size=job["step"])
        if record is not None:
            self._simulation.add_csv_writer(str(record / "ecos.csv"), identifiers=[f"lag{n - 1}::y"])
        if not self._simulation.init(parameter_set="start"):
            raise RuntimeError("ecos does not initialize")
        self._end = f"lag{n - 1}::y"

    def step(self, n: int) -> None:
        self._simulation.step(n)

    def last(self) -> float:
        return float(self._simulation.get_real(self._end))


class Libcosim:
    """libcosim's fixed-step algorithm steps all parts on a pool of threads, then transfers (Jacobi)."""

    def __init__(self, job: dict[str, Any], start: tuple[str, float], closed: bool, record: Path | None) -> None:
        from libcosimpy.CosimEnums import CosimVariableType
        from libcosimpy.CosimExecution import CosimExecution
        from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
        from libcosimpy.CosimObserver import CosimObserver
        from libcosimpy.CosimSlave import CosimLocalSlave

        log_output_level(CosimLogLevel.ERROR)  # it prints debug messages otherwise
        n, references = job["parts"], job["references"]
        u, self._y = references["u"], references["y"]
        self._execution = CosimExecution.from_step_size(step_size=round(job["step"] * 1e9))
        self._slaves = [CosimLocalSlave(fmu_path=job["fmu"], instance_name=f"lag{i}") for i in range(n)]
        at = [self._execution.add_local_slave(slave) for slave in self._slaves]
        for i in range(n if closed else n - 1):
            if self._execution.connect_real_variables(at[i], self._y, at[(i + 1) % n], u):
                raise RuntimeError("libcosim does not connect")
        self._execution.real_initial_value(at[0], references[start[0]], start[1])
        self._end, self._observer = at[-1], CosimObserver
        if record is not None:
            series = CosimObserver.create_time_series()
            self._execution.add_observer(series)
            series.start_time_series(at[-1], self._y, CosimVariableType.REAL)

    def step(self, n: int) -> None:
        if not self._execution.step(n):
            raise RuntimeError("libcosim does not step")

    def last(self) -> float:
        # added at the end, as it looks at all variables in each step
        observer = self._observer.create_last_value()
        self._execution.add_observer(observer)
        self.step(1)
        return float(observer.last_real_values(self._end, [self._y])[0])


def _load_threads() -> None:
    """The library of Intel's threads that ecos is linked to, also where pip put it: beside Python, off the path."""
    for place in ("libtbb.so.12", str(Path(sys.prefix) / "lib" / "libtbb.so.12")):
        try:
            ctypes.CDLL(place, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            continue
        return


KINDS: dict[str, type[Ecos] | type[Libcosim]] = {"ecos": Ecos, "libcosim": Libcosim}


def _cost(peer: Peer, steps: int, parts: int) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        began = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        peer.step(steps)
        best = min(best, (resource.getrusage(resource.RUSAGE_SELF).ru_utime - began) / steps / parts * 1e6)
    return best


def _do(job: dict[str, Any]) -> dict[str, float]:
    """The child's work: nothing recorded, one signal recorded, and where a ring of lags ends."""
    if job["one_core"]:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    kind, steps, parts = KINDS[job["peer"]], job["steps"], job["parts"]
    plain = kind(job, ("u", 1.0), closed=False, record=None)
    found = {"us": _cost(plain, steps, parts)}
    with tempfile.TemporaryDirectory() as folder:
        recording = kind(job, ("u", 1.0), closed=False, record=Path(folder))
        found["recorded_us"] = _cost(recording, steps, parts)
    ring = kind(job, ("y", float(parts)), closed=True, record=None)
    ring.step(RING_STEPS)
    return {**found, "ring_end": ring.last()}


def _child(job: dict[str, Any]) -> dict[str, float] | str:
    """Run a job in a process of its own; a text says why it came to nothing."""
    try:
        done = subprocess.run(
            [sys.executable, __file__, json.dumps(job)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {TIMEOUT:g} s"
    if done.returncode:
        return ([line for line in done.stderr.splitlines() if line.strip()] or [f"exit code {done.returncode}"])[-1]
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    if abs(found["ring_end"] - 1.0) > 1e-9:
        return f"its ring of lags ends at {found['ring_end']!r} and not at 1, so it does not do the same"
    return found


def measure(peer: str, fmu: Path, references: dict[str, int], parts: int, step: float, steps: int) -> dict[str, float]:
    """``us`` and ``recorded_us`` of a peer, per part and step; nothing, and why on stderr, where it cannot be had."""
    package = PACKAGES[peer]
    if importlib.util.find_spec(package) is None:
        print(f"{peer}: not measured, {package} is not installed", file=sys.stderr)
        return {}
    job = {
        "peer": peer,
        "fmu": str(fmu),
        "references": references,
        "parts": parts,
        "step": step,
        "steps": max(100, steps // STEPS_IN_A[peer]),
    }
    cores = (False, True) if hasattr(os, "sched_setaffinity") else (False,)
    results = [_child({**job, "one_core": one_core}) for one_core in cores]
    good = [found for found in results if not isinstance(found, str)]
    if not good:
        print(f"{peer}: not measured, {results[0]}", file=sys.stderr)
        return {}
    return {key: min(found[key] for found in good) for key in ("us", "recorded_us")}


if __name__ == "__main__":
    print(json.dumps(_do(json.loads(sys.argv[1]))))
    sys.stdout.flush()
    os._exit(0)  # what the libraries do at the end is not measured, and a crash there would hide the numbers
