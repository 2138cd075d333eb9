"""The progress bar of verbs that take long: on stderr, and only if that is a terminal."""

from __future__ import annotations

import shutil
import sys
from types import TracebackType
from typing import Any

from tqdm import tqdm

COMPILING = "{desc} |{bar}|"
RUNNING = "{desc} {percentage:3.0f} %|{bar}| {postfix} {remaining} left"


class Bar:
    """One progress bar for the present activity; it is removed from the terminal when the context ends."""

    def __init__(self, title: str, quiet: bool) -> None:
        self._title, self._shown = title, sys.stderr.isatty() and not quiet
        self._format = ""
        self._bar: Any = None

    def running(self, done: float, text: str) -> None:
        """Show the share of a run that is done, and the remaining time."""
        if (bar := self._drawn(RUNNING, self._title)) is not None:
            bar.set_postfix_str(text, refresh=False)
            bar.update(done - bar.n)

    def compiling(self, name: str, number: int, total: int) -> None:
        """Show which FMU is being compiled; often it is the first bar, and it may stay for a minute."""
        title = f"{self._title}: " if self._title else ""
        what = f"{title}compiling {name}, {number} of {total}"
        if (bar := self._drawn(COMPILING, what)) is not None:
            bar.n = (number - 1) / total
            bar.set_description_str(what)

    def counting(self, text: str, done: int, total: int) -> None:
        """Show the share of steps that are done, under a text that names the present one."""
        if (bar := self._drawn(COMPILING, text)) is not None:
            bar.n = done / max(total, 1)
            bar.set_description_str(text)

    def clear(self) -> None:
        """Remove the bar, so that a line can be printed in its place; the next call draws it again."""
        if self._bar is not None:
            self._bar.close()
        self._bar, self._format = None, ""

    def _drawn(self, bar_format: str, title: str) -> Any:
        if self._shown and bar_format != self._format:
            self.clear()
            columns, lines = shutil.get_terminal_size()  # of a usual size where the terminal reports none
            self._format = bar_format
            self._bar = tqdm(total=1.0, desc=title, leave=False, ncols=columns, nrows=lines, bar_format=bar_format)
        return self._bar

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()
