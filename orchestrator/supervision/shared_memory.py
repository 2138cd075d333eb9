"""Memory that a run shares with the process that supervises it.

The file has no name, so nothing of it remains, whichever process ends first. It contains a header, a text that
describes the rows, and the current call and rows of `rows.py`.
"""

from __future__ import annotations

import ctypes as ct
import json
import mmap
import os
import tempfile
from dataclasses import astuple, dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from drawbar.orchestrator.master.current_call import CurrentCall

if TYPE_CHECKING:  # heavy, and the parent of a run needs them only when the run has failed
    from drawbar.orchestrator.master.rows import Rows
    from drawbar.orchestrator.planning.schedule import Plan
    from drawbar.orchestrator.runs.recorder import Rate

NOTHING, RUNNING = range(2)
_ALIGN = 64
_MAX_PATH_LENGTH = 4096
_MESSAGES, _MESSAGE_SIZE = 16, 1024  # the last messages of FMUs, for a process that ends while it calls one; bytes


class Header(ct.Structure):
    """State of the run, its text and rows, its folder, the main run and its own name there, the exit code, messages."""

    _fields_ = [
        ("state", ct.c_int32),
        ("text_size", ct.c_int32),
        ("is_done", ct.c_int32),
        ("exit_code", ct.c_int32),
        ("rows_begin", ct.c_int64),
        ("timeout", ct.c_double),
        ("folder", ct.c_char * _MAX_PATH_LENGTH),
        ("main_folder", ct.c_char * _MAX_PATH_LENGTH),
        ("name", ct.c_char * 256),
        ("n_messages", ct.c_int64),
        (
            "messages",
            ct.c_char * _MESSAGE_SIZE * _MESSAGES,
        ),  # a ring; each is the name of the part, a line end, the text
    ]


_TEXT = ct.sizeof(Header)


class SharedMemory:
    """The shared memory, as the process of the run uses it."""

    def __init__(self, file: int) -> None:
        self._file = file
        os.ftruncate(file, max(os.fstat(file).st_size, _TEXT))
        self._memory = mmap.mmap(file, _TEXT)
        self._header = Header.from_buffer(self._memory)
        self._header.state = NOTHING

    def set_timeout(self, timeout: float) -> None:
        """Set how long one call of a part may take, s; 0 for no limit."""
        self._header.timeout = timeout

    def begin(self, plan: Plan, capacity: int) -> Rows:
        """Make room for the rows of a plan, and mark the run as in progress."""
        from drawbar.blocks.core.errors import RunError
        from drawbar.orchestrator.master.rows import Rows, memory_size, row_shapes

        shapes = row_shapes(plan, capacity)
        text = json.dumps(
            {
                "parts": [part.name for part in plan.parts],
                "tick": str(plan.tick),
                "rates": [[str(r.rate.period), [list(astuple(c)) for c in r.rate.columns]] for r in plan.rates],
                "shapes": shapes,
            }
        ).encode()
        begin = -(-(_TEXT + len(text)) // _ALIGN) * _ALIGN
        self._header.state = NOTHING
        try:
            os.ftruncate(self._file, begin + memory_size(shapes))
        except OSError as error:
            wanted = f"no shared memory for the rows of a run ({memory_size(shapes) / 1e6:.0f} MB)"
            raise RunError(f"{wanted}: {error.strerror}; record less, or allow larger files (ulimit -f)") from None
        memory = mmap.mmap(self._file, begin + memory_size(shapes))
        memory[_TEXT : _TEXT + len(text)] = text
        memory[begin : begin + ct.sizeof(CurrentCall) + 8 * len(shapes)] = bytes(
            ct.sizeof(CurrentCall) + 8 * len(shapes)
        )
        self._header.folder = b""
        self._header.n_messages = 0
        self._header.text_size, self._header.rows_begin = len(text), begin
        self._header.state = RUNNING
        return Rows(shapes, memory, begin)

    def set_folder(self, folder: Path) -> None:
        """Set the folder that the rows are written to."""
        self._header.folder = os.fsencode(folder)[: _MAX_PATH_LENGTH - 1]

    def set_main_run(self, main_folder: Path, name: str) -> None:
        """Mark all later runs as further ones of the run in `main_folder`; `name` is that of the case of the report."""
        self._header.main_folder = os.fsencode(main_folder)[: _MAX_PATH_LENGTH - 1]
        self._header.name = name.encode()[:255]

    def add_message(self, part: str, text: str) -> None:
        """Keep a message of the FMU of a part, in the place of the oldest."""
        message = f"{part}\n{text}".encode().replace(b"\0", b" ")[: _MESSAGE_SIZE - 1]
        self._header.messages[self._header.n_messages % _MESSAGES].value = message
        self._header.n_messages += 1

    def end(self) -> None:
        """Mark the run as over."""
        self._header.state = NOTHING

    def mark_done(self, code: int) -> None:
        """Mark everything as done and printed, with this exit code."""
        self._header.exit_code, self._header.is_done = code, 1


@dataclass(frozen=True)
class UnfinishedRun:
    """A run that its process has left unfinished."""

    folder: Path | None
    main_folder: Path | None  # of the run that this one belongs to
    name: str  # which of its further runs this is
    part: str | None
    call: int
    time: float
    rates: list[Rate]
    rows: Rows
    messages: list[str]  # the last ones of the part


class SupervisedRun:
    """A run in another process, as the supervising process sees it in the shared memory."""

    def __init__(self, file: int | None = None) -> None:
        self.file = _anonymous_file() if file is None else file
        os.ftruncate(self.file, max(os.fstat(self.file).st_size, _TEXT))
        self._memory = mmap.mmap(self.file, _TEXT)
        self._header = Header.from_buffer(self._memory)
        self._note: CurrentCall | None = None
        self._begin = 0

    @property
    def timeout(self) -> float:
        """How long a call may take, s; 0 for no limit."""
        return float(self._header.timeout)

    @property
    def exit_code(self) -> int | None:
        """The exit code of the process once everything is done and printed; None before."""
        return int(self._header.exit_code) if self._header.is_done else None

    @property
    def folder(self) -> Path | None:
        """The folder of the last run that has one."""
        return _path(self._header.folder)

    def current_call(self) -> tuple[int, int, int]:
        """Return tick, part and call at this moment; zeros if no run is in progress."""
        if self._header.state == NOTHING:
            return 0, 0, 0
        if self._note is None or self._begin != self._header.rows_begin:
            self._begin = int(self._header.rows_begin)
            whole = mmap.mmap(self.file, os.fstat(self.file).st_size)
            self._note = CurrentCall.from_buffer(whole, self._begin)
        return int(self._note.tick), int(self._note.part), int(self._note.call)

    def unfinished(self) -> UnfinishedRun | None:
        """Return the run that was not ended, or None if there is none."""
        if self._header.state == NOTHING:
            return None
        from drawbar.orchestrator.master.rows import Rows
        from drawbar.orchestrator.runs.recorder import Column, Rate

        whole = mmap.mmap(self.file, os.fstat(self.file).st_size)
        text = json.loads(whole[_TEXT : _TEXT + int(self._header.text_size)])
        shapes = [(int(n), int(width)) for n, width in text["shapes"]]
        rows = Rows(shapes, whole, int(self._header.rows_begin))
        index = int(rows.current_call.part)
        part = text["parts"][index] if 0 <= index < len(text["parts"]) else None
        return UnfinishedRun(
            folder=self.folder,
            main_folder=_path(self._header.main_folder),
            name=self._header.name.decode("utf-8", "replace"),
            part=part,
            call=int(rows.current_call.call),
            time=float(int(rows.current_call.tick) * Fraction(text["tick"])),
            rates=[Rate(Fraction(p), tuple(Column(*column) for column in columns)) for p, columns in text["rates"]],
            rows=rows,
            messages=self._messages(part),
        )

    def _messages(self, part: str | None) -> list[str]:
        """Return the last messages of a part, oldest first."""
        n = int(self._header.n_messages)
        said = [self._header.messages[i % _MESSAGES].value for i in range(max(0, n - _MESSAGES), n)]
        split = [message.decode("utf-8", "replace").partition("\n") for message in said]
        return [text for name, _, text in split if name == part]


def _path(name: bytes) -> Path | None:
    return Path(os.fsdecode(name)) if name else None


def _anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("drawbar-run")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
