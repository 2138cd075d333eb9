"""What the master costs: 8 first-order lags in a chain, one Euler micro-step a step of 1 ms.

Microseconds of CPU time, user and system, of all threads, per part and macro step, the least of several repeats:

- ``bare_c_us``: the same calls on the same binaries in a bare C loop, without status or NaN checks (the floor);
- ``drawbar_us``: the master in C with status and NaN checks, Jacobi coupling as in the bare loop, nothing recorded;
- ``default_us``: the same with the default second-order algorithm;
- ``recorded_us``: the default with one signal recorded, all that a run does between its start and its last file:
  Parquet files synced to disk included;
- ``from_python_us``: the default with nothing recorded, one macro step a call from Python;
- ``fmpy_us``: FMPy's FMU2Slave driven from a Python loop (its list interface);
- ``ecos_us``, ``libcosim_us`` (nothing recorded), ``ecos_recorded_us``, ``libcosim_recorded_us`` (one signal: ecos to a
  CSV file, libcosim in memory): the masters of others on the same FMU, null where they are not installed. All couple by
  Jacobi. Only their user time counts (peers.py).

The ratios do not depend on the machine: ``ratio_to_bare``, ``ratio_to_fmpy``, ``ratio_to_best_peer`` (the better of the
peers without recording, over ours with it) and ``ratio_recorded`` (both with one signal).

``ring_end`` is where a ring of 8 lags settles that starts at (8, 0, ..., 0): under Jacobi coupling the sum of its
states is conserved, so all must reach 1.0 but for the last bits (a Gauss-Seidel order ends at 0.999875, zeros in place
of the initial outputs at 0.999). The peers' ring must end there too.

    python tests/benchmarks/master.py [--json] [--steps 100000]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import peers
from bare import BareFmu, bare_fmu, load

from drawbar.blocks import Continuous, Input, Parameter, State
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.master_settings import DEFAULT_ALGORITHM
from drawbar.fmus.backends.instance import FmuInstance
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_description
from drawbar.orchestrator.master.master import Master
from drawbar.orchestrator.master.rows import Rows, row_shapes
from drawbar.orchestrator.master.run_loop import RunLoop, chunk_ticks
from drawbar.orchestrator.master.run_session import RunSession
from drawbar.orchestrator.planning.plan import make_plan
from drawbar.orchestrator.runs.recorder import Recorder
from drawbar.orchestrator.scenario.scenario import Scenario

N, STEP, RATE, REPEATS = 8, 1e-3, 100.0, 7


class EulerLag(Continuous, method="euler", step=STEP):
    """A lag y' = k (u - y), one explicit Euler micro-step to a millisecond."""

    u = Input("1", "signal to follow")
    k = Parameter(RATE, "1/s", "rate")
    y = State(0.0, "1", "delayed signal", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": self.k * (self.u - self.y)}


def instances(fmu: Path) -> dict[str, FmuInstance]:
    description = read_description(fmu)
    return {f"lag{i}": FmuInstance(description, f"lag{i}") for i in range(N)}


def start(parts: dict[str, FmuInstance], first: dict[str, float]) -> None:
    for i, instance in enumerate(parts.values()):
        instance.initialize(0.0, first if i == 0 else {})
    for instance in parts.values():
        instance.start()


def diagram(algorithm: str, closed: bool = False) -> Diagram:
    made = Diagram("ring" if closed else "chain", step=STEP, stop=1.0, algorithm=algorithm)
    parts = [made.add(f"lag{i}", EulerLag) for i in range(N)]
    for a, b in zip(parts, parts[1:] + parts[:1] if closed else parts[1:], strict=False):
        made.connect(a.y, b.u)
    return made


def cost(run: Callable[[int], object], steps: int) -> float:
    """The least CPU time of several repeats, us per part and step."""
    best = float("inf")
    for _ in range(REPEATS):
        began = time.process_time()
        run(steps)
        best = min(best, (time.process_time() - began) / steps / N * 1e6)
    return best


def bare_c(fmu: Path, steps: int) -> tuple[float, float]:
    library, parts = load(), instances(fmu)
    start(parts, {"u": 1.0})
    fmus = (BareFmu * N)(*[bare_fmu(p, "u", "y") for p in parts.values()])
    values = np.zeros(N)
    best = cost(lambda n: library.chain(fmus, N, values.ctypes.data, 1.0, STEP, n), steps)
    return best, float(values[-1])


def drawbar(fmu: Path, steps: int, algorithm: str, closed: bool = False) -> tuple[float, np.ndarray]:
    master = begun(fmu, algorithm, closed)
    best = cost(lambda n: master.advance(master.tick + n), steps)
    assert master.tick == REPEATS * steps
    return best, master.values.copy()


def begun(fmu: Path, algorithm: str, closed: bool) -> Master:
    """A master that is ready to step and records nothing."""
    parts = instances(fmu)
    start(parts, {"y": float(N)} if closed else {"u": 1.0})
    master = Master(make_plan(diagram(algorithm, closed)), parts, record=False)
    assert master.exchange() is None
    return master


def from_python(fmu: Path, steps: int) -> float:
    master = begun(fmu, DEFAULT_ALGORITHM, closed=False)

    def run(n: int) -> None:
        for tick in range(master.tick + 1, master.tick + n + 1):
            master.advance(tick)

    return cost(run, max(200, steps // 10))


def recorded(steps: int) -> float:
    chain = diagram(DEFAULT_ALGORITHM)
    plan = make_plan(chain, [f"lag{N - 1}.y"])

    def run(n: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            session = RunSession(plan, Rows(row_shapes(plan, chunk_ticks(plan))))
            session.open(chain, "fmu")
            session.initialize(chain, {"lag0": {"u": 1.0}})
            session.start("c")
            recorder = Recorder(Path(folder) / "run", {}, [rate.rate for rate in plan.rates])
            began = time.process_time()
            assert RunLoop(session, n, recorder, Scenario()).run() is None
            took = time.process_time() - began
            session.close()
        return took / n / N * 1e6

    return min(run(steps) for _ in range(3 * REPEATS))  # the disk is noisier than the processor


def fmpy(fmu: Path, steps: int) -> float:
    parts = instances(fmu)
    start(parts, {"u": 1.0})
    slaves = [p._slave for p in parts.values()]
    u, y = (int(r) for r in next(iter(parts.values())).references(["u", "y"]))

    def run(n: int) -> None:
        values = [0.0] * N
        for k in range(n):
            for i in range(1, N):
                slaves[i].setReal([u], [values[i - 1]])
            for slave in slaves:
                slave.doStep(currentCommunicationPoint=k * STEP, communicationStepSize=STEP)
            for i, slave in enumerate(slaves):
                values[i] = slave.getReal([y])[0]

    return cost(run, max(200, steps // 200))


def measure(steps: int) -> dict[str, float | None]:
    fmu = build(EulerLag)
    floor, bare_end = bare_c(fmu, steps)
    ours, chain_values = drawbar(fmu, steps, "jacobi")
    assert chain_values[-1] == bare_end, "the two loops must do the same"
    with_one, slaves = recorded(steps), fmpy(fmu, steps)
    _, ring_values = drawbar(fmu, steps, "jacobi", closed=True)
    assert np.abs(ring_values - 1.0).max() < 1e-14, ring_values
    references = {name: int(s.reference) for name, s in read_description(fmu).scalars.items()}
    others = {name: peers.measure(name, fmu, references, N, STEP, steps) for name in peers.PACKAGES}
    found: dict[str, float | None] = {
        "bare_c_us": floor,
        "drawbar_us": ours,
        "default_us": drawbar(fmu, steps, DEFAULT_ALGORITHM)[0],
        "recorded_us": with_one,
        "from_python_us": from_python(fmu, steps),
        "fmpy_us": slaves,
    }
    for name, costs in others.items():
        found |= {f"{name}_us": costs.get("us"), f"{name}_recorded_us": costs.get("recorded_us")}
    best = {key: min((c[key] for c in others.values() if c), default=None) for key in ("us", "recorded_us")}
    return {
        **found,
        "ratio_to_bare": ours / floor,
        "ratio_to_fmpy": slaves / ours,
        "ratio_to_best_peer": None if best["us"] is None else best["us"] / with_one,
        "ratio_recorded": None if best["recorded_us"] is None else best["recorded_us"] / with_one,
        "ring_end": float(ring_values[0]),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--steps", type=int, default=100_000)
    options = parser.parse_args()
    found = measure(options.steps)
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:20} {'-' if value is None else format(value, '.4g')}")
