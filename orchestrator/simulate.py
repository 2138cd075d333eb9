"""A diagram, run from start to stop into a run folder."""

from __future__ import annotations

import contextlib
import hashlib
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.errors import DrawbarError, FmuError, RunError, UsageError, did_you_mean
from drawbar.diagrams.check import check
from drawbar.diagrams.diagram import Diagram
from drawbar.diagrams.loops import loops
from drawbar.diagrams.part import Part
from drawbar.diagrams.ssp import to_text
from drawbar.fmus.codegen import generate
from drawbar.fmus.description import read_description
from drawbar.fmus.instance import FmuInstance, Instance
from drawbar.fmus.interpreted import InterpretedInstance
from drawbar.fmus.native import native_instance
from drawbar.fmus.package import build
from drawbar.fmus.toolchain import find_compiler
from drawbar.fmus.write_description import write_description
from drawbar.orchestrator.master import Master
from drawbar.orchestrator.plan import Plan, make_plan
from drawbar.orchestrator.recorder import Recorder, folder_name
from drawbar.orchestrator.reference import DO_STEP, NOT_FINITE, Fault, ReferenceMaster
from drawbar.orchestrator.run import Run

BACKENDS = ("fmu", "native", "interpreted")
ENGINES = ("c", "python")
CHUNK = 16384  # ticks to a recorded file: what a killed run may lose
CHUNK_VALUES = 4_000_000  # the most values to a chunk; wide diagrams get shorter chunks
GLANCE = 0.1  # s between two looks at progress and the keyboard

Progress = Callable[[float, float], None]


@dataclass
class _Live:
    """What a run holds while it runs."""

    plan: Plan
    instances: dict[str, Instance] = field(default_factory=dict)
    master: Master | ReferenceMaster | None = None
    fault: Fault | None = None
    unwritten: list[tuple[int, NDArray[np.float64]]] = field(default_factory=list)

    def close(self) -> None:
        for name, instance in self.instances.items():
            instance.close(self.fault.status if self.fault is not None and self.fault.part == name else 0)


def simulate(
    diagram: Diagram,
    *,
    stop: float | str | Fraction | None = None,
    out: Path | str | None = None,
    backend: str | None = None,
    engine: str | None = None,
    record: Sequence[str] = ("*",),
    thin: int = 1,
    info: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Run:
    """Check a diagram, run it to `stop` seconds (default: the diagram's own) and return the recorded run.

    `out` is a new or empty folder, by default ``runs/<diagram>-<number>``. `backend` says how blocks run: as their
    ``fmu``, ``native`` without the zip, or ``interpreted``; `engine` says who steps: ``c`` or ``python``. Both are the
    fastest this machine allows if left out. Outputs that match a pattern of `record` are kept, every `thin`-th row of
    them. `info` is added to run.json; `progress` is told seconds done and in all.

    Raises `DiagramError` before anything is written if the diagram has faults, `UsageError` for a stop time that is no
    whole number of steps, and `RunError` for a run that stopped early; its folder then holds all rows up to there.
    """
    backend, engine = _choose(backend, engine)
    check(diagram)
    plan = make_plan(diagram, record, thin)
    ticks = plan.ticks(_seconds(diagram.stop if stop is None else stop))
    live = _Live(plan)
    try:
        _refuse_twins(diagram)
        for name, part in diagram.parts.items():
            live.instances[name] = _open(part, backend)
        engine = engine or ("c" if all(isinstance(i, FmuInstance) for i in live.instances.values()) else "python")
        folder = Path(out) if out is not None else _next_folder(diagram.name)
        recorder = Recorder(
            folder, _info(diagram, plan, ticks, backend, engine, info or {}), [r.rate for r in plan.rates]
        )
        return _run(diagram, live, ticks, engine, recorder, progress)
    finally:
        live.close()


def _choose(backend: str | None, engine: str | None) -> tuple[str, str | None]:
    """Fill in the defaults and refuse what does not go together."""
    if backend is not None and backend not in BACKENDS:
        raise UsageError(f"backend '{backend}'" + did_you_mean(backend, BACKENDS))
    if engine is not None and engine not in ENGINES:
        raise UsageError(f"engine '{engine}'" + did_you_mean(engine, ENGINES))
    if backend == "interpreted" and engine == "c":
        raise UsageError("the interpreted back end has no C functions to call; use engine 'python' with it")
    compiled = find_compiler() is not None
    return backend or ("fmu" if compiled else "interpreted"), engine if engine or compiled else "python"


def _seconds(value: float | str | Fraction) -> Fraction:
    """A stop time as a fraction: a float is the simple fraction that rounds to it, else its decimal digits."""
    try:
        if not isinstance(value, float):
            return Fraction(value)
        simple = Fraction(value).limit_denominator(1_000_000)
        return simple if float(simple) == value else Fraction(repr(value))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise UsageError(f"stop time '{value}' is no number of seconds") from None


def _refuse_twins(diagram: Diagram) -> None:
    """An FMU that allows one instance per process cannot be two parts."""
    seen: dict[Path, str] = {}
    for name, part in diagram.parts.items():
        if part.block is not None or not (description := read_description(part.fmu)).only_one_per_process:
            continue
        if (other := seen.setdefault(description.folder, name)) != name:
            raise FmuError(
                f"part '{name}': {description.identifier} allows one instance per process, and part '{other}' is one; "
                "keep one of them"
            )


def _open(part: Part, backend: str) -> Instance:
    if part.block is None:
        return FmuInstance(read_description(part.fmu), part.name)
    if backend == "interpreted":
        return InterpretedInstance(part.block, part.name)
    if backend == "native":
        return native_instance(part.block, part.name)
    return FmuInstance(read_description(build(part.block)), part.name)


def _next_folder(name: str) -> Path:
    """A new folder ``runs/<name>-<number>``; two runs that start at once get one each.

    The name may come from a file, so it is kept from being a path.
    """
    name = folder_name(name)[:80]
    Path("runs").mkdir(exist_ok=True)
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


def _info(
    diagram: Diagram, plan: Plan, ticks: int, backend: str, engine: str, more: Mapping[str, Any]
) -> dict[str, Any]:
    """What run.json says; nothing in it depends on when or where the run was made."""
    units = {name: _identity(part) for name, part in diagram.parts.items()}
    parameters = {name: dict(part.start_values()) for name, part in diagram.parts.items() if part.starts}
    scene = [
        item
        for part in diagram.parts.values()
        if part.block is not None
        for item in part.block.scene(_parameters_of(part))
    ]
    libraries = {name: version(name) for name in ("casadi", "fmpy", "numpy")}
    return {
        "diagram": diagram.name,
        "diagram_sha256": hashlib.sha256(to_text(diagram).encode()).hexdigest(),
        "units": units,
        "parameters": parameters,
        "step": str(diagram.step),
        "stop": float(ticks * plan.tick),
        "seed": 0,
        "versions": {"drawbar": version("drawbar"), "python": platform.python_version(), **libraries},
        "backend": backend,
        "engine": engine,
        "scene": scene,
        # a diagram that passed the check has loops only if it accepts the delay
        "delayed_loops": [" -> ".join(map(str, loop)) for loop in loops(diagram)],
        **more,
    }


def _identity(part: Part) -> str:
    if part.block is None:
        return "sha256:" + hashlib.sha256(part.fmu.read_bytes()).hexdigest()
    model = part.block.model()
    return generate(model, write_description(model, guid="")).guid


def _parameters_of(part: Part) -> dict[str, Any]:
    """All parameters of a part by scalar name: its start values, else those of its interface."""
    known = {
        name: value
        for port in part.interface.of("parameter")
        for name, value in zip(port.scalar_names(), port.start, strict=False)
    }
    return {**known, **part.start_values()}


def _run(diagram: Diagram, live: _Live, ticks: int, engine: str, recorder: Recorder, progress: Progress | None) -> Run:
    began = time.perf_counter()
    fault: Fault | None = None
    try:
        _initialize(diagram, live)
        if engine == "c":
            ours = {name: i for name, i in live.instances.items() if isinstance(i, FmuInstance)}
            live.master = Master(live.plan, ours, capacity=chunk_ticks(live.plan))
        else:
            live.master = ReferenceMaster(live.plan, live.instances)
        loop = time.perf_counter()
        fault = live.fault = _loop(live, live.master, ticks, recorder, progress)
    except DrawbarError as error:
        with contextlib.suppress(DrawbarError):  # a full disk takes no last word either
            recorder.finish("failed", str(error))
        raise RunError(f"{error}; the run stopped at t = {_time(live):g} s") from None
    except KeyboardInterrupt:
        _drain(live, recorder)
        done = _time(live)
        recorder.finish("interrupted", f"interrupted at t = {done:g} s")
        raise RunError(f"interrupted at t = {done:g} s; what was recorded is in {recorder.folder}") from None
    ended = time.perf_counter()
    simulated, wall = _time(live), ended - loop
    timing = {
        "start_s": loop - began,
        "wall_s": wall,
        "simulated_s": simulated,
        "real_time_factor": simulated / max(wall, 1e-9),
    }
    if fault is not None:
        message = _explain(live, fault)
        recorder.finish("failed", message, timing=timing)
        raise RunError(f"{message}; what was recorded until then is in {recorder.folder}")
    recorder.finish("ok", timing=timing)
    return Run(recorder.folder)


def _initialize(diagram: Diagram, live: _Live) -> None:
    """Start values, initialization mode, the ordered exchange, and out of it (FMI 2.0.4, section 4.2.4)."""
    for name, part in diagram.parts.items():
        live.instances[name].initialize(0.0, part.start_values())
    for sweep in live.plan.initial:
        for w in sweep:
            value = live.instances[w.start_part].get([w.start])[0]
            live.instances[w.end_part].set({w.end: w.gain * value + w.offset})
    for instance in live.instances.values():
        instance.start()


def _loop(
    live: _Live, master: Master | ReferenceMaster, ticks: int, recorder: Recorder, progress: Progress | None
) -> Fault | None:
    """Advance in pieces of about `GLANCE` seconds; write a file at each multiple of the chunk's ticks."""
    fault = master.exchange()
    piece, chunk = 64, chunk_ticks(live.plan)
    while fault is None and master.tick < ticks:
        began = time.perf_counter()
        chunk_end = (master.tick // chunk + 1) * chunk
        fault = master.advance(min(master.tick + piece, chunk_end, ticks))
        took = time.perf_counter() - began
        piece = max(1, min(chunk, int(piece * min(4.0, GLANCE / max(took, 1e-6)))))
        if master.tick == chunk_end and fault is None:
            _drain(live, recorder)
        if progress is not None:
            progress(float(master.tick * live.plan.tick), float(ticks * live.plan.tick))
    _drain(live, recorder)
    return fault


def chunk_ticks(plan: Plan) -> int:
    """Ticks to a recorded file; it depends on the diagram only, so that equal runs have equal files."""
    values_per_tick = sum((len(r.columns) + 1) / r.every for r in plan.rates)
    return max(16, min(CHUNK, int(CHUNK_VALUES / max(values_per_tick, 1e-9))))


def _drain(live: _Live, recorder: Recorder) -> None:
    if live.master is None:
        return
    for i in range(len(live.plan.rates)):
        rows = live.master.drain(i)
        if len(rows):
            live.unwritten.append((i, rows))
    # an interruption may come at any moment: what is not yet in its file stays in the list
    while live.unwritten:
        recorder.write(*live.unwritten[0])
        del live.unwritten[0]


def _time(live: _Live) -> float:
    return 0.0 if live.master is None else float(live.master.tick * live.plan.tick)


def _explain(live: _Live, fault: Fault) -> str:
    """One sentence: part, call or variable, time, the inputs it had, and what the part itself said."""
    assert live.master is not None
    part = next(p for p in live.plan.parts if p.name == fault.part)
    begin = part.input_begin
    inputs = ", ".join(f"{n} = {live.master.inputs[begin + i]:g}" for i, n in enumerate(part.inputs[:8]))
    at = f"t = {float(fault.tick * live.plan.tick):g} s"
    if fault.call == NOT_FINITE:
        what = f"{fault.variable} is {fault.value} at {at}"
    else:
        status = {2: "discard", 3: "error", 4: "fatal", 5: "pending"}.get(fault.status, str(fault.status))
        verb = "the step from" if fault.call == DO_STEP else f"{fault.call} at"
        what = f"part '{fault.part}': {verb} {at} returned '{status}'"
    said = live.instances[fault.part].messages()
    return what + (f" (inputs: {inputs})" if inputs else "") + (f"; it said: {said[-1]}" if said else "")
