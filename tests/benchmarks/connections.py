"""Two FMUs with a thousand connections each way: ``check`` and ``run``, beside FMPy stepping the same two FMUs.

Each row is user and system time of the whole process in seconds, the least of some runs, and its ratio to FMPy in the
same run: read and check both descriptions, instantiate and initialize, and 10 steps, with all values exchanged after
each. All three end with the same values, which is checked. The FMUs are those of tests/foreign/wide.c.

    python tests/benchmarks/connections.py [--json] [--repeats N]
"""

from __future__ import annotations

import argparse
import json
import runpy
import sys
import tempfile
from pathlib import Path

from startup import DRAWBAR, processor_time

from drawbar.diagrams import Diagram, write
from drawbar.orchestrator.runs.run import Run

HERE = Path(__file__).resolve()
BUILDER = HERE.parents[1] / "foreign" / "builder.py"
EACH_WAY, STEPS = 1000, 10
STEP = 1e-3  # s


def with_fmpy(folder: Path) -> float:
    """Step the two FMUs with FMPy in Jacobi order and return the last value that one of them has."""
    import fmpy
    from fmpy.fmi2 import FMU2Slave

    parts = []
    for name in ("a", "b"):
        archive = str(folder / f"{name}.fmu")
        description = fmpy.read_model_description(archive)
        place = fmpy.extract(archive)
        slave = FMU2Slave(
            guid=description.guid, unzipDirectory=place, modelIdentifier=description.coSimulation.modelIdentifier
        )
        slave.instantiate()
        slave.setupExperiment(startTime=0.0)
        slave.enterInitializationMode()
        references = {v.name: v.valueReference for v in description.modelVariables}
        ins, outs = ([references[f"{kind}_{i}"] for i in range(EACH_WAY)] for kind in "uy")
        parts.append((slave, ins, outs))
    (a, a_in, a_out), (b, b_in, b_out) = parts

    def exchange() -> None:
        to_b, to_a = a.getReal(a_out), b.getReal(b_out)
        b.setReal(b_in, to_b)
        a.setReal(a_in, to_a)

    exchange()
    for slave in (a, b):
        slave.exitInitializationMode()
    for i in range(STEPS):
        for slave in (a, b):
            slave.doStep(currentCommunicationPoint=i * STEP, communicationStepSize=STEP)
        exchange()
    return float(a.getReal(a_out[-1:])[0])


def diagram(folder: Path) -> Path:
    """Build both FMUs and write the diagram that connects them."""
    build = runpy.run_path(str(BUILDER))["build"]
    d = Diagram("connections", step=STEP, stop=STEPS * STEP, algorithm="jacobi")
    a, b = (
        d.add(name, build(folder, "wide", name=name, starts={f"y_{i}": first + i for i in range(EACH_WAY)}))
        for name, first in (("a", 0.0), ("b", 5000.0))
    )
    for i in range(EACH_WAY):
        d.connect(getattr(a, f"y_{i}"), getattr(b, f"u_{i}"))
        d.connect(getattr(b, f"y_{i}"), getattr(a, f"u_{i}"))
    write(d, folder / "connections.ssd")
    return folder / "connections.ssd"


def measure(folder: Path, repeats: int) -> list[dict[str, float | str]]:
    """Return a row for each way; its first run warms the caches and does not count."""
    file = diagram(folder)
    run = [DRAWBAR, "run", str(file), "--no-page", "--out"]
    processor_time([*run, str(folder / "first")])
    ours, theirs = Run(folder / "first")[f"a.y_{EACH_WAY - 1}"][-1], with_fmpy(folder)
    if ours != theirs:
        raise SystemExit(f"Drawbar ends with {ours!r}, FMPy with {theirs!r}")
    rows: list[dict[str, float | str]] = []
    for name, words in {
        "FMPy": [sys.executable, str(HERE), "--with-fmpy", str(folder)],
        "drawbar check": [DRAWBAR, "check", str(file)],
        "drawbar run": [*run, "run"],
    }.items():
        processor_time(words)
        best = min(processor_time(words) for _ in range(repeats))
        floor = float(rows[0]["cpu_s"]) if rows else best
        rows.append({"way": name, "cpu_s": best, "ratio_to_fmpy": best / floor})
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each that count (default: %(default)s)")
    parser.add_argument("--with-fmpy", type=Path, metavar="FOLDER", help="step the FMUs of a folder with FMPy alone")
    options = parser.parse_args()
    if options.with_fmpy:
        with_fmpy(options.with_fmpy)
        sys.exit()
    with tempfile.TemporaryDirectory() as scratch:
        result = measure(Path(scratch), options.repeats)
    if options.json:
        print(json.dumps(result))
    else:
        for row in result:
            print(f"{row['cpu_s']:7.2f} s {row['ratio_to_fmpy']:7.1f} x  {row['way']}")
