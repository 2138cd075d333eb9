"""``drawbar run`` in a child process, watched by this one.

A part that crashes, ends the process or never returns takes that process with it, but not the run: the rows and the
current call lie in shared memory. The parent writes the remaining rows, closes the run and prints what happened. A
child whose parent dies closes its run and ends by itself. Only light modules are imported here, because every run waits
for them.
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
from drawbar.orchestrator.supervision import crash_recovery, standard_streams

if TYPE_CHECKING:
    from drawbar.orchestrator.supervision.shared_memory import SharedMemory, SupervisedRun

VARIABLE = "DRAWBAR_SUPERVISED"
TIMEOUT = 300.0  # s that one call of a part may take by default
GRACE = 5.0  # s that an interrupted run has to close itself
STUCK = 0.5  # s after which a call counts as hanging when the user interrupts a second time
POLL_INTERVAL = 0.1  # s between two readings of the present call

_shared: SharedMemory | None = None


def is_possible() -> bool:
    """Return whether this machine can share memory with a child by its descriptor, and this is not such a child."""
    return os.name == "posix" and VARIABLE not in os.environ


def supervise(words: Sequence[str]) -> int:
    """Run ``drawbar`` with these words in a child process; return its exit code, or 1 if it had none of its own.

    Afterwards interruptions are ignored, because everything has been printed.
    """
    from drawbar.orchestrator.supervision.shared_memory import SupervisedRun

    interrupts: list[int] = []
    with _signals(interrupts):
        try:
            run = SupervisedRun()
            alive, alive_child = os.pipe()  # ends when the child does
            parent_child, parent = os.pipe()  # ends when this process does
            child = _start(words, (run.file, alive_child, parent_child))
        except OSError as error:
            message = f"the run could not be given a process of its own: {error.strerror or error}"
            message += "; end other programs, or allow more processes, files or memory (ulimit -u, -n, -v)"
            if "--json" in words:
                standard_streams.print_json_outcome("failed", message)
            standard_streams.print_error(message)
            return standard_streams.flushed_exit_code(1)
        os.close(alive_child)
        os.close(parent_child)
        reason = _wait(child, alive, run, interrupts)
        os.close(parent)
        os.close(alive)
        if run.exit_code is not None:  # whatever happened to the child after it had finished
            return run.exit_code
        unfinished = run.unfinished()
        as_json = "--json" in words
        if unfinished is None:
            crash_recovery.report_without_run(run.folder, child.returncode, reason, as_json)
        else:
            crash_recovery.close_run(unfinished, child.returncode, reason, run.timeout, as_json)
        return standard_streams.flushed_exit_code(1)


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


class _CallTimer:
    """How long the present call has lasted, s.

    The time is summed from update to update, so that time for which a terminal has stopped both processes (Ctrl-Z)
    does not count.
    """

    def __init__(self, run: SupervisedRun) -> None:
        self._run = run
        self._call, self._updated = run.current_call(), time.monotonic()
        self.duration = self.elapsed = 0.0

    def update(self) -> None:
        """Read the present call; `elapsed` is then the time since the last update."""
        now = time.monotonic()
        self.elapsed, self._updated = min(now - self._updated, 3 * POLL_INTERVAL), now
        current_call = self._run.current_call()
        is_calling = current_call[2] != 0
        self.duration = self.duration + self.elapsed if is_calling and current_call == self._call else 0.0
        self._call = current_call


def _wait(child: subprocess.Popen[bytes], alive: int, run: SupervisedRun, interrupts: list[int]) -> str:
    """Wait for the end of the child; return why it had to be ended, or an empty text."""
    timer, interruptions, since_interruption, since_done = _CallTimer(run), 0, 0.0, 0.0
    reason = ""
    while child.poll() is None:
        with contextlib.suppress(InterruptedError):
            select.select([alive], [], [], POLL_INTERVAL)
        timer.update()
        if interruptions:
            since_interruption += timer.elapsed
        if run.exit_code is not None:
            since_done += timer.elapsed
        if interrupts:
            interruptions += len(interrupts)
            interrupts.clear()
            child.send_signal(signal.SIGINT)
        # after a second interruption at once, unless the run is closing itself already
        if since_interruption > GRACE or (interruptions > 1 and timer.duration > STUCK):
            reason = "interrupted"
            child.kill()
        elif run.timeout and timer.duration > run.timeout:
            reason = "timeout"
            child.kill()
        elif since_done > GRACE:  # a library that keeps its process from ending
            child.kill()
    return reason


def attach() -> None:
    """In the child: attach the shared memory, and end when the parent ends."""
    global _shared
    given = os.environ.get(VARIABLE, "")
    if not given:
        return
    os.environ[VARIABLE] = ""  # it remains set, so that what this process starts is not supervised again
    from drawbar.orchestrator.supervision.shared_memory import SharedMemory

    memory, alive, parent = (int(n) for n in given.split(","))
    for file in (memory, alive, parent):
        os.set_inheritable(file, False)
    _shared = SharedMemory(memory)
    # output of a part must not mix with the lines, or the JSON, that this process prints
    sys.stdout.flush()
    sys.stdout = standard_streams.CheckedOutput(os.dup(1), cast(io.TextIOWrapper, sys.stdout))
    os.dup2(2, 1)
    threading.Thread(target=_end_with_parent, args=(parent, memory), daemon=True).start()


def shared() -> SharedMemory | None:
    """Return the memory shared with the supervising process, if there is one."""
    return _shared


def mark_done(code: int) -> None:
    """In the child: mark everything as done and printed; how the process ends no longer matters."""
    if _shared is not None:
        _shared.mark_done(code)


def _end_with_parent(parent: int, memory: int) -> None:
    """Wait for the end of the parent and close the run, from this thread if a part does not return."""
    from drawbar.orchestrator.supervision.shared_memory import SupervisedRun

    with contextlib.suppress(OSError):
        os.read(parent, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    run = SupervisedRun(memory)
    timer = _CallTimer(run)
    while timer.duration < GRACE:  # if no part is being called, the run is closing itself, and its disk may be slow
        time.sleep(POLL_INTERVAL)
        timer.update()
    unfinished = run.unfinished()
    if unfinished is not None:
        message = crash_recovery.describe_end(unfinished, 0, "interrupted", 0.0)
        crash_recovery.save_rows(unfinished, "interrupted", message)
    os._exit(1)
