"""``drawbar run`` in a child process, watched by this one.

A part that crashes, ends the process or never returns takes that process with it, but not the run: the rows lie in
shared memory, with a note of the part and the call. The parent writes what is left, closes the run and prints what
happened. A child whose parent dies closes its run and ends by itself. Only light modules are imported here, because
every run waits for them.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from drawbar.blocks.core import interruption
from drawbar.blocks.core.interruption import INTERRUPTIONS
from drawbar.orchestrator.supervision import standard_streams
from drawbar.orchestrator.supervision.exit_status import tell_without_run

if TYPE_CHECKING:
    from drawbar.orchestrator.supervision.shared_memory import Shared, Watched

VARIABLE = "DRAWBAR_SUPERVISED"
TIMEOUT = 300.0  # s that one call of a part may take by default
GRACE = 5.0  # s that an interrupted run has to close itself
STUCK = 0.5  # s after which a call is taken to hang, when the user interrupts a second time
GLANCE = 0.1  # s between two looks at the note

_shared: Shared | None = None


def is_possible() -> bool:
    """Return whether this machine can share memory with a child by its descriptor, and this is not such a child."""
    return os.name == "posix" and VARIABLE not in os.environ


def supervise(words: Sequence[str]) -> int:
    """Run ``drawbar`` with these words in a child process; return its exit code, or 1 if it had none of its own.

    Afterwards interruptions are ignored, because everything has been printed.
    """
    from drawbar.orchestrator.supervision.shared_memory import Watched

    interrupts: list[int] = []
    with _signals(interrupts):
        try:
            watched = Watched()
            alive, alive_child = os.pipe()  # ends when the child does
            parent_child, parent = os.pipe()  # ends when this process does
            child = _start(words, (watched.file, alive_child, parent_child))
        except OSError as error:
            message = f"the run could not be given a process of its own: {error.strerror or error}"
            message += "; end other programs, or allow more processes, files or memory (ulimit -u, -n, -v)"
            if "--json" in words:
                standard_streams.tell_json("failed", message)
            standard_streams.complain(message)
            return standard_streams.after_printing(1)
        os.close(alive_child)
        os.close(parent_child)
        why = _wait(child, alive, watched, interrupts)
        os.close(parent)
        os.close(alive)
        if watched.exit_code is not None:  # whatever happened to the child after it had finished
            return watched.exit_code
        left = watched.left()
        as_json = "--json" in words
        if left is None:
            tell_without_run(watched.folder, child.returncode, why, as_json)
        else:
            from drawbar.orchestrator.supervision import crash_recovery

            crash_recovery.close(left, child.returncode, why, watched.timeout, as_json)
        return standard_streams.after_printing(1)


def _start(words: Sequence[str], given: tuple[int, int, int]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "drawbar.orchestrator.cli.entry", *words]
    environment = {**os.environ, VARIABLE: ",".join(map(str, given))}
    # signals that reach the child before it has handlers stay pending
    signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
    try:
        return subprocess.Popen(command, pass_fds=given, env=environment)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTIONS)


@contextlib.contextmanager
def _signals(interrupts: list[int]) -> Any:
    """Collect Ctrl-C and SIGTERM so that they can be passed on; ignore them afterwards."""
    for number in INTERRUPTIONS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, frame: interrupts.append(number))
    try:
        yield
    finally:
        interruption.ignore()


class _Stand:
    """How long the note has stood at one call, s.

    It is summed from look to look, so time for which a terminal has stopped both processes (Ctrl-Z) does not count.
    """

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._seen, self._looked = watched.current_call(), time.monotonic()
        self.stood = self.passed = 0.0

    def look(self) -> None:
        """Look at the note; `passed` is then the time since the last look."""
        now = time.monotonic()
        self.passed, self._looked = min(now - self._looked, 3 * GLANCE), now
        current_call = self._watched.current_call()
        is_calling = current_call[2] != 0
        self.stood = self.stood + self.passed if is_calling and current_call == self._seen else 0.0
        self._seen = current_call


def _wait(child: subprocess.Popen[bytes], alive: int, watched: Watched, interrupts: list[int]) -> str:
    """Wait for the end of the child; return why it had to be ended, or an empty text."""
    timer, asked, since, leaving = _Stand(watched), 0, 0.0, 0.0
    why = ""
    while child.poll() is None:
        with contextlib.suppress(InterruptedError):
            select.select([alive], [], [], GLANCE)
        timer.look()
        if asked:
            since += timer.passed
        if watched.exit_code is not None:
            leaving += timer.passed
        if interrupts:
            asked += len(interrupts)
            interrupts.clear()
            child.send_signal(signal.SIGINT)
        # after a second interruption at once, unless the run is closing itself already
        if since > GRACE or (asked > 1 and timer.stood > STUCK):
            why = "interrupted"
            child.kill()
        elif watched.timeout and timer.stood > watched.timeout:
            why = "timeout"
            child.kill()
        elif leaving > GRACE:  # a library that keeps its process from ending
            child.kill()
    return why


def attach() -> None:
    """In the child: attach the shared memory, and end when the parent ends."""
    global _shared
    given = os.environ.get(VARIABLE, "")
    if not given:
        return
    os.environ[VARIABLE] = ""  # it remains set, so that what this process starts is not supervised again
    from drawbar.orchestrator.supervision.shared_memory import Shared

    memory, alive, parent = (int(n) for n in given.split(","))
    for file in (memory, alive, parent):
        os.set_inheritable(file, False)
    _shared = Shared(memory)
    # output of a part must not mix with the lines, or the JSON, that this process prints
    sys.stdout.flush()
    sys.stdout = standard_streams.Out(os.dup(1), cast(io.TextIOWrapper, sys.stdout))
    os.dup2(2, 1)
    threading.Thread(target=_end_with, args=(parent, memory), daemon=True).start()


def shared() -> Shared | None:
    """Return the memory shared with the supervising process, if there is one."""
    return _shared


def told(code: int) -> None:
    """In the child: mark everything as done and printed; how the process ends no longer matters."""
    if _shared is not None:
        _shared.told(code)


def _end_with(parent: int, memory: int) -> None:
    """Wait for the end of the parent and close the run, from this thread if a part does not return."""
    from drawbar.orchestrator.supervision.shared_memory import Watched

    with contextlib.suppress(OSError):
        os.read(parent, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    watched = Watched(memory)
    timer = _Stand(watched)
    while timer.stood < GRACE:  # if no call is noted, the run is closing itself, and its disk may be slow
        time.sleep(GLANCE)
        timer.look()
    left = watched.left()
    if left is not None:
        from drawbar.orchestrator.supervision import crash_recovery

        crash_recovery.save(left, "interrupted", crash_recovery.sentence(left, 0, "interrupted", 0.0))
    os._exit(1)
