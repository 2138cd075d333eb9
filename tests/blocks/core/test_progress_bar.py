"""The progress bar is drawn on a terminal only, and removed at the end."""

import io
import sys

import pytest

from drawbar.blocks.core.progress_bar import Bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_share_and_the_activity_are_shown_and_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Bar("hill", quiet=False) as bar:
        bar.compiling("Engine", 2, 4)
        assert "hill: compiling Engine, 2 of 4" in terminal.getvalue()
        bar.running(0.0, "")
        monkeypatch.setattr(bar._bar, "mininterval", 0.0)  # it would be drawn ten times a second at most
        bar.running(0.25, "3 times real time")
        assert "hill  25 %" in terminal.getvalue()
        bar.counting("row 7", 7, 0)
        assert "row 7" in terminal.getvalue()
    assert terminal.getvalue().split("\r")[-2].strip() == ""  # overwritten with blanks


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_nothing_is_drawn_if_quiet_or_piped(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    with Bar("hill", quiet=stream.isatty()) as bar:
        bar.compiling("Engine", 1, 1)
        bar.running(0.5, "")
        bar.counting("row", 1, 2)
    assert stream.getvalue() == ""
