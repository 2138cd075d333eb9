"""What is written and printed for a run whose process is gone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from drawbar.blocks.core.errors import DrawbarError
from drawbar.orchestrator.master.current_call import CALLS, DO_STEP
from drawbar.orchestrator.runs.recorder import RUN_FILE, RUNNING, Recorder
from drawbar.orchestrator.supervision import standard_streams
from drawbar.orchestrator.supervision.exit_status import FROM_OUTSIDE, ending
from drawbar.orchestrator.supervision.shared_memory import Left


def close(left: Left, code: int, why: str, timeout: float, as_json: bool) -> None:
    """Write what the process could not write, and print what happened.

    `code` is the exit code of the process, `why` the reason for which it was ended.
    """
    message = sentence(left, code, why, timeout)
    closed = _closed(left.folder)
    if closed is None:
        message += save(left, "interrupted" if why == "interrupted" else "failed", message)
    elif closed["outcome"] == "failed":
        message = f"{closed.get('message', 'failed')}; then {message}"
    if closed is not None and closed["outcome"] == "ok":
        message += f"; the run is complete in {left.folder}"
    elif left.folder is not None:
        message += f"; what was recorded until then is in {left.folder}"
    if left.main is not None:
        message = f"{left.what}: {message}"
        _tell_main(left.main, message, as_json)
    elif as_json:
        standard_streams.tell_json("failed", message)
    standard_streams.complain(message)


def save(left: Left, outcome: str, message: str) -> str:
    """Write the remaining rows and close the run, unless it is closed already.

    Return what went wrong with that, or an empty text.
    """
    if left.folder is None or _closed(left.folder) is not None:
        return ""
    try:
        recorder = Recorder.resume(left.folder, left.rates)
        for i in range(len(left.rates)):
            recorder.write(i, left.rows.complete(i))
        recorder.finish(outcome, message)
    except (DrawbarError, OSError, ValueError) as error:
        return f"; the rest of its rows could not be written: {error}"
    return ""


def sentence(left: Left, code: int, why: str, timeout: float) -> str:
    """Return what happened: part, call and time."""
    at = f"t = {left.time:g} s"
    call = f"the step from {at}" if left.call == DO_STEP else f"{CALLS[left.call]} at {at}"
    if why == "timeout":
        return f"part '{left.part}': {call} did not return within {timeout:g} s (--timeout)"
    if why == "interrupted":
        return f"interrupted at {at}" + (f"; part '{left.part}' did not return from {call}" if left.part else "")
    if ending(code) in FROM_OUTSIDE or left.part is None:
        return f"the run was ended from outside at {at} ({ending(code)})"
    verb = "crashed" if code < 0 else "ended the process"
    return f"part '{left.part}' {verb} during {call} ({ending(code)})"


def _closed(folder: Path | None) -> dict[str, Any] | None:
    """Return the content of run.json of a run that was closed, or None."""
    try:
        info = None if folder is None else json.loads((folder / RUN_FILE).read_bytes())
    except (OSError, ValueError):
        return None
    return None if info is None or info.get("outcome", RUNNING) == RUNNING else dict(info)


def _tell_main(folder: Path, message: str, as_json: bool) -> None:
    """Print the report of a run of which a further case failed."""
    from drawbar.orchestrator.reports.run_report import finished_cases, show, show_json
    from drawbar.orchestrator.runs.run import Run

    run = Run(folder)
    report = run.info.get("report", {})
    cases = finished_cases(run, report)
    if as_json:
        show_json(run, report, cases, message)
    else:
        show(run, report, cases, [*run.info["settings"], *run.info.get("replaced_blocks", ())])
        print(f"\nrun   {run.folder}")
