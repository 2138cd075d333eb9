"""The console command ``drawbar``: a run is handed to a child process, everything else is done here."""

from __future__ import annotations

import sys


def main() -> int:
    """Call ``drawbar`` with the words of the command line; returns the exit code."""
    words = sys.argv[1:]
    if words[:1] == ["run"] and not {"-h", "--help"} & set(words):
        from drawbar.orchestrator import supervisor

        if supervisor.is_possible():
            return supervisor.supervise(words)
    from drawbar.orchestrator.commands import main as dispatch

    return dispatch(words)
