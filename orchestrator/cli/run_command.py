"""``drawbar run``: a diagram, its report, and what other packages make of the run."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from drawbar.blocks.authoring.registry import open_workspace
from drawbar.blocks.core.errors import DiagramError, DrawbarError, UsageError, did_you_mean
from drawbar.blocks.core.interruption import is_interrupted
from drawbar.blocks.core.progress_bar import Bar
from drawbar.diagrams.checks.check import faults
from drawbar.diagrams.checks.notes import long_step_note
from drawbar.diagrams.library import find
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.parameter_bindings import bind
from drawbar.diagrams.parameters.presets import find_set
from drawbar.diagrams.ssp.ssp import read
from drawbar.fmus.commands import add_workspace
from drawbar.orchestrator.reports.responses import check_report
from drawbar.orchestrator.reports.run_report import case_folder, show, show_json
from drawbar.orchestrator.reports.step_check import StepCheck
from drawbar.orchestrator.runs.recorder import HALF_STEP, json_bytes, write_whole
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.scenario.settings import apply_setting, apply_use, sets_of, settings_of
from drawbar.orchestrator.simulate import BACKENDS, ENGINES, simulate
from drawbar.orchestrator.supervision import supervisor
from drawbar.orchestrator.supervision.standard_streams import complain, warn

REPORTS = "drawbar.reports"
CHECK_FILE = "check.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar run``."""
    parser.add_argument("diagram", help="library diagram, folder, .ssd or .ssp file, or PACKAGE.ssp:VARIANT.ssd")
    parser.add_argument("--stop", metavar="S", help="stop time in seconds; default: the diagram's own")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PART.NAME=VALUE",
        dest="settings",
        help="a parameter or start value; may be repeated; an array as [1, 2, 3]; in another unit as 50km/h",
    )
    parser.add_argument(
        "--params",
        action="append",
        default=[],
        metavar="[PART=]FILE.ssv",
        help="a parameter set, or the name of a preset: hmmwv_public, hmmwv_paper2015; with PART= for that part alone; "
        "may be repeated, later ones win, and --set wins over all",
    )
    parser.add_argument(
        "--use",
        action="append",
        default=[],
        metavar="PART=BLOCK",
        help="another block, or the path of an FMU, in the place of a part, with its wires; may be repeated",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="folder of the run, new or empty; default: runs/<diagram>-<number>"
    )
    parser.add_argument(
        "--record", action="append", metavar="PATTERN", help="outputs to record, such as 'vehicle.*'; may be repeated"
    )
    parser.add_argument("--decimation", type=int, default=1, metavar="N", help="record every N-th row only")
    parser.add_argument(
        "--backend", choices=BACKENDS, help="how blocks run; default: fmu, or interpreted without compiler"
    )
    parser.add_argument("--engine", choices=ENGINES, help="who steps: the C loop, or its Python reference")
    add_workspace(parser)
    parser.add_argument("--input", metavar="FILE.csv", help="drive inputs: columns time, part.input, ...")
    parser.add_argument(
        "--change",
        action="append",
        default=[],
        metavar="T:PART.NAME=VALUE",
        help="change a tunable parameter, or an input that nothing drives, at T seconds; may be repeated",
    )
    parser.add_argument("--until", metavar="CONDITION", help="stop where it first holds, as in 'vehicle.y > 3.5'")
    parser.add_argument("--pace", type=float, metavar="X", help="X times as fast as real time at most; 1 is real time")
    parser.add_argument(
        "--timeout",
        type=float,
        default=supervisor.TIMEOUT,
        metavar="S",
        help="end the run when one call of a part takes longer; 0 for never; default: %(default)g",
    )
    parser.add_argument(
        "--check", action="store_true", help="run again at half the step: error bars, lateness along loops, costs"
    )
    parser.add_argument("--no-page", action="store_true", help="do not write the plot page")


def call(options: argparse.Namespace) -> int:
    """Run the diagram and the further cases of its report, and print the results."""
    if not options.timeout >= 0.0:
        raise UsageError(f"timeout {options.timeout:g}: give seconds, or 0 for no limit")
    if options.workspace:
        open_workspace(options.workspace)
    path = find(options.diagram, options.workspace)
    report = _report(path)
    out = Path(options.out) if options.out else None
    for case in report.get("cases", []):  # faults of a case must show before the main run
        _diagram(path, [*options.params, *sets_of(case)], options.use, settings_of(case))
    warned = _warn(path, options)
    run = _simulate(path, options.settings, options.params, options, out, report)
    check, cases, pages, failed = None, [], [], ""
    what = "the run at half the step"
    try:
        if options.check:
            _belongs(run, what)
            check = StepCheck(run, _halved(path, options, run))
            write_whole(run.folder / CHECK_FILE, json_bytes(check.to_json(_diagram(path, options.params, options.use))))
        for case in report.get("cases", []):
            what = f"case '{case['name']}'"
            _belongs(run, what)
            settings = [*options.settings, *settings_of(case)]
            params = [*options.params, *sets_of(case)]
            own = {**report, "cases": [], "judge": case.get("judge", report.get("judge"))}
            cases.append((case, _simulate(path, settings, params, options, case_folder(run, case), own)))
    except (DrawbarError, KeyboardInterrupt) as error:  # what was done until then is still shown
        if options.debug:
            raise
        failed = f"{what}: {str(error) or 'interrupted'}"
    try:
        if not options.no_page and not is_interrupted():
            pages = [str(write(run.folder)) for write in _report_writers()]
    except KeyboardInterrupt:
        failed = failed or f"interrupted when the run was complete; it is in {run.folder}"
    if options.json:
        checked = None if check is None else json.loads((run.folder / CHECK_FILE).read_bytes())
        show_json(run, report, cases, failed, checked, pages)
    else:
        show(run, report, cases, [*options.settings, *options.use], warned)
        if check is not None:
            print(check.text(_diagram(path, options.params, options.use)))
        print(f"\nrun   {run.folder}")
        for page in pages:
            print(f"page  {page}")
    if failed:
        complain(failed)
    return 1 if failed else 0


def _warn(path: Path, options: argparse.Namespace) -> list[str]:
    """Print a warning of what may spoil a run, and return it.

    A diagram that cannot run is left to the report of its faults.
    """
    diagram = _diagram(path, options.params, options.use, options.settings)
    if (step := long_step_note(diagram)) is None or faults(diagram):
        return []
    warn(step)
    return [step]


def _belongs(run: Run, what: str) -> None:
    """Let the supervisor know that the next runs are further ones of this run."""
    if (shared := supervisor.shared()) is not None:
        shared.belongs(run.folder, what)


def _set_of(path: Path, given: str) -> tuple[Path, str]:
    """Return the file that ``--params [PART=]FILE`` means, and its part, which is empty without ``PART=``."""
    part, equals, name = given.partition("=")
    if not equals or not part.replace(".", "").isidentifier():
        part, name = "", given
    try:
        return find_set(name, path.parent), part
    except UsageError as error:
        raise UsageError(f"--params {given}: {error}") from None


def _named(path: Path, given: str) -> dict[str, str]:
    """Return a parameter set as run.json names it: by name and content, not by its place."""
    file, part = _set_of(path, given)
    return _content(file) | ({"part": part} if part else {})


def _used(given: str) -> tuple[str, str | dict[str, str]]:
    """Return a part and its replacement as run.json names it.

    A block is named by its name, an FMU by name and content.
    """
    part, _, what = (word.strip() for word in given.partition("="))
    return part, _content(Path(what)) if what.endswith(".fmu") else what


def _content(file: Path) -> dict[str, str]:
    return {"file": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}


def _diagram(path: Path, params: Sequence[str], uses: Sequence[str], settings: Sequence[str] = ()) -> Diagram:
    """Return the diagram with the blocks, parameter sets and values of the command line."""
    diagram = read(path)
    for given in uses:
        apply_use(diagram, given)
    names = [element.name for element in diagram.elements]
    for given in params:
        file, part = _set_of(path, given)
        if part and part.partition(".")[0] not in names:
            raise UsageError(f"--params {given}: there is no part '{part}'" + did_you_mean(part, names))
        try:
            bind(diagram, file, prefix=f"{part}." if part else "", written=False)
        except DiagramError as error:
            if not file.is_file():
                raise UsageError(f"--params {given}: {error}") from None
            raise DiagramError([f"--params {given}: {fault}" for fault in error.faults]) from None
    for setting in settings:
        apply_setting(diagram, setting)
    return diagram


def _halved(path: Path, options: argparse.Namespace, run: Run) -> Run:
    """Run again at half the macro step, in a folder inside that of the run."""
    return _simulate(path, options.settings, options.params, options, run.folder / HALF_STEP, {}, halve=True)


def _simulate(
    path: Path,
    settings: list[str],
    params: list[str],
    options: argparse.Namespace,
    out: Path | None,
    report: dict[str, Any],
    halve: bool = False,
) -> Run:
    diagram = _diagram(path, params, options.use, settings)
    if halve:
        diagram.step /= 2
    if (shared := supervisor.shared()) is not None:
        shared.limit(options.timeout)
    title = f"{diagram.name}, half step" if halve else diagram.name
    # output of a script must not mix with the lines, or the JSON, that this process prints
    with contextlib.redirect_stdout(sys.stderr), Bar(title, quiet=options.json) as bar:
        bar.running(0.0, "")
        return simulate(
            diagram,
            stop=options.stop,
            out=out,
            backend=options.backend,
            engine=options.engine,
            record=options.record or ["*"],
            decimation=options.decimation * (2 if halve else 1),
            inputs=options.input,
            changes=options.change,
            until=options.until,
            pace=None if halve else options.pace,
            info={
                "settings": dict(s.split("=", 1) for s in settings),
                **({"parameter_sets": [_named(path, p) for p in params]} if params else {}),
                **({"replaced_blocks": dict(map(_used, options.use))} if options.use else {}),
                **({"report": report} if report else {}),
            },
            progress=lambda done, whole: bar.running(done / whole, f"{done:.4g} of {whole:.4g} s"),
            compiling=bar.compiling,
            shared=shared,
        )


def _report(path: Path) -> dict[str, Any]:
    """Return the report that lies beside a diagram; empty without one."""
    file = path.parent / "report.json"
    if not file.is_file():
        return {}
    try:
        report = json.loads(file.read_text("utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise UsageError(f"{file}: not a readable report: {error}") from None
    try:
        check_report(report)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from None
    return dict(report)


def _report_writers() -> list[Callable[[Path], Path]]:
    """Return the functions of packages to the right of this one that take a finished run."""
    return [entry.load() for entry in sorted(entry_points(group=REPORTS), key=lambda e: e.name)]
