"""The console command ``drawbar``: a run is given to a child process, everything else is done in this one."""

from __future__ import annotations

import contextlib
import sys


def main() -> int:
    """Call ``drawbar`` with the words of the command line; return the exit code."""
    words = sys.argv[1:]
    try:  # imports take most of the start-up time and can be interrupted as well
        from drawbar.blocks.core import interruption

        interruption.install_handlers()
        code = _main(words)
        interruption.ignore()  # everything is done, and the exit code is known
    except KeyboardInterrupt:
        code = _fail("interrupted")
    except Exception as error:  # no memory, no thread, or a library that does not load
        if "--debug" in words:
            raise
        cause: BaseException = error
        while cause.__cause__ is not None:  # a library explains at length why it does not load
            cause = cause.__cause__
        text = (str(cause).strip() or "nothing more is known").splitlines()[0]
        code = _fail(f"{type(cause).__name__}: {text}")
    from drawbar.orchestrator.supervision import supervisor

    supervisor.mark_done(code)
    return code


def _main(words: list[str]) -> int:
    from drawbar.blocks.core import interruption
    from drawbar.orchestrator.supervision import standard_streams

    standard_streams.open_closed_streams()
    from drawbar.orchestrator.supervision import supervisor

    supervisor.attach()
    interruption.unblock()  # from here on the supervisor learns what ends a run
    # a run that is supervised already must not be given to another child
    if words[:1] == ["run"] and not {"-h", "--help"} & set(words) and supervisor.is_possible():
        return supervisor.supervise(words)
    # a run has phases of its own, in which it closes itself
    with contextlib.nullcontext() if words[:1] == ["run"] else interruption.insistent():
        from drawbar.orchestrator.cli.commands import main as dispatch

        return dispatch(words)


def _fail(message: str) -> int:
    from drawbar.blocks.core import interruption
    from drawbar.orchestrator.supervision import standard_streams

    interruption.ignore()
    standard_streams.print_error(message)
    return 1


if __name__ == "__main__":
    sys.exit(main())
