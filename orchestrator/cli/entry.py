"""The console command ``drawbar``: a run is handed to a child process, everything else is done here."""

from __future__ import annotations

import sys


def main() -> int:
    """Call ``drawbar`` with the words of the command line; returns the exit code."""
    words = sys.argv[1:]
    try:  # imports take most of the time until something happens, and are interrupted as well
        from drawbar.blocks.core import interruption

        interruption.listen()
        code = _main(words)
        interruption.ignore()  # all is done, and its exit code is told
    except KeyboardInterrupt:
        code = _fail("interrupted")
    except Exception as error:  # no memory, no thread, a library that does not load
        if "--debug" in words:
            raise
        cause: BaseException = error
        while cause.__cause__ is not None:  # a library explains at length why it does not load
            cause = cause.__cause__
        text = (str(cause).strip() or "nothing more is known").splitlines()[0]
        code = _fail(f"{type(cause).__name__}: {text}")
    from drawbar.orchestrator.supervision import supervisor

    supervisor.told(code)
    return code


def _main(words: list[str]) -> int:
    from drawbar.blocks.core import interruption
    from drawbar.orchestrator.supervision import standard_streams

    standard_streams.open_standard()
    from drawbar.orchestrator.supervision import supervisor

    supervisor.attach()
    interruption.unblock()  # what ends a run now is told to its supervisor
    # a run that is supervised already must not be handed on once more
    if words[:1] == ["run"] and not {"-h", "--help"} & set(words) and supervisor.is_possible():
        return supervisor.supervise(words)
    from drawbar.orchestrator.cli.commands import main as dispatch

    return dispatch(words)


def _fail(message: str) -> int:
    from drawbar.blocks.core import interruption
    from drawbar.orchestrator.supervision import standard_streams

    interruption.ignore()
    standard_streams.complain(message)
    return 1


if __name__ == "__main__":
    sys.exit(main())
