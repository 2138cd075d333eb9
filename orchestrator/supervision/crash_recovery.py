"""What is written and printed for a run whose process is gone, and how that process ended, in words.

Heavy modules are imported where they are used: every run imports this one, and there may be no memory left.
"""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drawbar.blocks.core.errors import DrawbarError
from drawbar.orchestrator.master.current_call import CALLS, DO_STEP, last_message
from drawbar.orchestrator.supervision import standard_streams

if TYPE_CHECKING:
    from drawbar.orchestrator.supervision.shared_memory import UnfinishedRun

WORDS = {
    "SIGSEGV": "segmentation fault",
    "SIGABRT": "abort",
    "SIGFPE": "arithmetic exception",
    "SIGBUS": "bus error",
}
# a part may send them to itself, but lack of memory and a kill by the user are likelier
FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")


def close_run(run: UnfinishedRun, code: int, reason: str, timeout: float, as_json: bool) -> None:
    """Write what the process could not write, and print what happened.

    `code` is the exit code of the process, `reason` that for which it was ended.
    """
    message = describe_end(run, code, reason, timeout)
    closed = _closing_entries(run.folder)
    if closed is None:
        message += save_rows(run, "interrupted" if reason == "interrupted" else "failed", message)
    elif closed["outcome"] == "failed":
        message = f"{closed.get('message', 'failed')}; then {message}"
    if closed is not None and closed["outcome"] == "ok":
        message += f"; the run is complete in {run.folder}"
    elif run.folder is not None:
        message += f"; what was recorded until then is in {run.folder}"
    if run.main_folder is not None:
        message = f"{run.name}: {message}"
        _report_main_run(run.main_folder, message, as_json)
    elif as_json:
        standard_streams.print_json_outcome("failed", message)
    standard_streams.print_error(message)


def save_rows(run: UnfinishedRun, outcome: str, message: str) -> str:
    """Write the remaining rows and close the run, unless it is closed already.

    Return the error that prevented it, or an empty text.
    """
    if run.folder is None or _closing_entries(run.folder) is not None:
        return ""
    from drawbar.orchestrator.runs.recorder import Recorder

    try:
        recorder = Recorder.resume(run.folder, run.rates)
        for i in range(len(run.rates)):
            recorder.write(i, run.rows.complete(i))
        said = {run.part: {"last": run.messages}} if run.part is not None and run.messages else None
        recorder.finish(outcome, message, messages=said)
    except (DrawbarError, OSError, ValueError) as error:
        return f"; the rest of its rows could not be written: {error}"
    return ""


def describe_end(run: UnfinishedRun, code: int, reason: str, timeout: float) -> str:
    """Return a sentence on what happened, with part, call, time, and the last message of the part."""
    last = last_message(run.messages, recorded=run.folder is not None)
    at = f"t = {run.time:g} s"
    call = f"the step from {at}" if run.call == DO_STEP else f"{CALLS[run.call]} at {at}"
    if reason == "timeout":
        return f"part '{run.part}': {call} did not return within {timeout:g} s (--timeout){last}"
    if reason == "interrupted":
        return f"interrupted at {at}" + (f"; part '{run.part}' did not return from {call}{last}" if run.part else "")
    if describe_exit(code) in FROM_OUTSIDE or run.part is None:
        return f"the run was ended from outside at {at} ({describe_exit(code)})"
    verb = "crashed" if code < 0 else "ended the process"
    return f"part '{run.part}' {verb} during {call} ({describe_exit(code)}){last}"


def _closing_entries(folder: Path | None) -> dict[str, Any] | None:
    """Return the content of run.json of a run that was closed, or None."""
    from drawbar.orchestrator.runs.recorder import RUN_FILE, RUNNING

    try:
        info = None if folder is None else json.loads((folder / RUN_FILE).read_bytes())
    except (OSError, ValueError):
        return None
    return None if info is None or info.get("outcome", RUNNING) == RUNNING else dict(info)


def _report_main_run(folder: Path, message: str, as_json: bool) -> None:
    """Print the report of a run of which a further case failed."""
    from drawbar.orchestrator.reports.run_report import finished_cases, show, show_json
    from drawbar.orchestrator.runs.run import Run

    main = Run(folder)
    report = main.info.get("report", {})
    cases = finished_cases(main, report)
    if as_json:
        show_json(main, report, cases, message)
    else:
        show(main, report, cases)
        print(f"\nrun   {main.folder}")


def report_without_run(folder: Path | None, code: int, reason: str, as_json: bool) -> None:
    """Print that the process ended before or after its runs; `folder` is that of the last run."""
    if reason == "interrupted":
        message = "interrupted"
    elif describe_exit(code) in FROM_OUTSIDE:
        message = f"the process of the run was ended from outside ({describe_exit(code)}) while no part was being run"
    else:
        verb = "crashed" if code < 0 else "ended itself"
        message = f"the process of the run {verb} ({describe_exit(code)}) while no part was being run"
    if folder is not None:
        message += f"; what was recorded is in {folder}"
    if as_json:
        standard_streams.print_json_outcome("failed", message)
    standard_streams.print_error(message)


def describe_exit(code: int) -> str:
    """Return an exit code in words."""
    if code >= 0:
        return f"exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"{WORDS[name]}, {name}" if name in WORDS else name
