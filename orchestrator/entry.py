"""The console command ``drawbar``: a run is handed to a child process, everything else is done here."""

from __future__ import annotations

import sys

from drawbar.orchestrator import interruption, streams, supervisor


def main() -> int:
    """Call ``drawbar`` with the words of the command line; returns the exit code."""
    words = sys.argv[1:]
    streams.open_standard()
    try:
        interruption.listen()
        code = _main(words)
        interruption.ignore()  # all is done, and its exit code is told
    except KeyboardInterrupt:
        streams.complain("interrupted")
        code = 1
    except Exception as error:  # no memory, no thread, a library that does not load
        if "--debug" in words:
            raise
        cause: BaseException = error
        while cause.__cause__ is not None:  # a library explains at length why it does not load
            cause = cause.__cause__
        text = (str(cause).strip() or "nothing more is known").splitlines()[0]
        streams.complain(f"{type(cause).__name__}: {text}")
        code = 1
    supervisor.told(code)
    return code


def _main(words: list[str]) -> int:
    supervisor.attach()
    # a run that is supervised already must not be handed on once more
    if words[:1] == ["run"] and not {"-h", "--help"} & set(words) and supervisor.is_possible():
        return supervisor.supervise(words)
    from drawbar.orchestrator.commands import main as dispatch

    return dispatch(words)


if __name__ == "__main__":
    sys.exit(main())
