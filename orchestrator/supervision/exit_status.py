"""How a process ended, in words. Nothing heavy is imported, because there may be no memory for it."""

from __future__ import annotations

import signal
from pathlib import Path

from drawbar.orchestrator.supervision import standard_streams

WORDS = {
    "SIGSEGV": "segmentation fault",
    "SIGABRT": "abort",
    "SIGFPE": "arithmetic exception",
    "SIGBUS": "bus error",
}
# a part may send them to itself, but lack of memory and a kill by the user are likelier
FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")


def tell_without_run(folder: Path | None, code: int, why: str, as_json: bool) -> None:
    """Print that the process ended before or after its runs; `folder` is that of the last run."""
    if why == "interrupted":
        message = "interrupted"
    elif ending(code) in FROM_OUTSIDE:
        message = f"the process of the run was ended from outside ({ending(code)}) while no part was being run"
    else:
        verb = "crashed" if code < 0 else "ended itself"
        message = f"the process of the run {verb} ({ending(code)}) while no part was being run"
    if folder is not None:
        message += f"; what was recorded is in {folder}"
    if as_json:
        standard_streams.tell_json("failed", message)
    standard_streams.complain(message)


def ending(code: int) -> str:
    """Return an exit code in words."""
    if code >= 0:
        return f"exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"{WORDS[name]}, {name}" if name in WORDS else name
