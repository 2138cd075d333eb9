"""``drawbar run`` in a child process, watched from here.

A part that crashes, ends the process or never returns takes that process with it, not the run: the rows lie in shared
memory, with a note of the part and the call. The parent writes what is left, closes the run and says what happened.
A child whose parent dies closes its run and ends by itself. Only light modules are imported here, for every run pays.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from drawbar.orchestrator.interruption import INTERRUPTIONS, listen

if TYPE_CHECKING:
    from drawbar.orchestrator.shared import Left, Shared

VARIABLE = "DRAWBAR_SUPERVISED"
TIMEOUT = 300.0  # s that one call of a part may take by default
GRACE = 5.0  # s that an interrupted run has to close itself
GLANCE = 0.1  # s between two looks at the note

_shared: Shared | None = None


def is_possible() -> bool:
    """Whether this machine can share memory with a child by its descriptor, and this is no child yet."""
    return os.name == "posix" and VARIABLE not in os.environ


def supervise(words: Sequence[str]) -> int:
    """Run ``drawbar`` with these words in a child process; returns its exit code, or 1 where it had none of its own."""
    from drawbar.orchestrator.shared import Watched

    watched = Watched()
    alive, alive_child = os.pipe()  # ends when the child does
    parent_child, parent = os.pipe()  # ends when this process does
    given = (watched.file, alive_child, parent_child)
    command = [sys.executable, "-P", "-m", "drawbar.orchestrator.entry", *words]
    environment = {**os.environ, VARIABLE: ",".join(map(str, given))}
    interrupts: list[int] = []
    with _signals(interrupts):
        # until it listens itself, the child keeps what comes for later
        signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
        child = subprocess.Popen(command, pass_fds=given, env=environment)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTIONS)
        os.close(alive_child)
        os.close(parent_child)
        why = _wait(child, alive, watched, interrupts)
    os.close(parent)
    os.close(alive)
    left = watched.left()
    if left is None:
        code = child.returncode
        return 128 - code if code < 0 else code
    return _close(left, child.returncode, why, watched.timeout, "--json" in words)


@contextlib.contextmanager
def _signals(interrupts: list[int]) -> Any:
    """Ctrl-C and a polite kill are noted, to be passed on."""
    heeded = [s for s in INTERRUPTIONS if signal.getsignal(s) is not signal.SIG_IGN]
    before = {s: signal.signal(s, lambda number, frame: interrupts.append(number)) for s in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wait(child: subprocess.Popen[bytes], alive: int, watched: Any, interrupts: list[int]) -> str:
    """Wait for the end of the child; why it had to be ended, or nothing."""
    seen, since, asked = watched.note(), time.monotonic(), 0.0
    why = ""
    while child.poll() is None:
        with contextlib.suppress(InterruptedError):
            select.select([alive], [], [], GLANCE)
        now = time.monotonic()
        if interrupts:
            if asked:  # asked twice: at once
                why = "interrupted"
                child.kill()
            asked = asked or now
            interrupts.clear()
            child.send_signal(signal.SIGINT)
        note = watched.note()
        if note != seen:
            seen, since = note, now
        is_calling = note[2] != 0
        if asked and now - asked > GRACE:
            why = "interrupted"
            child.kill()
        elif is_calling and watched.timeout and now - since > watched.timeout:
            why = "timeout"
            child.kill()
    return why


def _close(left: Left, code: int, why: str, timeout: float, as_json: bool) -> int:
    """Write what the child could not, and say what happened."""
    message = _message(left, code, why, timeout)
    message += _save(left, "interrupted" if why == "interrupted" else "failed", message)
    kept = f"; what was recorded until then is in {left.folder}" if left.folder is not None else ""
    if left.closing:
        kept = f"; the run is complete in {left.folder}"
    if as_json:
        print(json.dumps({"outcome": "failed", "message": message + kept}))
    print(f"drawbar: error: {message}{kept}", file=sys.stderr)
    return 1


def _save(left: Left, outcome: str, message: str) -> str:
    """Write the rows that are left and close the run; what went wrong with that, or nothing."""
    from drawbar.blocks.authoring.errors import DrawbarError
    from drawbar.orchestrator.recorder import Recorder

    if left.folder is None or left.closing:
        return ""
    try:
        recorder = Recorder.resume(left.folder, left.rates)
        for i in range(len(left.rates)):
            recorder.write(i, left.rows.complete(i))
        recorder.finish(outcome, message)
    except (DrawbarError, OSError, ValueError) as error:
        return f"; the rest of its rows could not be written: {error}"
    return ""


def _message(left: Left, code: int, why: str, timeout: float) -> str:
    from drawbar.orchestrator.note import CALLS, DO_STEP

    at = f"t = {left.time:g} s"
    call = f"the step from {at}" if left.call == DO_STEP else f"{CALLS[left.call]} at {at}"
    if why == "timeout":
        return f"part '{left.part}': {call} did not return within {timeout:g} s (--timeout)"
    if why == "interrupted":
        return f"interrupted at {at}" + (f"; part '{left.part}' did not return from {call}" if left.part else "")
    # a part may raise them on itself, but the lack of memory and a user's kill are likelier
    if _ending(code) in ("SIGKILL", "SIGTERM", "SIGINT") or left.part is None:
        return f"the run was ended from outside at {at} ({_ending(code)})"
    verb = "crashed" if code < 0 else "ended the process"
    return f"part '{left.part}' {verb} during {call} ({_ending(code)})"


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    words = {
        "SIGSEGV": "segmentation fault",
        "SIGABRT": "abort",
        "SIGFPE": "arithmetic exception",
        "SIGBUS": "bus error",
    }
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"{words[name]}, {name}" if name in words else name


def attach() -> None:
    """In the child: take the shared memory, and end when the parent does."""
    global _shared
    given = os.environ.get(VARIABLE, "")
    listen()
    if not given:
        return
    os.environ[VARIABLE] = ""  # it stays: whatever this process starts must not be handed on and on
    from drawbar.orchestrator.shared import Shared

    memory, alive, parent = (int(n) for n in given.split(","))
    for file in (memory, alive, parent):
        os.set_inheritable(file, False)
    _shared = Shared(memory)
    # what a part prints must not come between the lines, or the JSON, that this process prints
    sys.stdout.flush()
    sys.stdout = os.fdopen(os.dup(1), "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors)
    os.dup2(2, 1)
    threading.Thread(target=_end_with, args=(parent, memory), daemon=True).start()


def shared() -> Shared | None:
    """The memory shared with the supervising process, if there is one."""
    return _shared


def _end_with(parent: int, memory: int) -> None:
    """Wait for the end of the parent and close the run; where a part does not return, from here."""
    from drawbar.orchestrator.shared import Watched

    with contextlib.suppress(OSError):
        os.read(parent, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    left = Watched(memory).left()
    if left is not None and left.part is not None:
        _save(left, "interrupted", _message(left, 0, "interrupted", 0.0))
    os._exit(1)
