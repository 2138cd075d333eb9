"""`simulate`: a diagram run from start to stop into a run folder."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from drawbar.blocks.core.errors import DrawbarError, RunError, UsageError, did_you_mean
from drawbar.blocks.core.interruption import DeferredInterruption, insistent, is_interrupted
from drawbar.diagrams.checks.check import check
from drawbar.diagrams.drawing.picture import svg
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.model.master_settings import read_stop_time
from drawbar.fmus.toolchain.cache import BuildCallback
from drawbar.fmus.toolchain.compilers import find_compiler
from drawbar.orchestrator.master.rows import Rows, row_shapes
from drawbar.orchestrator.master.run_loop import Progress, RunLoop, chunk_ticks
from drawbar.orchestrator.master.run_session import RunSession, preserved_working_directory
from drawbar.orchestrator.planning.plan import make_plan
from drawbar.orchestrator.reports.pages import write_pages
from drawbar.orchestrator.run_description import describe_run
from drawbar.orchestrator.runs.recorder import PICTURE_FILE, Recorder, next_folder, write_whole
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.scenario.changes import Change
from drawbar.orchestrator.scenario.inputs import InputTable
from drawbar.orchestrator.scenario.scenario import read_scenario
from drawbar.orchestrator.supervision.shared_memory import SharedMemory

BACKENDS = ("fmu", "native", "interpreted")
ENGINES = ("c", "python")


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
    page: bool = False,
    picture: bool = False,
    info: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    compiling: BuildCallback | None = None,
    shared: SharedMemory | None = None,
) -> Run:
    """Check a diagram, run it to `stop` seconds (default: the diagram's own) and return the recorded run.

    `out` is a new or empty folder, by default ``runs/<diagram>-<number>``. `backend` is how blocks run: as their
    ``fmu``, ``native`` without the zip, or ``interpreted``; `engine` is what steps them: ``c`` or ``python``. The
    default of both is the fastest that this machine allows. Outputs that match a pattern of `record` are recorded,
    every `decimation`-th row of them.

    The scenario: `inputs` drive inputs that no part drives (a CSV file, see `inputs.py`), `changes` alter parameters at
    their times (``2.5:tire.friction=0.3``), the run ends early where the condition `until` first holds (``vehicle.y >
    3.5``; it is evaluated after each macro step), and `pace` 1 runs no faster than real time.

    `page` writes the plot page of a complete run, ``plot.html`` in its folder, as ``drawbar run`` does, and the picture
    of the diagram for ``drawbar view``; `picture` draws the picture alone.

    `info` is added to run.json. `progress` is called with the seconds done and the seconds in all, `compiling` with the
    FMU that is compiled, its number and the number of all. `shared` is memory that a supervising process maps too.

    Raise `DiagramError` before anything is written if the diagram has faults, `UsageError` for a stop time that is not
    a whole number of steps, and `RunError` for a run that stopped early; its folder then holds all rows up to there.
    """
    backend, engine = _choose(backend, engine)
    with insistent():
        check(diagram)
        flat = flatten(diagram)
        scenario = read_scenario(flat, inputs, changes, until, pace)
        patterns = [record] if isinstance(record, str) else record
        plan = make_plan(flat, patterns, decimation, watch=scenario.watched, table=scenario.inputs)
    ticks = plan.ticks(read_stop_time(flat.stop if stop is None else stop))
    changes_by_tick = scenario.changes_by_tick(plan.tick, {part.name: part.period_ticks for part in plan.parts}, ticks)
    capacity = chunk_ticks(plan, scenario.pacer)
    run: Run | None = None
    try:
        with DeferredInterruption() as deferred:  # the closing of a run is not interrupted
            rows = Rows(row_shapes(plan, capacity)) if shared is None else shared.begin(plan, capacity)
            listener = None if shared is None else shared.add_message
            with _closing(RunSession(plan, rows, listener), shared) as session:
                with deferred.acting_at_once(), insistent(), preserved_working_directory():
                    session.open(flat, backend, compiling)
                engine = engine or session.fastest_engine
                entries = describe_run(diagram, flat, plan, ticks, backend, engine, scenario) | dict(info or {})
                folder = next_folder(flat.name) if out is None else Path(out)
                recorder = Recorder(folder, entries, [r.rate for r in plan.rates])
                if picture or page:
                    with contextlib.suppress(DrawbarError):  # if the disk is full, writing the first rows reports it
                        write_whole(folder / PICTURE_FILE, svg(diagram).encode())
                if shared is not None:
                    shared.set_folder(folder)
                loop = RunLoop(session, ticks, recorder, scenario, changes_by_tick, progress)
                run = _initialize_and_step(flat, loop, engine, deferred)
    except KeyboardInterrupt:
        if run is None:
            raise
        raise RunError(f"interrupted when the run was complete; it is in {run.folder}") from None
    if page:
        write_pages(run.folder)
    return run


@contextlib.contextmanager
def _closing(session: RunSession, shared: SharedMemory | None) -> Iterator[RunSession]:
    """Return a context at whose end all parts are closed and the supervising process learns that the run is over."""
    try:
        yield session
    finally:
        try:
            session.close()
        finally:
            if shared is not None:
                shared.end()


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


def _initialize_and_step(diagram: Diagram, loop: RunLoop, engine: str, deferred: DeferredInterruption) -> Run:
    """Initialize the parts, step them and close the recording, whatever ends the run."""
    session, recorder = loop.session, loop.recorder
    began = time.perf_counter()
    try:
        with deferred.acting_at_once(), preserved_working_directory():
            recorder.add_accuracy_notes(session.initialize(diagram, loop.scenario.initial_inputs()))
            session.start(engine)
            stepping = time.perf_counter()
            session.fault = fault = loop.run()
            if fault is not None and is_interrupted():  # an FMU with Python inside reports it as a failure of its own
                raise KeyboardInterrupt
        timing = loop.timing(stepping - began, time.perf_counter() - stepping)
        message = loop.stop_message() if fault is None else session.explain(fault)
        said = session.messages(None if fault is None else fault.part)
        recorder.finish("ok" if fault is None else "failed", message, timing, said)
    except BaseException as error:
        failed = session.called
        session.idle()
        outcome, message = _outcome_of(error, session.time)
        with contextlib.suppress(Exception):  # on a full disk neither the last rows nor the outcome can be written
            if session.master is not None:
                loop.drain()
        with contextlib.suppress(Exception):
            recorder.finish(outcome, message, messages=session.messages(failed))
        if isinstance(error, KeyboardInterrupt):
            raise RunError(f"{message}; what was recorded is in {recorder.folder}") from None
        if isinstance(error, DrawbarError):
            raise RunError(f"{error}; the run stopped at t = {session.time:g} s") from error.__cause__
        raise
    if fault is not None:
        raise RunError(f"{message}; what was recorded until then is in {recorder.folder}") from session.cause(fault)
    return Run(recorder.folder)


def _outcome_of(error: BaseException, at: float) -> tuple[str, str]:
    """Return the outcome of a run that an error ended, and the message of it."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", f"interrupted at t = {at:g} s"
    if isinstance(error, DrawbarError):
        return "failed", str(error)
    text = (str(error).strip() or "no more is known").splitlines()[0]
    return "failed", f"{type(error).__name__} at t = {at:g} s: {text}"
