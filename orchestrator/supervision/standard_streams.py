"""The standard streams, which may be closed, full, or read no further."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from typing import cast


class Out(io.TextIOWrapper):
    """A stdout that remembers that it could not be written, and so tells this from any other file."""

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
    """Lead each standard stream that is closed nowhere, before another file gets its number and is taken for it."""
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
    """The one message of what went wrong; there may be nobody left to read it."""
    with contextlib.suppress(OSError):
        print(f"drawbar: error: {message}", file=sys.stderr, flush=True)


def warn(message: str) -> None:
    """What may spoil what is done, though it is no error."""
    with contextlib.suppress(OSError):
        print(f"drawbar: warning: {message}", file=sys.stderr, flush=True)


def tell_json(outcome: str, message: str) -> None:
    """The same for programs."""
    print(json.dumps({"outcome": outcome, "message": message}))


def is_writable() -> bool:
    """Whether stdout takes what was printed."""
    try:
        sys.stdout.flush()
    except OSError:
        return False
    return getattr(sys.stdout, "lost", None) is None


def after_printing(code: int) -> int:
    """The exit code, once all that was printed is out; 1 where stdout does not take it.

    The reader of a pipe, such as head, may have had enough: that is no error.
    """
    error = getattr(sys.stdout, "lost", None)
    try:
        sys.stdout.flush()
    except OSError as failed:
        error = failed
    if error is not None:
        with contextlib.suppress(OSError, ValueError):  # Python itself would try, and complain, once more
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
        if not isinstance(error, BrokenPipeError):
            complain(f"standard output: {error.strerror or error}")
            return 1
    return code
