"""The console command ``drawbar``: a run is handed to a child process, everything else is done here."""

from __future__ import annotations

import sys


def main() -> int:
    """Call ``drawbar`` with the words of the command line; returns the exit code."""
    try:
        return _main(sys.argv[1:])
    except KeyboardInterrupt:
        print("drawbar: interrupted", file=sys.stderr)
        return 130


def _main(words: list[str]) -> int:
    from drawbar.orchestrator import interruption, supervisor

    supervisor.attach()
    # a run that is supervised already must not be handed on once more
    if words[:1] == ["run"] and not {"-h", "--help"} & set(words) and supervisor.is_possible():
        return supervisor.supervise(words)
    from drawbar.orchestrator.commands import main as dispatch

    code = dispatch(words)
    interruption.ignore()  # the run is closed, and its exit code is told
    return code


if __name__ == "__main__":
    sys.exit(main())
