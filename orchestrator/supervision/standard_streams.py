"""The standard streams, which may be closed or full, or whose reader may be gone."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from typing import cast


class Out(io.TextIOWrapper):
    """A stdout that remembers an error of writing, which so can be told from an error of any other file."""

    lost: OSError | None = None

    def __init__(self, file: int, like: io.TextIOWrapper) -> None:
        binary = open(file, "wb", closefd=False)  # noqa: SIM115
        super().__init__(binary, like.encoding, like.errors, line_buffering=like.line_buffering)

    def write(self, text: str) -> int:
        """Write text."""
        with self._watched():
            return super().write(text)

    def flush(self) -> None:
        """Write what is buffered."""
        with self._watched():
            super().flush()

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.lost = error
            raise


def open_standard() -> None:
    """Open each closed standard stream to the null device.

    Otherwise another file would get its number and would be taken for it.
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
    sys.stdout = Out(1, cast(io.TextIOWrapper, sys.stdout))


def complain(message: str) -> None:
    """Print the error message; there may be no reader of it."""
    with contextlib.suppress(OSError):
        print(f"drawbar: error: {message}", file=sys.stderr, flush=True)


def warn(message: str) -> None:
    """Print a warning of what may spoil the result, though it is not an error."""
    with contextlib.suppress(OSError):
        print(f"drawbar: warning: {message}", file=sys.stderr, flush=True)


def tell_json(outcome: str, message: str) -> None:
    """Print outcome and message as JSON."""
    print(json.dumps({"outcome": outcome, "message": message}))


def is_writable() -> bool:
    """Return whether stdout accepts what was printed."""
    try:
        sys.stdout.flush()
    except OSError:
        return False
    return getattr(sys.stdout, "lost", None) is None


def after_printing(code: int) -> int:
    """Return the exit code once everything printed is written, or 1 if stdout does not accept it.

    It is not an error if the reader of a pipe, such as head, has closed it.
    """
    error = getattr(sys.stdout, "lost", None)
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
            complain(f"standard output: {error.strerror or error}")
            return 1
    return code
