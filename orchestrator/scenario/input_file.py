"""A CSV file of numbers in FMPy's convention, read with the line and column of every fault."""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import UsageError

TIME = "time"
MAX_BYTES = 200_000_000  # bytes of a file
MAX_FAULTS = 20  # largest number of faults in one message
MAX_SHOWN = 40  # characters of a cell that a message repeats

_TRUTH = {"true": 1.0, "false": 0.0}
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")
_CONVENTION = "write it with commas between columns and points in numbers, as FMPy does"


class TableFile:
    """A file being read: its header, its rows, and the faults found so far.

    Raise `UsageError` at once for what makes the rest unreadable: a missing file, one that is too large, one without a
    header, or one that is not UTF-8.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults: list[str] = []
        self._content = self._load()
        text = io.TextIOWrapper(io.BytesIO(self._content), encoding="utf-8-sig", newline="")
        self._reader = csv.reader(text, skipinitialspace=True)
        self._rows = self._all_rows()
        self._lines = array("q")
        first = [cell.strip() for cell in next(self._rows, [])]
        if (found := re.match(r'time"?\s*([;\t])', first[0] if first else "")) is not None:
            separator = "semicolons" if found[1] == ";" else "tabs"
            raise UsageError(f"{path}:1: columns are separated by {separator}; {_CONVENTION}")
        if not first or first[0] != TIME:
            shown = f"the first column is '{first[0]}'" if first else "there is no header"
            raise UsageError(
                f"{path}:1: {shown}; the header must begin with 'time', in seconds, followed by the names of inputs"
            )
        self.header = first[1:]  # without time
        if not self.header:
            raise UsageError(f"{path}:1: time is the only column; add one for each input, such as 'part.input'")

    def _load(self) -> bytes:
        try:
            with self.path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise UsageError(f"inputs {self.path}: {error.strerror or error}") from None
        if len(content) > MAX_BYTES:
            most = f"the {MAX_BYTES / 1e6:g} MB that are read"
            raise UsageError(f"inputs {self.path}: the file is larger than {most}; leave out rows or columns")
        return content

    def _all_rows(self) -> Iterator[list[str]]:
        try:
            yield from self._reader
        except UnicodeDecodeError:
            line = self._content[: self._first_bad_byte()].count(b"\n") + 1
            raise UsageError(f"{self.path}:{line}: the text is not UTF-8; save the file as CSV in UTF-8") from None
        except csv.Error as error:
            raise UsageError(f"{self.path}:{self._reader.line_num}: {error}; {_CONVENTION}") from None

    def _first_bad_byte(self) -> int:
        try:
            self._content.decode("utf-8")
        except UnicodeDecodeError as error:
            return error.start
        return 0

    def fault(self, line: int, column: int | None, reason: str) -> None:
        """Add a fault; `column` counts from 0, which is the time."""
        name = "" if column is None else f" column {column + 1} '{[TIME, *self.header][column]}':"
        self.faults.append(f"{self.path}:{line}:{name} {reason}")

    def stop_if_faulty(self) -> None:
        """Raise `UsageError` with all faults if there are any."""
        if self.faults:
            rest = ["... and more of this kind"] if len(self.faults) > MAX_FAULTS else []
            raise UsageError("\n".join(self.faults[:MAX_FAULTS] + rest))

    def read(self, truths: Sequence[bool]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the times and the values of all rows; `truths` says which columns accept ``true`` and ``false``.

        Raise `UsageError` with all cells that are not finite numbers, rows that are longer or shorter than the header,
        and times that decrease.
        """
        convert = [float, *(_truth if truth else float for truth in truths)]
        numbers = array("d")
        before, last = -math.inf, -math.inf  # times of the two rows before
        for row in self._rows:
            line = self._reader.line_num
            if not row or (len(row) == 1 and not row[0].strip()):
                continue
            if len(self.faults) > MAX_FAULTS:
                break
            if len(row) != len(convert):
                advice = f"; {_CONVENTION}" if len(row) > len(convert) or ";" in row[0] else ""
                self.fault(line, None, f"the row has {len(row)} cells and the header {len(convert)}{advice}")
                continue
            values = [_number(one, cell) for one, cell in zip(convert, row, strict=True)]
            bad = [i for i, value in enumerate(values) if not math.isfinite(value)]
            for i in bad:
                self.fault(line, i, _why_no_number(row[i]))
            if 0 not in bad:
                t = values[0]
                if t < last:
                    self.fault(line, 0, f"{t:.15g} s comes after {last:.15g} s; times must not decrease")
                elif t == last == before:
                    self.fault(
                        line,
                        0,
                        f"{t:.15g} s occurs a third time; at most two rows, which are a jump, have the same time",
                    )
                before, last = last, t
            numbers.extend(values)
            self._lines.append(line)
        if not self._lines and not self.faults:
            self.fault(1, None, "there are no rows below the header")
        self.stop_if_faulty()
        whole = np.frombuffer(numbers, np.float64).reshape(-1, len(convert))
        return whole[:, 0].copy(), whole[:, 1:].copy()

    def check(self, i: int, values: NDArray[np.float64], right: NDArray[np.bool_], otherwise: str) -> None:
        """Add a fault for each value of input column `i` that is not right."""
        for k in np.flatnonzero(~right)[: MAX_FAULTS + 1]:
            self.fault(self._lines[k], i + 1, f"{values[k]:.15g} is {otherwise}")


def _truth(cell: str) -> float:
    value = _TRUTH.get(cell.strip().lower())
    return float(cell) if value is None else value


def _number(convert: Callable[[str], float], cell: str) -> float:
    try:
        return convert(cell)
    except ValueError:
        return math.nan


def _why_no_number(cell: str) -> str:
    if not cell.strip():
        return "the cell is empty"
    shown = cell if len(cell) <= MAX_SHOWN else cell[:MAX_SHOWN] + "..."
    return f"{shown!r} is not a finite number" + (f"; {_CONVENTION}" if _DECIMAL_COMMA.fullmatch(cell) else "")
