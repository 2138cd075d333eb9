"""`simulate`: a diagram run from start to stop into a run folder."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from drawbar.blocks.core.errors import DrawbarError, RunError, UsageError, did_you_mean
from drawbar.blocks.core.interruption import DeferredInterruption, is_interrupted
from drawbar.diagrams.checks.check import check
from drawbar.diagrams.checks.notes import notes
from drawbar.diagrams.drawing.picture import svg
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.model.master_settings import exact_stop_time
from drawbar.fmus.backends.instance import AddressedInstance
from drawbar.fmus.toolchain.cache import BuildCallback
from drawbar.fmus.toolchain.compilers import find_compiler
from drawbar.orchestrator.master.rows import Rows, shapes
from drawbar.orchestrator.master.run_loop import Loop, Progress, Scenario, chunk_ticks
from drawbar.orchestrator.master.run_session import Live
from drawbar.orchestrator.master.working_directory import kept_directory
from drawbar.orchestrator.planning.plan import make_plan
from drawbar.orchestrator.planning.schedule import Plan
from drawbar.orchestrator.run_description import describe_run
from drawbar.orchestrator.runs.recorder import PICTURE_FILE, Recorder, folder_name, write_whole
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.scenario.changes import Change, read_changes
from drawbar.orchestrator.scenario.condition import Condition
from drawbar.orchestrator.scenario.inputs import InputTable, described, read_inputs
from drawbar.orchestrator.scenario.pacing import Pacer
from drawbar.orchestrator.supervision.shared_memory import Shared

BACKENDS = ("fmu", "native", "interpreted")
ENGINES = ("c", "python")
LONGEST_EXPONENT = 4  # characters of an exponent in a stop time


def simulate(
    diagram: Diagram,
    *,
    stop: float | str | Fraction | None = None,
    out: Path | str | None = None,
    backend: str | None = None,
    engine: str | None = None,
    record: Sequence[str] | str = ("*",),
    decimation: int = 1,
    inputs: InputTable | Path | str | None = None,
    changes: Sequence[Change | str] = (),
    until: str | None = None,
    pace: float | None = None,
    info: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    compiling: BuildCallback | None = None,
    shared: Shared | None = None,
) -> Run:
    """Check a diagram, run it to `stop` seconds (default: the diagram's own) and return the recorded run.

    `out` is a new or empty folder, by default ``runs/<diagram>-<number>``. `backend` is how blocks run: as their
    ``fmu``, ``native`` without the zip, or ``interpreted``; `engine` is what steps them: ``c`` or ``python``. The
    default of both is the fastest that this machine allows. Outputs that match a pattern of `record` are recorded,
    every `decimation`-th row of them.

    The scenario: `inputs` drive inputs that no part drives (a CSV file, see `inputs.py`), `changes` alter parameters at
    their times (``2.5:tire.friction=0.3``), the run ends early where the condition `until` first holds (``vehicle.y >
    3.5``; it is evaluated after each macro step), and `pace` 1 runs no faster than real time.

    `info` is added to run.json. `progress` is called with the seconds done and the seconds in all, `compiling` with the
    FMU that is compiled, its number and the number of all. `shared` is memory that a supervising process maps too.

    Raise `DiagramError` before anything is written if the diagram has faults, `UsageError` for a stop time that is not
    a whole number of steps, and `RunError` for a run that stopped early; its folder then holds all rows up to there.
    """
    backend, engine = _choose(backend, engine)
    check(diagram)
    whole, diagram = diagram, flatten(diagram)
    record = [record] if isinstance(record, str) else record
    if isinstance(inputs, str | Path):
        inputs = read_inputs(Path(inputs), diagram)
    planned_changes = read_changes(changes, diagram)
    condition = None if until is None else Condition(until, _signals(diagram), _other_names(diagram))
    plan = make_plan(diagram, record, decimation, watch=None if condition is None else condition.signals, table=inputs)
    ticks = plan.ticks(_seconds(diagram.stop if stop is None else stop))
    scenario = Scenario(
        inputs, _at_ticks(plan, planned_changes, ticks, inputs), condition, None if pace is None else Pacer(pace)
    )
    capacity = chunk_ticks(plan, scenario.pacer)
    made: Run | None = None
    try:
        with DeferredInterruption() as deferred:  # the closing of a run is not interrupted
            live = Live(plan, Rows(shapes(plan, capacity)) if shared is None else shared.begin(plan, capacity))
            try:
                with deferred.acting_at_once(), kept_directory():
                    live.open(diagram, backend, compiling)
                ours = all(isinstance(i, AddressedInstance) for i in live.instances.values())
                engine = engine or ("c" if ours else "python")
                folder = Path(out) if out is not None else _next_folder(diagram.name)
                fed = {(t.part, t.scalar) for c in ([] if inputs is None else inputs.columns) for t in c.targets}
                fed |= {(c.part, scalar) for c in planned_changes for scalar in c.values}
                told = describe_run(whole, diagram, plan, ticks, backend, engine)
                what = {"settings": {}, **told, "notes": notes(whole, fed)}
                what |= _told(scenario, until, pace)
                recorder = Recorder(folder, what | dict(info or {}), [r.rate for r in plan.rates])
                with contextlib.suppress(DrawbarError):  # if the disk is full, writing the first rows reports it
                    write_whole(folder / PICTURE_FILE, svg(whole).encode())
                if shared is not None:
                    shared.name_folder(folder)
                made = _run(diagram, live, ticks, engine, recorder, scenario, progress, deferred)
            finally:
                try:
                    live.close()
                finally:
                    if shared is not None:
                        shared.end()
    except KeyboardInterrupt:
        if made is None:
            raise
        raise RunError(f"interrupted when the run was complete; it is in {made.folder}") from None
    return made


def _signals(diagram: Diagram) -> list[str]:
    """Return the scalars that a stop condition may name."""
    return [
        f"{name}.{scalar}"
        for name, part in diagram.parts.items()
        for port in part.interface.of("output", "local")
        if port.type != "String"
        for scalar in port.scalar_names()
    ]


def _other_names(diagram: Diagram) -> dict[str, str]:
    """Return what the variables are that a stop condition may not name."""
    return {
        f"{name}.{scalar}": described(port)
        for name, part in diagram.parts.items()
        for port in part.interface.of("input", "parameter", "calculatedParameter")
        for scalar in port.scalar_names()
    }


def _at_ticks(plan: Plan, changes: Sequence[Change], ticks: int, inputs: InputTable | None) -> list[tuple[int, Change]]:
    """Return the changes by the tick at which their part begins a step."""
    every = {part.name: part.every for part in plan.parts}
    fed = {(t.part, t.scalar): c.name for c in ([] if inputs is None else inputs.columns) for t in c.targets}
    found = []
    for change in changes:
        step = plan.tick * every[change.part]
        steps = change.time / step
        where = f"the change of {change.part}.{change.name} at {float(change.time):g} s"
        if column := next((fed[change.part, s] for s in change.values if (change.part, s) in fed), None):
            raise UsageError(f"{where} would not last: column '{column}' of the input file drives it")
        if steps.denominator != 1:
            nearest = float(round(steps) * step)
            raise UsageError(
                f"{where} falls between two steps of {float(step):g} s of that part; the nearest is {nearest:.12g} s"
            )
        if (tick := int(steps) * every[change.part]) >= ticks:
            raise UsageError(f"{where} comes too late: the run stops at {float(ticks * plan.tick):g} s")
        found.append((tick, change))
    return sorted(found, key=lambda item: item[0])


def _told(scenario: Scenario, until: str | None, pace: float | None) -> dict[str, Any]:
    """Return the entries of run.json about the scenario."""
    told: dict[str, Any] = {}
    if scenario.inputs is not None:
        told["inputs"] = [c.name for c in scenario.inputs.columns]
        numbers = scenario.inputs.times.tobytes() + scenario.inputs.values.tobytes()
        told["inputs_sha256"] = hashlib.sha256(numbers).hexdigest()
    if scenario.changes:
        told["changes"] = [
            {"time": float(c.time), "part": c.part, "values": dict(c.values)} for _, c in scenario.changes
        ]
    if until is not None:
        told["until"] = until
    if pace is not None:
        told["pace"] = pace
    return told


def _choose(backend: str | None, engine: str | None) -> tuple[str, str | None]:
    """Return back end and engine with their defaults; raise `UsageError` for a combination that cannot work."""
    if backend is not None and backend not in BACKENDS:
        raise UsageError(f"backend '{backend}'" + did_you_mean(backend, BACKENDS))
    if engine is not None and engine not in ENGINES:
        raise UsageError(f"engine '{engine}'" + did_you_mean(engine, ENGINES))
    if backend == "interpreted" and engine == "c":
        raise UsageError("the interpreted back end has no C functions to call; use engine 'python' with it")
    compiled = find_compiler() is not None
    return backend or ("fmu" if compiled else "interpreted"), engine if engine or compiled else "python"


def _seconds(value: float | str | Fraction) -> Fraction:
    """Return a stop time as a fraction: a float is the simple fraction that rounds to it, else its decimal digits."""
    try:
        if isinstance(value, str) and len(value.partition("e")[2] or value.partition("E")[2]) > LONGEST_EXPONENT:
            raise ValueError  # its digits would take too much memory
        return exact_stop_time(value) if isinstance(value, float) else Fraction(value)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise UsageError(f"stop time '{value}' is no number of seconds") from None


def _next_folder(name: str) -> Path:
    """Make a new folder ``runs/<name>-<number>``; two runs that start at the same time get one each.

    The name may come from a file, so it is made safe as part of a path.
    """
    name = folder_name(name)[:80]
    try:
        Path("runs").mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"output folder runs cannot be made: {error.strerror or error}; name one that you may write to (--out)"
        ) from None
    names = [p.name.rpartition("-") for p in Path("runs").glob(f"{name}-*")]
    number = 1 + max((int(n) for stem, _, n in names if stem == name and n.isdigit()), default=0)
    while True:
        folder = Path("runs") / f"{name}-{number:03d}"
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder


def _run(
    diagram: Diagram,
    live: Live,
    ticks: int,
    engine: str,
    recorder: Recorder,
    scenario: Scenario,
    progress: Progress | None,
    deferred: DeferredInterruption,
) -> Run:
    began = time.perf_counter()
    loop = Loop(live, ticks, recorder, scenario, progress)
    try:
        with deferred.acting_at_once(), kept_directory():
            live.initialize(diagram, _first(scenario.inputs))
            live.start(engine)
            stepping = time.perf_counter()
            live.fault = fault = loop.run()
            if fault is not None and is_interrupted():  # an FMU with Python inside reports it as a failure of its own
                raise KeyboardInterrupt
        timing = _timing(live, loop, stepping - began, time.perf_counter() - stepping)
        message = _stop(loop) if fault is None else live.explain(fault)
        recorder.finish("ok" if fault is None else "failed", message, timing=timing)
    except BaseException as error:
        live.idle()
        outcome, message = _end(error, live.time)
        with contextlib.suppress(Exception):  # on a full disk neither the last rows nor the outcome can be written
            if live.master is not None:
                loop.drain()
        with contextlib.suppress(Exception):
            recorder.finish(outcome, message)
        if isinstance(error, KeyboardInterrupt):
            raise RunError(f"{message}; what was recorded is in {recorder.folder}") from None
        if isinstance(error, DrawbarError):
            raise RunError(f"{error}; the run stopped at t = {live.time:g} s") from error.__cause__
        raise
    if fault is not None:
        raise RunError(f"{message}; what was recorded until then is in {recorder.folder}") from live.cause(fault)
    return Run(recorder.folder)


def _stop(loop: Loop) -> str | None:
    """Return whether the stop condition held, as a sentence, if there was one."""
    if loop.scenario.until is None:
        return None
    held = "never held" if loop.stopped is None else f"held at t = {loop.stopped:g} s"
    return f"the stop condition {held}"


def _end(error: BaseException, at: float) -> tuple[str, str]:
    """Return the outcome of a run that an error ended, and the message of it."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", f"interrupted at t = {at:g} s"
    if isinstance(error, DrawbarError):
        return "failed", str(error)
    text = (str(error).strip() or "no more is known").splitlines()[0]
    return "failed", f"{type(error).__name__} at t = {at:g} s: {text}"


def _first(table: InputTable | None) -> dict[str, dict[str, float]]:
    """Return the values of an input file at the start, by part and input."""
    found: dict[str, dict[str, float]] = {}
    if table is not None:
        for column, value in zip(table.columns, table.rows(np.zeros(1))[0], strict=True):
            for part, scalar, gain, offset in column.targets:
                found.setdefault(part, {})[scalar] = gain * float(value) + offset
    return found


def _timing(live: Live, loop: Loop, start: float, wall: float) -> dict[str, Any]:
    """Return wall times, and the cost of each part."""
    assert live.master is not None
    simulated = live.time if loop.stopped is None else loop.stopped
    pacer = loop.scenario.pacer
    return {
        "start_s": start,
        "wall_s": wall,
        "simulated_s": simulated,
        "real_time_factor": simulated / max(wall, 1e-9),
        "parts": {
            name: {"steps": t.steps, "us_per_step": 1e6 * t.seconds, "warnings": t.warnings}
            for name, t in live.master.tallies().items()
        },
        **({} if pacer is None else {"pace": pacer.report()}),
    }
