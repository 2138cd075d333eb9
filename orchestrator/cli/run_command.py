"""``drawbar run``: a diagram, its report, and what other packages make of the run."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from pathlib import Path
from typing import Any

from drawbar.blocks.authoring.registry import open_workspace
from drawbar.blocks.core.errors import DrawbarError, UsageError
from drawbar.blocks.core.interruption import insistent, is_interrupted
from drawbar.blocks.core.progress_bar import Bar
from drawbar.diagrams.checks.check import faults
from drawbar.diagrams.checks.notes import long_step_note
from drawbar.diagrams.library import find
from drawbar.diagrams.model.diagram import Diagram
from drawbar.fmus.commands import add_workspace
from drawbar.orchestrator.cli.diagram_options import DiagramOptions
from drawbar.orchestrator.reports.baseline import BASELINE, is_same, of_case, of_changed
from drawbar.orchestrator.reports.pages import write_pages
from drawbar.orchestrator.reports.report_file import read_report
from drawbar.orchestrator.reports.response_units import check_units
from drawbar.orchestrator.reports.run_report import Case, case_folder, show, show_json
from drawbar.orchestrator.reports.step_check import StepCheck
from drawbar.orchestrator.runs.recorder import HALF_STEP, json_bytes, write_whole
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import BACKENDS, ENGINES, simulate
from drawbar.orchestrator.supervision import supervisor
from drawbar.orchestrator.supervision.standard_streams import print_error, print_warning

CHECK_FILE = "check.json"
PLAIN_NAME = "the diagram as it stands"


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
        help="set a parameter or start value; may be repeated; an array is [1, 2, 3], another unit of measure 50km/h",
    )
    parser.add_argument(
        "--params",
        action="append",
        default=[],
        metavar="[PART=]FILE.ssv",
        help="a parameter set, or the name of a preset: hmmwv_chrono; with PART= for that part only; "
        "may be repeated: later sets override earlier ones, and --set overrides all",
    )
    parser.add_argument(
        "--use",
        action="append",
        default=[],
        metavar="PART=BLOCK",
        help="use another block, or the FMU at a path, for a part and keep its connections; may be repeated",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="folder of the run, new or empty; default: runs/<diagram>-<number>"
    )
    parser.add_argument(
        "--record", action="append", metavar="PATTERN", help="outputs to record, such as 'vehicle.*'; may be repeated"
    )
    parser.add_argument("--decimation", type=int, default=1, metavar="N", help="record only every N-th row")
    parser.add_argument(
        "--backend", choices=BACKENDS, help="how blocks run; default: fmu, or interpreted without a C compiler"
    )
    parser.add_argument(
        "--engine", choices=ENGINES, help="the master that steps the parts: in C, or its reference in Python"
    )
    add_workspace(parser)
    parser.add_argument(
        "--input", metavar="FILE.csv", help="inputs over time, as a table with the columns time, part.input, ..."
    )
    parser.add_argument(
        "--change",
        action="append",
        default=[],
        metavar="T:PART.NAME=VALUE",
        help="change a tunable parameter, or an input that nothing drives, at T seconds; may be repeated",
    )
    parser.add_argument("--until", metavar="CONDITION", help="stop when this first holds, as in 'vehicle.y > 3.5'")
    parser.add_argument("--pace", type=float, metavar="X", help="run at most X times as fast as real time")
    parser.add_argument(
        "--timeout",
        type=float,
        default=supervisor.TIMEOUT,
        metavar="S",
        help="end the run if one call of a part takes longer, in seconds; 0 for no limit; default: %(default)g",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="run again at half the macro step: error bars, latencies around loops, costs of the parts",
    )
    parser.add_argument(
        "--no-cases",
        action="store_true",
        help="run once: neither the further cases of the report nor, for a changed diagram, the diagram as it stands",
    )
    parser.add_argument("--no-page", action="store_true", help="write no plot page and no picture of the diagram")


def call(options: argparse.Namespace) -> int:
    """Run the diagram and the further cases of its report, and print the results."""
    if not options.timeout >= 0.0:
        raise UsageError(f"--timeout {options.timeout:g}: give seconds, or 0 for no limit")
    with insistent():
        if options.workspace:
            open_workspace(options.workspace)
        path = find(options.diagram, options.workspace)
        given = DiagramOptions(path, options.use, options.params, options.settings)
        report = _report_of(given, options)
        for case in report.get("cases", []):  # faults of a case must show before the main run
            given.with_case(case).read()
        diagram = given.read()
        try:
            check_units(report, diagram)
        except UsageError as error:
            raise UsageError(f"{path.parent / 'report.json'}: {error}") from None
        warned = _warn(diagram)
    run = _simulate(given, options, Path(options.out) if options.out else None, report, diagram=diagram)
    check, cases, failed = _run_further(run, given, options, report)
    pages: list[str] = []
    try:
        if not options.no_page and not is_interrupted():
            pages = [str(page) for page in write_pages(run.folder)]
    except KeyboardInterrupt:
        failed = failed or f"interrupted when the run was complete; it is in {run.folder}"
    if options.json:
        checked = None if check is None else json.loads((run.folder / CHECK_FILE).read_bytes())
        show_json(run, report, cases, failed, checked, pages)
    else:
        show(run, report, cases, warned)
        if check is not None:
            print(check.text(given.read()))
        print(f"\nrun   {run.folder}")
        for page in pages:
            print(f"page  {page}")
    if failed:
        print_error(failed)
    return 1 if failed else 0


def _report_of(given: DiagramOptions, options: argparse.Namespace) -> dict[str, Any]:
    """Return the report for what the options make of the diagram: as it stands, as one of its cases, or changed."""
    report, plain = read_report(given.path), DiagramOptions(given.path)
    if not report:
        return report
    if not (options.input or options.change):
        diagram = given.read()
        if is_same(diagram, plain.read()):
            return {**report, "cases": []} if options.no_cases else report
        for case in report.get("cases", []):
            if is_same(diagram, plain.with_case(case).read()):
                return of_case(report, case)
    return of_changed(report, with_baseline=not options.no_cases)


def _warn(diagram: Diagram) -> list[str]:
    """Print a warning if the macro step is far too long for the parts, and return it.

    A diagram that cannot run is left to the report of its faults.
    """
    if (step := long_step_note(diagram)) is None or faults(diagram):
        return []
    print_warning(step)
    return [step]


def _run_further(
    run: Run, given: DiagramOptions, options: argparse.Namespace, report: dict[str, Any]
) -> tuple[StepCheck | None, list[Case], str]:
    """Run again at half the step if ``--check`` asks for it, and run the cases of the report.

    A case that fails is reported, and the others are run. Return what was done, and the messages of what failed.
    """
    check: StepCheck | None = None
    cases: list[Case] = []
    failed: list[str] = []
    name = "the run at half the step"
    try:
        if options.check:
            _set_main_run(run, name)
            check = StepCheck(run, _simulate(given, options, run.folder / HALF_STEP, {}, halve=True))
            write_whole(run.folder / CHECK_FILE, json_bytes(check.to_json(given.read())))
        for case in report.get("cases", []):
            name = PLAIN_NAME if case is BASELINE else f"case '{case['name']}'"
            _set_main_run(run, name)
            own = of_case(report, case)
            folder = case_folder(run, case)
            if case is BASELINE:
                plain = argparse.Namespace(**{**vars(options), "input": None, "change": [], "pace": None})
                cases.append((case, _simulate(DiagramOptions(given.path), plain, folder, own)))
            else:
                try:
                    cases.append((case, _simulate(given.with_case(case), options, folder, own)))
                except DrawbarError as error:  # a case that fails leaves the others alone
                    if options.debug or is_interrupted():
                        raise
                    failed.append(f"{name}: {error}")
    except (DrawbarError, KeyboardInterrupt) as error:
        if options.debug:
            raise
        if name == PLAIN_NAME and isinstance(error, DrawbarError) and not is_interrupted():
            print_warning(f"{name} cannot be compared with: {error}")
            return check, cases, ""
        return check, cases, f"{name}: {str(error) or 'interrupted'}"
    return check, cases, "; ".join(failed)


def _set_main_run(run: Run, name: str) -> None:
    """Let the supervisor know that the next runs are further ones of this run."""
    if (shared := supervisor.shared()) is not None:
        shared.set_main_run(run.folder, name)


def _simulate(
    given: DiagramOptions,
    options: argparse.Namespace,
    out: Path | None,
    report: dict[str, Any],
    *,
    diagram: Diagram | None = None,
    halve: bool = False,
) -> Run:
    """Run the diagram that is given, or that was read already."""
    diagram = diagram or given.read()
    if halve:
        diagram.step /= 2
    if (shared := supervisor.shared()) is not None:
        shared.set_timeout(options.timeout)
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
            picture=not options.no_page,
            info=given.describe() | ({"report": report} if report else {}),
            progress=lambda done, whole: bar.running(done / whole, f"{done:.4g} of {whole:.4g} s"),
            compiling=bar.compiling,
            shared=shared,
        )
