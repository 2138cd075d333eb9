"""A program that is run to its end with all that it starts: none of it outlives an interruption or a time limit."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

GRACE = 2.0  # s that a program has to end by itself and remove its temporary files


def run_group(
    command: Sequence[str],
    timeout: float,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    merged: bool = False,
) -> subprocess.CompletedProcess[bytes]:
    """Run a program in a process group of its own and return its exit code and output.

    The group is ended whatever leaves this function: `subprocess.TimeoutExpired` after `timeout` seconds, or a Ctrl-C.
    Raise `OSError` if the program does not start. Its error messages are part of the output if `merged`.
    """
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=None if environment is None else dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merged else subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=timeout)
    finally:
        if process.poll() is None:
            _end(process)
    return subprocess.CompletedProcess(command, process.returncode, output)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program and its children: a compiler is a driver whose passes would go on without it."""
    _send(process, signal.SIGTERM)
    try:
        process.communicate(timeout=GRACE)
    except subprocess.TimeoutExpired:
        _send(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        process.communicate()


def _send(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        if os.name == "posix":
            os.killpg(process.pid, number)
        else:
            process.kill()
