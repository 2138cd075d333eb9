"""One foreign FMU stepped by one tool, FMPy or Drawbar, in a process of its own; `compare_with_fmpy.py` calls it.

Both read the plan, step sizes and inputs over time, from FMPy's description of the FMU, so that nothing of Drawbar
decides what is compared. The scheme is the plainest one: set the inputs of t, step from t to t + h, read all outputs.
Drawbar runs the FMU as the only part of a diagram with the algorithm ``jacobi``.

    python tests/interop/step_one_fmu.py {fmpy,drawbar} FMU RESULT [--steps N] [--inputs {varied,start}]

RESULT.json says what happened, RESULT.npz holds the rows of the outputs.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import math
import platform
import shutil
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHARE = 500  # steps in the default experiment where it gives no step
MOST_LOCALS = 100
TARGET, SUFFIX = {
    "Linux": ("linux64", ".so"),
    "Windows": ("win64", ".dll"),
    "Darwin": ("darwin64", ".dylib"),
}[platform.system()]
WHOLE = ("Integer", "Enumeration")
KINDS = {"Enumeration": "Integer"}
Rows = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Plan:
    """How an FMU is stepped, what its inputs are at the beginning of each step, and what is read after it."""

    step: Fraction
    steps: int
    inputs: Rows
    outputs: dict[str, str]  # names and types


def refusal(description: Any, folder: Path) -> str | None:
    """Return why an FMU is not one for this comparison, or None."""
    if description.fmiVersion != "2.0":
        return f"FMI {description.fmiVersion}"
    if description.coSimulation is None:
        return "for model exchange only"
    if not any((folder / "binaries" / TARGET).glob("*")):
        return f"no binary for {TARGET}"
    return None


def plan_of(description: Any, steps: int, varied: bool) -> Plan:
    experiment = description.defaultExperiment
    given, stop, start = (getattr(experiment, name, None) for name in ("stepSize", "stopTime", "startTime"))
    length = float(stop or 0.0) - float(start or 0.0)
    step = exact(given) if float(given or 0.0) > 0.0 else rounded(length / SHARE) if length > 0.0 else Fraction(1, 100)
    if length > 0.0:
        steps = max(1, min(steps, round(length / float(step))))
    variables = [v for v in description.modelVariables if v.type != "String"]
    inputs = {v.name: signal(v, steps, varied) for v in variables if v.causality == "input"}
    results = [v for v in variables if v.causality == "output"]
    # a model may have no outputs; then what it has inside is compared
    results = results or [v for v in variables if v.causality in (None, "local")][:MOST_LOCALS]
    return Plan(step, steps, inputs, {v.name: v.type for v in results})


def exact(text: str) -> Fraction:
    """Return a step as a fraction: 0.3333333333333333 means a third, which no decimal fraction equals."""
    simple = Fraction(float(text)).limit_denominator(1_000_000)
    return simple if float(simple) == float(text) else Fraction(text)


def rounded(seconds: float) -> Fraction:
    """Return the 1, 2 or 5 times a power of ten that is just below."""
    power = Fraction(10) ** math.floor(math.log10(seconds))
    return power * max(m for m in (1, 2, 5) if float(m * power) <= seconds * (1.0 + 1e-9))


def limits(variable: Any) -> tuple[float, float]:
    def one(which: str, otherwise: float) -> float:
        text = getattr(variable, which)
        if text is None and variable.declaredType is not None:
            text = getattr(variable.declaredType, which)
        return otherwise if text is None else float(text)

    return one("min", -np.inf), one("max", np.inf)


def signal(variable: Any, steps: int, varied: bool) -> NDArray[np.float64]:
    """Return a row for each step and one more: a sine and a step for a Real, a toggle for the others.

    They begin at the start value and differ between variables, by a seed made of the name.
    """
    text = str(variable.start or 0).strip()
    start = float({"true": "1", "false": "0"}.get(text, text))
    random = np.random.default_rng(zlib.crc32(variable.name.encode()))
    n = np.arange(steps + 1)
    if not varied:
        return np.full(steps + 1, start)
    if variable.type == "Boolean":
        return np.where(n // random.integers(7, 29) % 2 == 1, 1.0 - start, start)
    low, high = limits(variable)
    start = min(max(start, low), high)
    if variable.type in WHOLE:
        return np.where(n // random.integers(7, 29) % 2 == 1, start + 1.0 if start + 1.0 <= high else start, start)
    size = 0.1 * max(abs(start), 1.0)
    wave = np.sin(2 * np.pi * n / random.integers(23, 97)) + np.where(n >= steps // 2, random.uniform(-1, 1), 0.0)
    values: NDArray[np.float64] = np.clip(start + size * wave, low, high)
    return values


def by_fmpy(fmu: Path, folder: Path, description: Any, plan: Plan) -> Iterator[dict[str, float]]:
    """Yield the outputs after initialization and after each step."""
    from fmpy.fmi2 import FMU2Slave

    variables = {v.name: v for v in description.modelVariables}
    libraries = list((folder / "binaries" / TARGET).glob(f"*{SUFFIX}"))
    slave = FMU2Slave(
        # the only one is taken under any name, where FMPy by itself asks for that of the model identifier
        libraryPath=str(libraries[0]) if len(libraries) == 1 else None,
        guid=description.guid,
        unzipDirectory=str(folder),
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName="fmu",
    )

    def of(kind: str, names: Iterable[str]) -> list[str]:
        return [name for name in names if KINDS.get(variables[name].type, variables[name].type) == kind]

    # one call for each type, as FMPy's own loop does
    calls = {
        "Real": (slave.getReal, slave.setReal, float),
        "Integer": (slave.getInteger, slave.setInteger, int),
        "Boolean": (slave.getBoolean, slave.setBoolean, bool),
    }

    def put(n: int) -> None:
        for kind, (_, setter, number) in calls.items():
            if names := of(kind, plan.inputs):
                setter([variables[m].valueReference for m in names], [number(plan.inputs[m][n]) for m in names])

    def read() -> dict[str, float]:
        row: dict[str, float] = {}
        for kind, (getter, _, _) in calls.items():
            if names := of(kind, plan.outputs):
                row |= zip(names, map(float, getter([variables[m].valueReference for m in names])), strict=True)
        return row

    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    put(0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    yield read()
    for n in range(plan.steps):
        put(n)
        slave.doStep(float(n * plan.step), float(plan.step))
        yield read()
    slave.terminate()
    slave.freeInstance()


def fmpy_side(fmu: Path, steps: int, varied: bool) -> tuple[dict[str, Any], Rows]:
    import fmpy

    said: dict[str, Any] = {}
    rows: list[dict[str, float]] = []
    folder = Path(fmpy.extract(str(fmu)))
    try:
        description = fmpy.read_model_description(str(folder), validate=False)
        said["tool"] = description.generationTool or ""
        if (why := refusal(description, folder)) is not None:
            return said | {"not_for_this": why}, {}
        plan = plan_of(description, steps, varied)
        said |= {"step": float(plan.step), "steps": plan.steps, "inputs": len(plan.inputs), "types": plan.outputs}
        with contextlib.suppress(StopIteration):
            rows += by_fmpy(fmu, folder, description, plan)
    except Exception as error:  # whatever FMPy raises
        said["error"] = (str(error).strip() or type(error).__name__).splitlines()[0]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return said, {name: np.array([row[name] for row in rows]) for name in (rows[0] if rows else {})}


def drawbar_side(fmu: Path, steps: int, varied: bool, scratch: Path) -> tuple[dict[str, Any], Rows]:
    """``drawbar info``, ``drawbar check`` of a diagram with the FMU as its only part, and a run."""
    from fmpy import read_model_description

    from drawbar.blocks.core.errors import DrawbarError
    from drawbar.diagrams.model.diagram import Diagram
    from drawbar.diagrams.ssp.ssp import write
    from drawbar.orchestrator.runs.run import Run
    from drawbar.orchestrator.simulate import simulate

    said: dict[str, Any] = {"info": called("info", str(fmu))}
    rows: Rows = {}
    try:
        probe = Diagram("probe")
        probe.add("fmu", fmu)  # which names the fault of an FMU that is none for Drawbar
        plan = plan_of(read_model_description(str(fmu), validate=False), steps, varied)
        diagram = Diagram("one", step=plan.step, stop=plan.steps * plan.step, algorithm="jacobi")
        diagram.add("fmu", fmu)
        write(diagram, scratch / "one.ssd")
        said["check"] = called("check", str(scratch / "one.ssd"))
        table = scratch / "inputs.csv"
        names = [f"fmu.{name}" for name in plan.inputs]
        with table.open("w", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow(["time", *names])
            for n in range(plan.steps + 1):
                writer.writerow([repr(float(n * plan.step)), *(repr(float(v[n])) for v in plan.inputs.values())])
        try:
            recorded = ["*", *(["fmu.*"] if plan.outputs else [])]
            simulate(diagram, out=scratch / "run", inputs=table if names else None, record=recorded)
        finally:
            if (scratch / "run" / "run.json").is_file():
                run = Run(scratch / "run")
                rows = {n: run[f"fmu.{n}"].astype(float) for n in plan.outputs if f"fmu.{n}" in run}
    except DrawbarError as error:
        said["error"] = str(error)
    return said, rows


def called(verb: str, argument: str) -> str:
    """Call a verb of the command line; return an empty text for success, else its message."""
    from drawbar.orchestrator.cli.commands import main

    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = main([verb, argument])
    return "" if code == 0 else said.getvalue().strip() or f"exit code {code}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("side", choices=("fmpy", "drawbar"))
    parser.add_argument("fmu", type=Path)
    parser.add_argument("result", type=Path)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--inputs", choices=("varied", "start"), default="varied")
    options = parser.parse_args()
    varied = options.inputs == "varied"
    fmu, result = options.fmu.resolve(), options.result.resolve()  # FMPy changes the working directory
    with tempfile.TemporaryDirectory() as scratch:
        if options.side == "fmpy":
            said, rows = fmpy_side(fmu, options.steps, varied)
        else:
            said, rows = drawbar_side(fmu, options.steps, varied, Path(scratch))
    # the numbers first, so that a result without them is never complete
    np.savez(result.with_suffix(".npz"), **{str(i): values for i, values in enumerate(rows.values())})
    result.with_suffix(".json").write_text(json.dumps(said | {"rows": list(rows)}), "utf-8")


if __name__ == "__main__":
    main()
