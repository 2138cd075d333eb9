"""The standard streams of a process: closed, full or without a reader; error messages and warnings."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from typing import cast


class CheckedOutput(io.TextIOWrapper):
    """A standard output that keeps its own write error, so that this is not taken for the error of a file."""

    write_error: OSError | None = None

    def __init__(self, file: int, like: io.TextIOWrapper) -> None:
        binary = open(file, "wb", closefd=False)  # noqa: SIM115
        super().__init__(binary, like.encoding, like.errors, line_buffering=like.line_buffering)

    def write(self, text: str) -> int:
        """Write text."""
        with self._recording_errors():
            return super().write(text)

    def flush(self) -> None:
        """Write what is buffered."""
        with self._recording_errors():
            super().flush()

    @contextlib.contextmanager
    def _recording_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.write_error = error
            raise


def open_closed_streams() -> None:
    """Open each closed standard stream to the null device.

    Otherwise the next file that is opened would get its number and be taken for it.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", errors="replace", closefd=False))  # noqa: SIM115
    sys.stdout = CheckedOutput(1, cast(io.TextIOWrapper, sys.stdout))


def print_error(message: str) -> None:
    """Print an error message on stderr, which nobody may read."""
    with contextlib.suppress(OSError):
        print(f"drawbar: error: {message}", file=sys.stderr, flush=True)


def print_warning(message: str) -> None:
    """Print a warning on stderr."""
    with contextlib.suppress(OSError):
        print(f"drawbar: warning: {message}", file=sys.stderr, flush=True)


def print_json_outcome(outcome: str, message: str) -> None:
    """Print outcome and message as JSON."""
    print(json.dumps({"outcome": outcome, "message": message}))


def is_writable() -> bool:
    """Return whether everything printed so far could be written."""
    try:
        sys.stdout.flush()
    except OSError:
        return False
    return getattr(sys.stdout, "write_error", None) is None


def flushed_exit_code(code: int) -> int:
    """Write what is buffered and return the exit code, or 1 if it cannot be written.

    A pipe that its reader, such as head, has closed is not an error.
    """
    error = getattr(sys.stdout, "write_error", None)
    try:
        sys.stdout.flush()
    except OSError as failed:
        error = failed
    if error is not None:
        with contextlib.suppress(OSError, ValueError):  # else Python would try again at its end and print an error
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
        if not isinstance(error, BrokenPipeError):
            print_error(f"standard output: {error.strerror or error}")
            return 1
    return code
